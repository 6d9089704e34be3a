"""The way in for other machines: TCP on loopback, TLS, certificates that are renewed while the daemon runs,
and clients that harm nobody. Who has no token gets a 4xx that says so."""

import hashlib
import os
import re
import signal
import socket
import ssl
import subprocess

import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until

BASE = "host: {cpus: 8}\njobs: {grace: 0s}\n"
REQUEST = b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def network(box, *addresses, tls=True):
    files = f", certificate: {box.directory}/gpusched.crt, key: {box.directory}/gpusched.key" if tls else ""
    listen = ", ".join(f'"{one}"' for one in addresses)
    return f"{BASE}network: {{listen: [{listen}]{files}}}\n"


def make_certificate(box, *words):
    done = box.run("cert", "localhost", "127.0.0.1", "--out", box.directory, *words)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE) as daemon:
        daemon.fingerprint = make_certificate(daemon)
        reload(daemon, network(daemon, "127.0.0.1:0"))
        yield daemon


def reload(box, text, check=True):
    (box.directory / "config.yaml").write_text(text)
    return box.run("config", "reload", check=check)


def ports(box):
    """Where it listens, as the log says it."""
    said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', box.log())
    return [int(one.rsplit(":", 1)[1]) for one in said[-1].split(", ")] if said else []


def shown_fingerprint(box):
    with connect_tls(box) as client:
        digest = hashlib.sha256(client.getpeercert(binary_form=True)).hexdigest().upper()
    return ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))


def connect(box):
    return socket.create_connection(("127.0.0.1", ports(box)[0]), timeout=30)


def connect_tls(box, trusted=True):
    context = ssl.create_default_context(cafile=box.directory / "gpusched.crt" if trusted else None)
    return context.wrap_socket(connect(box), server_hostname="localhost")


def ask(client, request=REQUEST):
    with client:
        client.sendall(request)
        return raw_http.parse(raw_http.read_until_closed(client))


def needs_token(answer):
    return 400 <= answer.status < 500 and "token" in answer.error()["message"]


def test_an_address_alone_proves_nothing(box):
    assert needs_token(ask(connect_tls(box)))
    for target in (b"POST /v1/jobs", b"GET /v1/config", b"POST /v1/config/reload", b"GET /v1/backup"):
        answer = ask(connect_tls(box), REQUEST.replace(b"GET /v1/jobs", target))
        assert needs_token(answer), (target, answer)


def test_the_certificate_is_for_its_names(box):
    context = ssl.create_default_context(cafile=box.directory / "gpusched.crt")
    with pytest.raises(ssl.SSLCertVerificationError):
        context.wrap_socket(connect(box), server_hostname="elsewhere.lab")
    with connect_tls(box) as client:
        assert client.version() == "TLSv1.3"
    assert shown_fingerprint(box) == box.fingerprint


def test_who_speaks_no_tls_is_told(box):
    answer = ask(connect(box))
    assert answer.status == 400 and "https://" in answer.error()["message"]


def test_who_says_nothing_harms_nobody(box):
    silent = [connect(box) for _ in range(20)]
    for client in silent[:10]:
        client.sendall(b"\x16\x03\x01\x02")
    assert needs_token(ask(connect_tls(box)))
    assert box.http("GET", "/v1/version").status == 200
    for client in silent:
        client.close()


def test_strangers_leave_places_for_users(programs):
    config = f"{BASE}limits: {{clients: 8, clients_per_user: 6}}\nnetwork: {{listen: [\"127.0.0.1:0\"]}}\n"
    with LiveDaemon(programs, sim="1x24G", config=config) as small:
        token = b"Authorization: Bearer " + small.run("token", "create").stdout.strip().encode() + b"\r\n"
        known = [connect(small) for _ in range(4)]
        # Each is known to be served before the next one is counted.
        assert all(keep_alive(one, token).status == 200 for one in known)
        refused = ask(connect(small))
        assert refused.status == 503 and "of the network" in refused.error()["message"]
        assert small.http("GET", "/v1/version").status == 200
        for one in known:
            one.close()


def keep_alive(client, header=b""):
    client.sendall(REQUEST.replace(b"Connection: close\r\n", header))
    head = b""
    while b"\r\n\r\n" not in head:
        head += client.recv(1)
    length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
    body = b""
    while len(body) < length:
        body += client.recv(length - len(body))
    return raw_http.parse(head + body)


def test_a_certificate_is_renewed_while_it_runs(box):
    with connect_tls(box) as old:
        assert needs_token(keep_alive(old))
        fingerprint = make_certificate(box, "--replace")
        assert fingerprint != box.fingerprint
        assert shown_fingerprint_untrusted(box) == box.fingerprint, "not before it is told"
        box.process.send_signal(signal.SIGHUP)
        wait_until(lambda: shown_fingerprint_untrusted(box) == fingerprint, what="the new certificate")
        assert needs_token(keep_alive(old)), "who is connected stays"
    box.fingerprint = fingerprint


def shown_fingerprint_untrusted(box):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with context.wrap_socket(connect(box)) as client:
        digest = hashlib.sha256(client.getpeercert(binary_form=True)).hexdigest().upper()
    return ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))


def test_a_bad_certificate_is_refused_and_the_old_one_goes_on(box):
    certificate = box.directory / "gpusched.crt"
    good = certificate.read_text()
    key_mode = (box.directory / "gpusched.key").stat().st_mode & 0o777
    assert key_mode == 0o600
    for bad in ("no certificate\n", None):
        if bad is None:
            certificate.unlink()
        else:
            certificate.write_text(bad)
        for words in (("--dry-run",), ()):
            done = box.run("config", "reload", *words, check=False)
            assert done.returncode == 64 and f"read the certificate {certificate}: " in done.stderr, done
            assert done.stderr.count("\n") == 1
    assert shown_fingerprint_untrusted(box) == box.fingerprint
    certificate.write_text(good)
    box.run("config", "reload")


def test_other_addresses_need_a_certificate(box):
    before = (box.directory / "config.yaml").read_text()
    done = reload(box, network(box, "0.0.0.0:0", tls=False), check=False)
    assert done.returncode == 64 and "which needs TLS" in done.stderr and done.stderr.count("\n") == 1, done
    wrong = box.directory / "wrong.yaml"
    wrong.write_text(network(box, "0.0.0.0:0", tls=False))
    started = subprocess.run([box.programs / "gpuschedd", "--config", wrong], capture_output=True, text=True,
                             timeout=60, check=False, env=box.environment())
    assert started.returncode == 64 and "which needs TLS" in started.stderr, started
    assert needs_token(ask(connect_tls(box)))
    reload(box, before)


def test_it_listens_elsewhere_without_a_restart(box):
    before = (box.directory / "config.yaml").read_text()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = reload(box, network(box, f"127.0.0.1:{port}"), check=False)
        assert done.returncode == 74 and f"listen on 127.0.0.1:{port}: " in done.stderr, done
    assert needs_token(ask(connect_tls(box))), "it is as it was"
    old = ports(box)[0]
    reload(box, network(box, "127.0.0.2:0"))
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", old), timeout=30)
    reload(box, BASE)
    assert "the network can no longer reach" in box.log().rsplit("the network can reach the daemon", 1)[1]
    reload(box, before)
    assert needs_token(ask(connect_tls(box)))


def test_plain_http_on_loopback(box):
    before = (box.directory / "config.yaml").read_text()
    reload(box, network(box, "127.0.0.1:0", tls=False))
    assert needs_token(ask(connect(box)))
    reload(box, before)


def far(box, *words, scheme="https", variables=None, check=False):
    env = {**box.environment(), "GPUSCHED_SERVER": f"{scheme}://localhost:{ports(box)[0]}"}
    env.update(variables or {})
    del env["GPUSCHED_SOCKET"]
    env.setdefault("GPUSCHED_PATIENCE", "0")  # What is not there is not waited for.
    return subprocess.run([box.programs / "gpusched", *words], capture_output=True, text=True, timeout=120,
                          env=env, check=check)


def known_servers(box):
    return box.directory / "home" / ".config" / "gpusched" / "known_servers"


def test_the_client_keeps_the_certificate_and_refuses_another(box):
    known_servers(box).unlink(missing_ok=True)
    first = far(box, "status")
    new, refused = first.stderr.splitlines()
    assert "is new here" in new and box.fingerprint in new and str(known_servers(box)) in new
    assert "token" in refused and first.returncode != 0, first
    second = far(box, "status")
    assert second.stderr.count("\n") == 1 and "token" in second.stderr, second
    name, fingerprint = known_servers(box).read_text().split()
    assert name == f"localhost:{ports(box)[0]}" and fingerprint == box.fingerprint
    known_servers(box).write_text(f"# mine\n{name} AB:CD\n")
    other = far(box, "status")
    assert other.returncode == 77 and f"remove line 2 of {known_servers(box)}" in other.stderr, other
    known_servers(box).unlink()


def test_an_authority_of_the_system_is_enough(box):
    known_servers(box).unlink(missing_ok=True)
    trusted = {"SSL_CERT_FILE": str(box.directory / "gpusched.crt")}
    done = far(box, "status", variables=trusted)
    assert done.stderr.count("\n") == 1 and "token" in done.stderr, done
    assert not known_servers(box).exists()
    before = (box.directory / "config.yaml").read_text()
    reload(box, network(box, "127.0.0.1:0", "127.0.0.3:0"))
    other_name = {**trusted, "GPUSCHED_SERVER": f"https://127.0.0.3:{ports(box)[1]}"}
    done = far(box, "status", variables=other_name)
    assert "is new here" in done.stderr, "it vouches for other names only"
    known_servers(box).unlink()
    reload(box, before)


def test_a_token_is_never_shown(box):
    done = far(box, "status", variables={"GPUSCHED_TOKEN": "gst-wrong-token"})
    assert done.returncode != 0 and "gst-wrong" not in done.stdout + done.stderr, done
    assert "gst-wrong" not in box.log()
    done = far(box, "status", variables={"GPUSCHED_TOKEN": "two words"})
    assert done.returncode == 64 and "single word" in done.stderr and "two words" not in done.stderr, done


def test_verbs_that_need_the_machine_say_so(box):
    for verb in (("lease", "--", "true"), ("doctor",)):
        done = far(box, *verb)
        assert done.returncode == 69 and "ssh://HOST" in done.stderr and done.stderr.count("\n") == 1, done
    done = far(box, "submit", "--", "true")
    assert done.returncode == 64 and "--cwd" in done.stderr, done
    done = far(box, "submit", "--cwd", "sub", "--", "true")
    assert done.returncode == 64 and "--cwd" in done.stderr, done
    done = far(box, "set", "1", "--cwd", "sub")
    assert done.returncode == 64 and "--cwd" in done.stderr and "whole path" in done.stderr, done
    script = box.directory / "train.sh"
    script.write_text("#!/bin/sh\n#GPUSCHED --gpus 2\ntrue\n")
    done = far(box, "submit", "--cwd", "/tmp", script)
    assert done.returncode == 64 and "#GPUSCHED" in done.stderr and done.stderr.count("\n") == 1, done


def test_a_server_that_is_not_there(box):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"localhost:{nobody.getsockname()[1]}"
        for scheme in ("https", "http"):
            done = far(box, "status", variables={"GPUSCHED_SERVER": f"{scheme}://{address}"})
            assert done.returncode == 69 and "refused" in done.stderr and done.stderr.count("\n") == 1, done
    done = far(box, "status", scheme="http")
    assert done.returncode == 64 and "https://" in done.stderr, done
    before = (box.directory / "config.yaml").read_text()
    reload(box, network(box, "127.0.0.1:0", tls=False))
    done = far(box, "status")
    assert done.returncode == 69 and "speaks no TLS" in done.stderr and "http://" in done.stderr, done
    assert done.stderr.count("\n") == 1, done
    reload(box, before)
    done = far(box, "status", variables={"GPUSCHED_SERVER": "https://no-such-host.invalid"})
    assert done.returncode == 69 and "look up" in done.stderr and done.stderr.count("\n") == 1, done


def test_cert_makes_its_own_directory(box):
    home = box.directory / "new home"
    home.mkdir()
    env = {**box.environment(), "HOME": str(home)}
    words = [box.programs / "gpusched", "cert", "box.lab"]
    if os.geteuid() == 0:  # Root's would be the machine's own.
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *words]
        if any(not part.stat().st_mode & 0o001 for part in box.programs.parents):
            pytest.skip("the programs are out of reach of others")
        home.chmod(0o777)
        box.directory.chmod(0o755)
    planned = subprocess.run([*words, "--dry-run"], capture_output=True, text=True, env=env, check=True)
    assert str(home / ".config/gpusched/gpusched.crt") in planned.stdout + planned.stderr
    assert not (home / ".config").exists()
    subprocess.run(words, capture_output=True, env=env, check=True)
    assert (home / ".config/gpusched/gpusched.key").stat().st_mode & 0o777 == 0o600
    lost = box.run("cert", "--out", home / "nowhere", check=False)
    assert lost.returncode == 66 and lost.stderr.count("\n") == 1, lost


def test_cert_writes_no_file_twice(box):
    place = box.directory / "certificates"
    place.mkdir()
    made = box.run("cert", "box.lab", "10.0.0.7", "--out", place)
    assert re.fullmatch(r"([0-9A-F]{2}:){31}[0-9A-F]{2}\n", made.stdout), made
    assert (place / "gpusched.key").stat().st_mode & 0o777 == 0o600
    again = box.run("cert", "--out", place, check=False)
    assert again.returncode == 65 and "--replace" in again.stderr, again
    assert box.run("cert", "--out", place, "--replace").stdout != made.stdout
    wrong = box.run("cert", "a b", "--out", place, "--replace", check=False)
    assert wrong.returncode == 64 and "'a b' is neither" in wrong.stderr, wrong
    assert wrong.stderr.count("\n") == 1
    would = box.run("cert", "--out", box.directory / "home", "--dry-run")
    assert "would make" in would.stderr and not would.stdout


def test_work_over_the_network(box):
    made = box.run("token", "create", "--name", "desk").stdout.strip()
    token = {"GPUSCHED_TOKEN": made}
    job = far(box, "submit", "--cwd", "/tmp", "--gpus", "0", "--env", "SAID=x", "--cmd", "echo $PWD $SAID",
              variables=token, check=True).stdout.strip()
    assert far(box, "wait", job, variables=token).returncode == 0
    assert far(box, "logs", "-f", job, variables=token, check=True).stdout == "/tmp x\n"
    shown = far(box, "status", job, "--columns", "id,state", variables=token, check=True).stdout
    assert shown.split()[2:] == [job, "completed"]
    held = far(box, "submit", "--cwd", "/tmp", "--gpus", "0", "--hold", "--", "true", variables=token,
               check=True).stdout.strip()
    looks = {"GPUSCHED_TOKEN": box.run("token", "create", "--read-only").stdout.strip()}
    assert held in far(box, "status", variables=looks, check=True).stdout
    refused = far(box, "cancel", held, variables=looks)
    assert refused.returncode == 77 and "viewer" in refused.stderr, refused
    far(box, "cancel", held, variables=token, check=True)
    assert box.ended(held)["state"] == "cancelled"
    box.run("token", "revoke", made.split("_")[1])
    refused = far(box, "status", variables=token)
    assert refused.returncode == 77 and "token" in refused.stderr, refused
    assert made not in box.log()


def sent(box, *pieces):
    """What comes back for these bytes, until the other side closes."""
    with connect_tls(box) as client:
        client.sendall(b"".join(pieces))
        return raw_http.parse(raw_http.read_until_closed(client))


def test_who_is_unknown_sends_nothing_large(box):
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
    refused = sent(box, head, b"Content-Length: 67108864\r\n\r\n")
    assert refused.status == 401 and "token" in refused.error()["message"]
    refused = sent(box, head, b"Transfer-Encoding: chunked\r\n\r\n")
    assert refused.status == 401
    refused = sent(box, head, b"Authorization: Bearer gpst_a_b\r\nContent-Length: 67108864\r\n\r\n")
    assert refused.status == 401


def test_what_follows_the_body_is_no_head(box):
    made = box.run("token", "create").stdout.strip().encode()
    body = b'{"command":["true"],"working_directory":"/tmp","gpus":0}'
    refused = sent(box, b"POST /v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
                   b"Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n%s\r\n" % (len(body), body),
                   b"0\r\nAuthorization: Bearer " + made + b"\r\n\r\n")
    assert refused.status == 401, refused.body


def test_codings_that_are_not_ours(box):
    refused = sent(box, b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
                   b"Transfer-Encoding: gzip, chunked\r\n\r\n")
    assert refused.status == 400
    head = sent(box, REQUEST.replace(b"GET", b"HEAD").replace(b"close", b"keep-alive"), REQUEST)
    assert head.status == 401 and head.body.startswith(b"HTTP/1.1 401 "), "an answer to HEAD has no body"


def test_a_lease_ends_with_its_connection_whatever_was_sent(box):
    made = box.run("token", "create").stdout.strip()
    body = b'{"holder":"connection","gpus":0}'
    with connect_tls(box) as client:
        client.sendall(b"POST /v1/leases HTTP/1.1\r\nHost: localhost\r\n"
                       b"Authorization: Bearer " + made.encode()
                       + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body + b"G")
        # Who sends on is not heard leaving, so it is let go at once.
        client.settimeout(60)
        raw_http.read_until_closed(client)
