"""Jobs that save themselves (docs/checkpoint.md): asked by their shim, sent home, and back again."""

import json
import os
import socket
import struct

import pytest
from live_daemon import ROOMY, ROOT, LiveDaemon, wait_until

SAVED = 75
SAVE_COMMAND = 16  # Its place in ControlMessage, src/jobdir/control_protocol.h.
# Counts the files of its attempts in its directory; asked, it saves and ends.
COUNTS = ('trap \'echo saving; touch "$GPUSCHED_CHECKPOINT_DIR/saved.$GPUSCHED_ATTEMPT"; exit 75\' USR1; '
          'echo "resume=${GPUSCHED_RESUME:-no} grace=$GPUSCHED_GRACE signal=$GPUSCHED_CHECKPOINT_SIGNAL"; '
          '[ -n "${GPUSCHED_RESUME:-}" ] && exit 0; while :; do sleep 0.05; done')


@pytest.fixture(scope="module")
def running(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def ask_to_save(daemon, job, signal=10, grace=60, stop_grace=1, attempt=1):
    """What the daemon says to a shim when somebody more important needs the card."""
    directory = os.open(daemon.state / "jobs" / str(job) / str(attempt), os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
            line.settimeout(10)
            line.connect(f"/proc/self/fd/{directory}/control")
            line.send(struct.pack("<BBIqq", 1, SAVE_COMMAND, signal, grace, stop_grace))
            answer = line.recv(1024)
    finally:
        os.close(directory)
    assert answer[1] == 10, answer


def says(daemon, job, words):
    wait_until(lambda: words.encode() in daemon.logs(job, "--attempt", 1), what=f"'{words}' of job {job}")


def trail_of(daemon, job):
    return daemon.run("events", job).stdout


def test_asked_it_saves_and_goes_on_in_its_next_attempt(running):
    job = running.submit("--gpus", "0", "--checkpoint=USR1@90", "--cmd", COUNTS)
    says(running, job, "resume=no grace=90 signal=10")
    ask_to_save(running, job)
    ended = running.ended(job)
    assert (ended["state"], ended["attempt"], ended["failures"]) == ("completed", 2, 0)
    assert ended["checkpoint"] == {"signal": 10, "grace_s": 90} and ended["saved_attempt"] == 1
    assert b"resume=1 grace=90" in running.logs(job)
    assert "saved its work; goes on in its next attempt" in trail_of(running, job)
    assert "1m 30s to save; attempt 1 saved" in running.run("show", job).stdout


def test_who_cannot_save_is_not_killed_by_the_signal_but_by_the_grace(running):
    job = running.submit("--gpus", "0", "--checkpoint", "--cmd", "echo up; exec sleep 600")
    says(running, job, "up")
    ask_to_save(running, job, grace=1)
    ended = running.ended(job)
    assert (ended["state"], ended["cause"], ended["signal"]) == ("failed", "signal", 15)


def test_what_was_saved_is_known_after_a_crash_of_the_daemon(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        job = daemon.submit("--gpus", "0", "--checkpoint=none@60", "--cmd",
                            'echo up; [ -n "${GPUSCHED_RESUME:-}" ] && exit 0; '
                            'while [ ! -e "$GPUSCHED_CHECKPOINT_REQUEST" ]; do sleep 0.05; done; exit 75')
        says(daemon, job, "up")
        daemon.kill()
        ask_to_save(daemon, job, signal=0)
        wait_until((daemon.state / "jobs" / str(job) / "1" / "exit").exists, what="the exit record")
        daemon.start()
        assert (daemon.ended(job)["state"], daemon.job(job)["attempt"]) == ("completed", 2)
        daemon.kill()
        daemon.start()
        assert daemon.job(job)["saved_attempt"] == 1


def test_who_saves_right_after_each_start_has_to_wait(running):
    job = running.submit("--gpus", "0", "--checkpoint", "--back-off", "10m", "--cmd", "exit 75")
    waiting = wait_until(lambda: (found := running.job(job))["retry_at"] and found, what="the pause")
    assert (waiting["state"], waiting["attempt"], waiting["failures"]) == ("queued", 2, 0)
    assert "because it saves right after each start" in trail_of(running, job)
    running.run("cancel", job)


def test_the_code_alone_means_nothing(running):
    job = running.submit("--gpus", "0", "--cmd", "exit 75")
    ended = running.ended(job)
    assert (ended["state"], ended["exit_code"], ended["checkpoint"]) == ("failed", SAVED, None)


def test_the_directory_goes_with_the_job_and_not_before(running):
    job = running.submit("--gpus", "0", "--checkpoint", "--cmd", COUNTS)
    says(running, job, "resume=no")
    ask_to_save(running, job)
    running.ended(job)
    place = running.state / "jobs" / str(job) / "checkpoint"
    assert sorted(p.name for p in place.iterdir()) == ["saved.1"]
    assert place.stat().st_uid == os.geteuid() and place.stat().st_mode & 0o777 == 0o700


def test_scripts_and_job_files_can_say_it(running, tmp_path):
    script = tmp_path / "train.sh"
    script.write_text(f"#!/bin/sh\n#GPUSCHED --gpus 0 --checkpoint=USR2@30\necho $GPUSCHED_GRACE\n")
    job = running.submit(script)
    assert running.ended(job)["checkpoint"] == {"signal": 12, "grace_s": 30}
    described = tmp_path / "job.yaml"
    for text, expected in (("true", {"signal": 10, "grace_s": 60}),
                           ("none@5m", {"signal": 0, "grace_s": 300})):
        described.write_text(f"command: [env]\ngpus: 0\ncheckpoint: {text}\n")
        assert running.ended(running.submit("--file", described))["checkpoint"] == expected
    assert b"GPUSCHED_CHECKPOINT_SIGNAL" not in running.logs("last")


@pytest.mark.parametrize("value, sentence", [
    ("FOO", "--checkpoint: there is no signal 'FOO'; write USR1@60"),
    ("KILL", "--checkpoint: there is no signal 'KILL'"),
    ("9", "--checkpoint: no program can catch 9; write USR1"),
    ("USR1@soon", "--checkpoint: "),
])
def test_nonsense_is_refused_with_a_sentence(running, value, sentence):
    said = running.run("submit", f"--checkpoint={value}", "--", "true", check=False)
    assert said.returncode == 64 and sentence in said.stderr


@pytest.mark.parametrize("value, sentence", [
    ({"signal": 19}, "checkpoint.signal must be one that a program can catch"),
    ({"signal": 65}, "checkpoint.signal must be from 0 to 64"),
    ({"after_s": 5}, "checkpoint.after_s"), ("USR1", "checkpoint"),
])
def test_nonsense_in_the_api_is_refused_with_a_sentence(running, value, sentence):
    body = {"command": ["true"], "working_directory": "/", "environment": [], "checkpoint": value}
    answer = running.http("POST", "/v1/jobs", json.dumps(body).encode())
    assert answer.status == 400 and sentence in answer.error()["message"]


def test_a_lease_has_no_checkpoint(running):
    answer = running.http("POST", "/v1/leases", json.dumps({"gpus": 1, "checkpoint": {}}).encode())
    assert answer.status == 400 and "checkpoint" in answer.error()["message"]


def test_in_the_foreground_the_terminal_is_that_of_the_next_attempt_too(running):
    # The first attempt reads a line, so it cannot be over before this client is its terminal.
    done = running.run("run", "--gpus", "0", "--checkpoint", "--cmd",
                       'first=; [ -n "${GPUSCHED_RESUME:-}" ] || { first=1; read -r line; }; '
                       'echo "attempt $GPUSCHED_ATTEMPT"; [ -z "$first" ] || exit 75', input="go\n")
    assert done.stdout == "attempt 1\nattempt 2\n"


def test_in_the_foreground_nothing_is_missed_of_a_first_attempt_that_is_over_at_once(running):
    for _ in range(5):
        done = running.run("run", "--gpus", "0", "--checkpoint", "--back-off", "0", "--cmd",
                           'echo "attempt $GPUSCHED_ATTEMPT"; [ -n "${GPUSCHED_RESUME:-}" ] || exit 75')
        assert done.stdout == "attempt 1\nattempt 2\n"


def test_the_python_package_in_a_real_job(running, tmp_path):
    program = tmp_path / "train.py"
    program.write_text("""
import threading, gpusched
place = gpusched.checkpoint_directory() / "step"
step = int(place.read_text()) if gpusched.resuming() else 0
with gpusched.saving(lambda: place.write_text(str(step))):
    print("begins at", step, flush=True)
    while step < (1000 if not gpusched.resuming() else step):
        threading.Event().wait(0.05)
        step += 1
        if gpusched.checkpoint_requested():
            print("has", 0 < gpusched.time_remaining() <= 60, flush=True)
        gpusched.step(step, 1000)
print("done")
""")
    job = running.submit("--gpus", "0", "--checkpoint", "--env", f"PYTHONPATH={ROOT / 'python'}", "--",
                         "/usr/bin/python3", program)
    says(running, job, "begins at 0")
    wait_until(lambda: running.job(job)["progress"], what="its progress")
    ask_to_save(running, job)
    assert running.ended(job)["state"] == "completed"
    assert b"has True" in running.logs(job, "--attempt", 1)
    assert b"done" in running.logs(job)
