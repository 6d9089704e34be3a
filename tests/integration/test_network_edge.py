"""Where the daemon meets the network: addresses and certificates that are not to be had, that change while
it runs, silent strangers, and what of its memory can be read."""

import os
import signal
import socket

import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until

BASE = "host: {cpus: 8}\njobs: {grace: 0s}\n"
ALIVE = b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"


def listening(*addresses, more=""):
    names = ", ".join(f'"{one}"' for one in addresses)
    return f"{BASE}network: {{listen: [{names}]{more}}}\n"


def pair_of(box):
    return f", certificate: {box.directory}/gpusched.crt, key: {box.directory}/gpusched.key"


def write(box, text):
    (box.directory / "config.yaml").write_text(text)


def reload(box, text, *words, check=True):
    write(box, text)
    return box.run("config", "reload", *words, check=check)


def problems(box):
    return box.http("GET", "/v1/version").json()["problems"]


def answers(address, port):
    """What is there: nobody, or somebody who speaks HTTP."""
    try:
        with socket.create_connection((address, port), timeout=30) as client:
            client.sendall(ALIVE + b"Connection: close\r\n\r\n")
            return raw_http.parse(raw_http.read_until_closed(client)).status
    except OSError:
        return None


class Taken:
    """A port of which another program has one address."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen()
        self.port = self.socket.getsockname()[1]

    def free(self):
        self.socket.close()
        return self.port


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE) as daemon:
        daemon.run("cert", "localhost", "127.0.0.1", "--out", daemon.directory)
        yield daemon


def test_a_taken_port_keeps_nobody_of_this_machine_waiting(programs):
    taken = Taken()
    config = listening(f"127.0.0.1:{taken.port}", f"127.0.0.2:{taken.port}")
    with LiveDaemon(programs, sim="1x24G", config=config) as small:
        told = [one for one in problems(small) if f"listen on 127.0.0.1:{taken.port}: " in one]
        assert len(told) == 1 and "tried again" in told[0], problems(small)
        assert "cannot reach" in small.run("status").stderr + small.run("status").stdout
        assert answers("127.0.0.2", taken.port) == 401, "what can be had is served"
        # Another change of the file does not wait for it.
        small.run("config", "reload")
        wrong = reload(small, listening(f"127.0.0.1:{taken.port}"), check=False)
        assert wrong.returncode == 74, "a new wish is all or nothing"
        write(small, config)
        port = taken.free()
        wait_until(lambda: answers("127.0.0.1", port) == 401, what="the port, once it is free")
        assert not problems(small)
        assert answers("127.0.0.2", port) == 401


def test_a_certificate_that_is_not_there_keeps_nobody_waiting(programs, box, tmp_path):
    files = f", certificate: {tmp_path}/gpusched.crt, key: {tmp_path}/gpusched.key"
    with LiveDaemon(programs, sim="1x24G", config=listening("127.0.0.1:0", more=files)) as small:
        assert any(f"read the certificate {tmp_path}/gpusched.crt" in one for one in problems(small))
        assert "the network can reach the daemon" not in small.log()
        small.run("cert", "localhost", "--out", tmp_path)
        small.run("config", "reload")
        assert not problems(small)
        assert "the network can reach the daemon" in small.log()


def test_it_goes_from_one_address_to_all_and_back(box):
    port = Taken().free()
    one, every = f"127.0.0.1:{port}", f"0.0.0.0:{port}"
    reload(box, listening(one, more=pair_of(box)))
    for addresses, elsewhere in (((every,), 400), ((one,), None), ((one, every), 400), ((every,), 400),
                                 ((one,), None)):
        reload(box, listening(*addresses, more=pair_of(box)))
        # Without TLS it is told so, which shows that it is served.
        assert answers("127.0.0.1", port) == 400
        assert answers("127.0.0.9", port) == elsewhere, addresses
    taken = Taken()
    refused = reload(box, listening(every, f"127.0.0.1:{taken.port}", more=pair_of(box)), check=False)
    assert refused.returncode == 74 and str(taken.port) in refused.stderr, refused
    assert answers("127.0.0.1", port) == 400 and answers("127.0.0.9", port) is None, "as it was"
    assert reload(box, BASE).returncode == 0
    assert "the network can no longer reach the daemon" in box.log() and "no address" not in box.log()


def test_a_trial_looks_at_ports_and_certificates(box):
    taken = Taken()
    write(box, listening(f"127.0.0.1:{taken.port}"))
    tried = box.run("config", "reload", "--dry-run", check=False)
    assert tried.returncode == 74 and f"listen on 127.0.0.1:{taken.port}: " in tried.stderr, tried
    checked = box.run("config", "check", box.directory / "config.yaml")
    assert f"127.0.0.1:{taken.port} is in use" in checked.stderr, checked
    write(box, listening("192.0.2.7:7340", more=pair_of(box)))
    checked = box.run("config", "check", box.directory / "config.yaml", check=False)
    assert checked.returncode == 64 and "listen on 192.0.2.7:7340: " in checked.stderr, checked
    write(box, listening("127.0.0.1:0", more=pair_of(box)))
    checked = box.run("config", "check", box.directory / "config.yaml")
    assert "the fingerprint of the certificate is " in checked.stderr, checked
    lost = pair_of(box).replace("gpusched.crt", "nowhere.crt")
    write(box, listening("127.0.0.1:0", more=lost))
    checked = box.run("config", "check", box.directory / "config.yaml", check=False)
    assert checked.returncode == 64 and "nowhere.crt" in checked.stderr, checked
    write(box, listening("127.0.0.1:0", more=pair_of(box).replace("gpusched.key", "gpusched.crt")))
    checked = box.run("config", "check", box.directory / "config.yaml", check=False)
    assert checked.returncode == 64 and "key" in checked.stderr and checked.stderr.count("\n") == 1, checked
    write(box, BASE)


def test_a_new_certificate_is_named_at_reload(box):
    config = listening("127.0.0.1:0", more=pair_of(box))
    reload(box, config)
    old = box.run("config", "check", box.directory / "config.yaml").stderr
    new = box.run("cert", "localhost", "--out", box.directory, "--replace").stdout.strip()
    assert new not in old
    for words in (("--dry-run",), ()):
        said = box.run("config", "reload", *words).stdout
        assert f"→ fingerprint {new}" in said, said
    assert "nothing differs" in box.run("config", "reload").stderr
    reload(box, BASE)


def test_roles_of_unknown_names_are_told(box):
    roles = BASE + "roles: {operator: [nobody-of-this-name, root], viewer: [\"group:no-such-group\"]}\n"
    said = reload(box, roles).stderr
    assert "there is no user 'nobody-of-this-name'" in said and "no group 'no-such-group'" in said, said
    assert "'root'" not in said
    checked = box.run("config", "check", box.directory / "config.yaml").stderr
    assert "there is no user 'nobody-of-this-name'" in checked and "no-such-group" in checked, checked
    (box.directory / "tenants.yaml").write_text('tenants: {"group:no-such-tenant": {weight: 2}}\n')
    checked = box.run("config", "check", box.directory / "tenants.yaml").stderr
    assert "tenants: there is no group 'no-such-tenant' on this machine" in checked, checked
    reload(box, BASE)


def test_silent_strangers_make_room(programs):
    config = listening("127.0.0.1:0") + "limits: {clients: 8, clients_per_user: 8}\n"
    with LiveDaemon(programs, sim="1x24G", config=config) as small:
        port = int(small.log().split("at=127.0.0.1:")[1].split()[0])
        token = small.run("token", "create").stdout.strip().encode()
        silent = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(4)]
        assert answers("127.0.0.1", port) == 401
        silent[0].settimeout(60)
        assert silent[0].recv(1) == b"", "the first has made room"
        # Who has shown a token keeps the place, and then there is none left.
        known = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(4)]
        for client in known:
            client.sendall(ALIVE + b"Authorization: Bearer " + token + b"\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
        assert answers("127.0.0.1", port) == 503
        assert small.http("GET", "/v1/version").status == 200
        for client in silent + known:
            client.close()


def test_no_core_file_has_what_the_daemon_knew(programs, tmp_path):
    with_cores = ["sh", "-c", 'cd "$0" && ulimit -c unlimited; exec "$@"', str(tmp_path)]
    with LiveDaemon(programs, sim="1x24G", config=BASE, prefix=with_cores) as small:
        os.kill(small.process.pid, signal.SIGABRT)
        end = os.waitid(os.P_PID, small.process.pid, os.WEXITED | os.WNOWAIT)
        assert (end.si_status, end.si_code) == (signal.SIGABRT, os.CLD_KILLED), "it was not dumped"
        assert not os.listdir(tmp_path)
        small.process.wait()
        small.start()


def test_a_certificate_without_names_is_for_all_of_this_machine(box, tmp_path):
    would = box.run("cert", "--out", tmp_path, "--dry-run").stderr
    names = would.split("a certificate for ")[1].split(": ")[0].split(", ")
    assert names[0] == socket.gethostname() and names[-2:] == ["127.0.0.1", "::1"], names
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))  # Nothing is sent; the kernel says from where it would be.
        except OSError:
            return
        assert way.getsockname()[0] in names, names
