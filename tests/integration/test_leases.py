"""Leases: cards for processes that people bring themselves, held by a process or a connection."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FAST = ROOMY + "\nwatch:\n  busy_period_ms: 200\n  idle_period_ms: 200\n  deadline_ms: 500\n"


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        yield daemon


@pytest.fixture
def holder():
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def ask(daemon, target="/v1/leases", **body):
    answer = daemon.http("POST", target, body)
    assert answer.status == 200, answer.body
    return answer.json()["lease"]


def show(daemon, lease):
    return daemon.http("GET", f"/v1/leases/{lease}").json()["lease"]


def state_is(daemon, lease, state, seconds=30):
    return wait_until(lambda: (one := show(daemon, lease))["state"] == state and one, seconds,
                      f"lease {lease} {state}")


def test_a_shell_holds_what_it_was_granted_and_gives_it_back(lab):
    script = ('eval "$(gpusched lease --gpus 2 --ttl 1h --name shell)"; '
              'echo "$CUDA_VISIBLE_DEVICES $GPUSCHED_LEASE_ID"; '
              'gpusched lease list; gpusched lease renew $GPUSCHED_LEASE_ID --ttl 2h; '
              'gpusched lease release $GPUSCHED_LEASE_ID; true')
    done = subprocess.run(["bash", "-c", script], env=lab.environment(), capture_output=True,
                          text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[0] == "0,1 1"
    assert done.stdout.splitlines()[1].startswith("1 running 0,1 ")
    ended = show(lab, 1)
    assert (ended["state"], ended["cause"], ended["message"]) == ("completed", "exit", "released")


def test_the_end_of_the_shell_is_the_end_of_its_lease(lab):
    subprocess.run(["bash", "-c", 'eval "$(gpusched lease)"; test "$CUDA_VISIBLE_DEVICES" = 0'],
                   env=lab.environment(), capture_output=True, timeout=60, check=True)
    ended = state_is(lab, 1, "completed")
    assert "has ended" in ended["message"]


def test_a_command_is_run_on_its_card_and_its_exit_code_comes_back(lab):
    done = lab.run("lease", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exit 7", check=False)
    assert (done.returncode, done.stdout.strip()) == (7, "0")
    state_is(lab, 1, "completed")


def test_a_command_that_does_not_exist_gives_the_card_back(lab):
    done = lab.run("lease", "--", "no-such-program", check=False)
    assert done.returncode == 66
    assert "no-such-program" in done.stderr
    state_is(lab, 1, "completed")


@pytest.mark.parametrize("end", ["cancel", "expire"])
def test_a_command_does_not_outlive_its_lease(lab, programs, end):
    """Nor do the processes that it has started; who waits for it hears why."""
    flags = ["--ttl", "1s"] if end == "expire" else []
    lease = subprocess.Popen(
        [programs / "gpusched", "lease", *flags, "--", "sh", "-c", "sleep 300 & echo $!; wait"],
        env=lab.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    inner = int(lease.stdout.readline())
    if end == "cancel":
        lab.run("cancel", "1")
    said = lease.communicate(timeout=60)[1]
    assert lease.returncode == -signal.SIGTERM
    assert "lease 1 has ended" in said and "ending sh" in said, said
    wait_until(lambda: not Path(f"/proc/{inner}").exists() or
               " Z " in Path(f"/proc/{inner}/stat").read_text(), what="the end of its child")


def test_a_command_goes_on_when_its_lease_is_given_back(lab, programs):
    """That is a wish of its own user, who is told."""
    with subprocess.Popen([programs / "gpusched", "lease", "--", "sh", "-c", "echo; read line; exit 3"],
                          env=lab.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as lease:
        lease.stdout.readline()
        lab.run("lease", "release", "1")
        assert "lease 1 was given back; sh goes on without it" in lease.stderr.readline()
        lease.communicate("\n", timeout=60)
        assert lease.returncode == 3


def test_a_lease_waits_for_a_job_and_a_job_for_a_lease(lab, holder):
    job = lab.submit("--gpus", "2", "--", "sleep", "600")
    lab.wait_for(job, "running")
    waiting = ask(lab, pid=holder.pid)
    assert waiting["state"] == "queued"
    assert f"job {job}" in waiting["reason"]
    assert waiting["position"] == 1
    lab.run("cancel", job)
    granted = lab.http("GET", f"/v1/leases/{waiting['id']}?wait_ms=20000").json()["lease"]
    assert granted["state"] == "running"
    both = lab.submit("--gpus", "2", "--", "true")
    assert f"job {granted['id']}" in lab.job(both)["reason"]
    lab.run("lease", "release", granted["id"])
    lab.wait_for(both, "completed")


def test_a_waiting_lease_is_given_up_in_time(lab, holder):
    first = ask(lab, pid=holder.pid, gpus=2)
    done = lab.run("lease", "--wait", "1s", "--pid", holder.pid, check=False)
    assert done.returncode == 75
    assert "not granted" in done.stderr
    assert show(lab, first["id"])["state"] == "running"


def test_time_to_live(lab, holder):
    lease = ask(lab, pid=holder.pid, ttl_s=1)
    assert lease["expires_at"]
    ended = state_is(lab, lease["id"], "failed")
    assert ended["cause"] == "timeout"


def test_a_lease_survives_the_daemon_while_its_process_lives(lab, holder):
    kept = ask(lab, pid=holder.pid)
    other = subprocess.Popen(["sleep", "600"])
    lost = ask(lab, pid=other.pid)
    lab.kill()
    other.kill()
    other.wait()
    lab.start()
    assert show(lab, kept["id"])["state"] == "running"
    state_is(lab, lost["id"], "completed")
    holder.kill()
    holder.wait()
    state_is(lab, kept["id"], "completed")


def stream(daemon, target, body=None):
    """A connection that holds a lease: the socket, and what its first line said."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(daemon.socket))
    text = json.dumps(body or {})
    connection.sendall(f"POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n"
                       f"{text}".encode())
    read = b""
    while b"}}\n" not in read:
        piece = connection.recv(65536)
        assert piece, read
        read += piece
    line = next(line for line in read.decode().splitlines() if line.startswith("{"))
    return connection, json.loads(line)["lease"]


def test_a_connection_that_comes_back_keeps_its_lease(lab):
    connection, lease = stream(lab, "/v1/leases", {"holder": "connection"})
    assert (lease["state"], lease["holder"]) == ("running", "connection")
    lab.kill()
    connection.close()
    lab.start()
    assert show(lab, lease["id"])["state"] == "running"
    again, same = stream(lab, f"/v1/leases/{lease['id']}/hold")
    assert same["id"] == lease["id"]
    lab.run("lease", "release", lease["id"])
    rest = b""
    while piece := again.recv(65536):
        rest += piece
        if b"0\r\n\r\n" in rest:
            break
    assert b'"completed"' in rest
    again.close()


def test_a_connection_that_does_not_come_back_loses_it(lab, long_run):
    if not long_run:
        pytest.skip("takes half a minute")
    connection, lease = stream(lab, "/v1/leases", {"holder": "connection"})
    connection.close()
    began = time.monotonic()
    ended = state_is(lab, lease["id"], "completed", 60)
    assert time.monotonic() - began > 25
    assert "did not come back" in ended["message"]


def test_what_the_holder_uses_is_its_leases(lab, programs):
    lease = subprocess.Popen(
        [programs / "gpusched", "lease", "--vram", "8G", "--", programs / "gpusched-simjob",
         "--vram", "6G", "--util", "50", "--seconds", "60"], env=lab.environment())
    try:
        def attributed():
            cards = lab.http("GET", "/v1/gpus").json()["cards"]
            seen = [p for p in cards[0].get("processes", []) if p.get("vram_bytes") == 6 << 30]
            return seen and seen[0].get("job") == 1 and cards[0]["foreign_bytes"] < 1 << 30
        wait_until(attributed, 30, "the process under its lease")
    finally:
        lease.kill()
        lease.wait()
    usage = state_is(lab, 1, "completed") and lab.job(1)["usage"]["gpu"]
    assert usage["peak_vram_bytes"] == 6 << 30


@pytest.mark.parametrize("body, status, words", [
    ({"pid": 4194303}, 404, "there is no process"),
    ({"gpus": 0}, 400, "a lease is of cards"),
    ({"gpus": 3}, 422, "only 2"),
    ({"holder": "me"}, 400, "holder"),
    ({"preempt": "sometimes"}, 400, "preempt"),
    ({"command": ["true"]}, 400, "command"),
    ({"holder": "connection", "pid": 1}, 400, "pid"),
])
def test_bad_requests_change_nothing(lab, body, status, words):
    answer = lab.http("POST", "/v1/leases", body)
    assert answer.status == status
    assert words in answer.json()["error"]["message"]
    assert lab.jobs() == []


def test_dry_runs_change_nothing(lab, holder):
    lab.run("lease", "--dry-run", "--pid", holder.pid)
    assert lab.jobs() == []
    lease = ask(lab, pid=holder.pid)
    lab.run("lease", "release", lease["id"], "--dry-run")
    lab.run("lease", "renew", lease["id"], "--ttl", "1s", "--dry-run")
    assert show(lab, lease["id"])["expires_at"] is None


def test_reset_ends_what_an_application_left(lab, holder):
    for name in ("trainer", "trainer", "other"):
        ask(lab, pid=holder.pid, application=name, vram_bytes=1 << 30)
    answer = lab.http("DELETE", "/v1/leases?application=trainer").json()
    assert answer["changed"] == [1, 2]
    assert show(lab, 3)["state"] == "running"
    assert lab.http("DELETE", "/v1/leases?application=trainer").json()["changed"] == []


def test_an_interrupted_wait_gives_the_lease_up(lab, holder):
    ask(lab, pid=holder.pid, gpus=2)
    waiting = subprocess.Popen([lab.programs / "gpusched", "lease", "--pid", str(holder.pid)],
                               env=lab.environment(), stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(lab.jobs()) == 2, what="the second lease")
    wait_until(lambda: "waits" in waiting.stderr.readline(), what="its word")
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(30) == 130
    waiting.stderr.close()
    state_is(lab, 2, "cancelled")


def test_a_pid_of_another_user_is_refused(lab):
    if os.geteuid() == 0:
        pytest.skip("root may name any process")
    answer = lab.http("POST", "/v1/leases", {"pid": 1})
    assert answer.status == 403
