"""The client over https: whom it trusts, to whom it gives a token, and that it leaves nothing behind."""

import os
import signal
import socket
import subprocess

import processes
import pytest
from live_daemon import wait_until
from test_network import box, far, known_servers, ports  # noqa: F401


def test_what_was_kept_counts_also_where_an_authority_vouches(box):
    trusted = {"SSL_CERT_FILE": str(box.directory / "gpusched.crt")}
    known_servers(box).parent.mkdir(parents=True, exist_ok=True)
    known_servers(box).write_text(f"localhost:{ports(box)[0]} AB:CD\n")
    done = far(box, "status", variables=trusted)
    assert done.returncode == 77 and "remove line 1" in done.stderr, done
    known_servers(box).write_text(f"localhost:{ports(box)[0]}\tAB:\x1b[2KCD\n")
    done = far(box, "status", variables=trusted)
    assert done.returncode == 64 and "line 1 of" in done.stderr and "\x1b" not in done.stderr, done
    known_servers(box).unlink()


def test_a_fingerprint_of_the_list(box):
    known_servers(box).unlink(missing_ok=True)
    names = known_servers(box).parent / "servers.yaml"
    names.parent.mkdir(parents=True, exist_ok=True)
    address = f"https://localhost:{ports(box)[0]}"
    wrong = box.fingerprint[:-2] + ("01" if box.fingerprint.endswith("00") else "00")
    for fingerprint, code in ((box.fingerprint.lower(), "token"), (wrong, "correct its")):
        names.write_text(f"box: {{server: '{address}', fingerprint: '{fingerprint}'}}\n")
        done = far(box, "status", variables={"GPUSCHED_SERVER": "box"})
        assert done.returncode == 77 and code in done.stderr and done.stderr.count("\n") == 1, done
    assert not known_servers(box).exists(), "there was nothing to meet"
    names.unlink()


def complete(box, *words, **variables):
    return far(box, "__complete", "--", *words, variables=variables).stdout


def test_completion_meets_nobody(box):
    known_servers(box).unlink(missing_ok=True)
    token = {"GPUSCHED_TOKEN": box.run("token", "create").stdout.strip()}
    job = box.submit("--gpus", "0", "--hold", "--", "true")
    assert f"{job}\t" not in complete(box, "show", "", **token)
    assert not known_servers(box).exists()
    far(box, "status", variables=token)
    assert f"{job}\t" in complete(box, "show", "", **token)
    # The daemon that the line names is asked, wherever it is named.
    server = f"https://localhost:{ports(box)[0]}"
    for words in (("show", "--server", server, ""), ("--server", server, "show", ""),
                  ("show", f"--server={server}", "")):
        assert f"{job}\t" in complete(box, *words, GPUSCHED_SERVER="/nonexistent", **token), words
    assert f"{job}\t" not in complete(box, "show", "--socket", "/nonexistent", "", **token)
    box.run("cancel", str(job))
    known_servers(box).unlink()


def test_flags_of_the_daemon_may_stand_first(box):
    server = f"https://localhost:{ports(box)[0]}"
    token = {"GPUSCHED_TOKEN": box.run("token", "create").stdout.strip(), "GPUSCHED_SERVER": "/nonexistent"}
    for words in (("--server", server, "status", "--json"), (f"--server={server}", "--json", "status")):
        assert '"jobs"' in far(box, *words, variables=token, check=True).stdout
    assert "0 waiting" in far(box, "--server", server, variables=token, check=True).stdout
    assert "GPUSCHED_TOKEN" in box.run("--help").stdout
    assert "GPUSCHED_SERVER" in box.run("--help").stdout


def test_who_leaves_leaves_nothing_behind(box):
    token = {"GPUSCHED_TOKEN": box.run("token", "create").stdout.strip()}
    job = str(box.submit("--gpus", "0", "--cmd", "echo begun; sleep 600"))
    box.wait_for(job, "running")
    env = {**box.environment(), **token, "GPUSCHED_SERVER": f"https://localhost:{ports(box)[0]}"}
    del env["GPUSCHED_SOCKET"]
    with socket.socket() as mute:  # Takes the connection, and never shakes hands.
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        nobody = {"GPUSCHED_SERVER": f"https://localhost:{mute.getsockname()[1]}"}
        for words, more in ((("logs", "-f", job), {}), (("wait", job), {}), (("status",), nobody)):
            # In the background of a script Ctrl-C is ignored, and that is inherited.
            client = subprocess.Popen(["env", "--default-signal=INT", box.programs / "gpusched", *words],
                                      env={**env, **more}, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            carrier = wait_until(lambda pid=client.pid: processes.children_of(pid), what="gpusched-tls")[0]
            client.send_signal(signal.SIGINT)
            assert client.wait(timeout=60) == -signal.SIGINT, words
            wait_until(lambda carrier=carrier: not os.path.exists(f"/proc/{carrier}"), what="its end")
    box.run("cancel", job)


def test_a_token_goes_to_no_strangers_port(box):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be another user")
    listens = ("import socket,sys; s=socket.create_server(('127.0.0.1',0)); "
               "print(s.getsockname()[1],flush=True); s.settimeout(60); c,_=s.accept(); "
               "sys.stdout.write(c.recv(9999).decode()); sys.stdout.flush()")
    stranger = subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
                                 "/usr/bin/python3", "-c", listens], stdout=subprocess.PIPE, text=True)
    port = stranger.stdout.readline().strip()
    there = {"GPUSCHED_SERVER": f"http://127.0.0.1:{port}", "GPUSCHED_TOKEN": "gpst_secret"}
    done = far(box, "status", variables=there)
    assert done.returncode == 77 and "user 65534" in done.stderr and done.stderr.count("\n") == 1, done
    names = known_servers(box).parent / "servers.yaml"
    names.parent.mkdir(parents=True, exist_ok=True)
    names.write_text(f"near: {{server: 'http://127.0.0.1:{port}', insecure: true}}\n")
    done = far(box, "status", variables={**there, "GPUSCHED_SERVER": "near"})
    assert "Authorization: Bearer gpst_secret" in stranger.communicate(timeout=60)[0], done
    names.unlink()
