"""Logs: followed live, split, limited with the middle dropped; and the queue's own copies."""

import os
import shutil
import sqlite3
import subprocess
import threading

import pytest
from live_daemon import LiveDaemon, wait_until

LIMITED = "jobs: {log_limit: 256K, grace: 1s}\nhost: {cpus: 64}\n"


def test_follow_ends_with_the_job(running, tmp_path):
    go = tmp_path / "go"
    job = running.submit("--gpus", "0", "--cmd", f"echo one; while [ ! -e {go} ]; do sleep 0.02; done; "
                         "echo two")
    follower = subprocess.Popen([running.programs / "gpusched", "logs", "-f", str(job)],
                                env=running.environment(), stdout=subprocess.PIPE)
    assert follower.stdout.readline() == b"one\n"
    go.touch()
    rest, _ = follower.communicate(timeout=30)
    assert (rest, follower.returncode) == (b"two\n", 0)


def test_follow_begins_before_the_job_does(running):
    job = running.submit("--gpus", "0", "--hold", "--cmd", "echo late; exit 3")
    follower = subprocess.Popen([running.programs / "gpusched", "logs", "-f", str(job)],
                                env=running.environment(), stdout=subprocess.PIPE)
    running.run("release", job)
    said, _ = follower.communicate(timeout=30)
    assert said == b"late\n"


def test_follow_goes_on_across_a_restart(own, tmp_path):
    go = tmp_path / "go"
    job = own.submit("--gpus", "0", "--cmd", f"echo one; while [ ! -e {go} ]; do sleep 0.02; done; "
                     "echo two")
    follower = subprocess.Popen([own.programs / "gpusched", "logs", "-f", str(job)],
                                env=own.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert follower.stdout.readline() == b"one\n"
    own.kill()
    own.start()
    go.touch()
    rest, said = follower.communicate(timeout=60)
    assert (rest, follower.returncode) == (b"two\n", 0), said


def test_the_last_lines(running):
    job = running.submit("--gpus", "0", "--cmd", "seq 1 1000")
    running.ended(job)
    assert running.logs(job, "-n", 2) == b"999\n1000\n"
    assert running.logs(job) == b"".join(b"%d\n" % n for n in range(1, 1001))


def test_output_and_error_paths(running, tmp_path):
    job = running.submit("--gpus", "0", "--cwd", tmp_path, "--output", "out", "--error", "err", "--cmd",
                         "echo to out; echo to err >&2")
    running.ended(job)
    assert (tmp_path / "out").read_text() == "to out\n"
    assert (tmp_path / "err").read_text() == "to err\n"
    assert running.logs(job) == b"to out\n"
    assert running.logs(job, "--stderr") == b"to err\n"
    # Appended to, never cut off: two jobs may share a file.
    merged = running.submit("--gpus", "0", "--output", tmp_path / "out", "--cmd", "echo again >&2")
    running.ended(merged)
    assert (tmp_path / "out").read_text() == "to out\nagain\n"


def test_a_path_that_cannot_be_opened(running, tmp_path):
    job = running.submit("--gpus", "0", "--output", tmp_path / "no/such/place", "--", "true")
    ended = running.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "launch")
    assert "no/such/place" in ended["message"]


def test_a_pipe_that_nobody_reads(running, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    job = running.submit("--gpus", "0", "--output", tmp_path / "pipe", "--", "true")
    ended = running.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "launch")
    assert "a pipe that nobody reads" in ended["message"]


def test_bytes_are_served_as_they_were_written(running):
    job = running.submit("--gpus", "0", "--", "/usr/bin/python3", "-c",
                         "import os; os.write(1, bytes(range(256)) * 300)")
    running.ended(job)
    assert running.logs(job) == bytes(range(256)) * 300


def test_a_log_past_its_limit_loses_its_middle(programs, tmp_path):
    go = tmp_path / "go"
    with LiveDaemon(programs, config=LIMITED) as daemon:
        job = daemon.submit("--gpus", "0", "--", "/usr/bin/python3", "-c",
                            "import os, select\n"
                            "write = lambda n: os.write(1, b'%06d ' % n + b'x' * 8192 + b'\\n')\n"
                            "for n in range(400): write(n)\n"
                            f"while not os.path.exists('{go}'): select.select([], [], [], 0.02)\n"
                            "write(400)\n")
        log = daemon.state / "jobs" / str(job) / "1" / "log"
        wait_until(lambda: log.exists() and b"000399 x" in log.read_bytes() and
                   log.stat().st_blocks * 512 < 300 << 10, what="the cut")
        go.touch()
        assert daemon.ended(job)["exit_code"] == 0
        kept = daemon.logs(job)
        assert kept.startswith(b"000000 x") and kept.endswith(b"x\n") and b"\n000400 x" in kept
        assert b"\n000200 x" not in kept and len(kept) < 300 << 10
        # It says so, in words, where the middle was.
        remarks = [line for line in kept.splitlines() if b"x" * 20 not in line and line]
        assert len(remarks) == 1 and b"gpusched" in remarks[0], remarks
        assert daemon.logs(job, "-n", 1).startswith(b"000400 x")


def test_backup_and_restore(programs, tmp_path):
    """As docs/guide/administer.md says."""
    with LiveDaemon(programs) as daemon:
        done = daemon.submit("--gpus", "0", "--cmd", "exit 3")
        daemon.ended(done)
        waiting = daemon.submit("--hold", "--env", "WORD=kept", "--cmd", "echo $WORD")
        daemon.run("backup", tmp_path / "copy")
        after = daemon.submit("--gpus", "0", "--hold", "--", "true")
        again = daemon.run("backup", tmp_path / "copy", check=False)
        assert again.returncode != 0 and again.stderr.count("\n") == 1
        events = daemon.run("events", done).stdout
        daemon.process.terminate()
        assert daemon.process.wait(timeout=30) == 0
        (daemon.state / "before").mkdir()
        for file in daemon.state.glob("gpusched.db*"):
            file.rename(daemon.state / "before" / file.name)
        shutil.copy(tmp_path / "copy", daemon.state / "gpusched.db")
        daemon.start()
        assert daemon.job(done)["exit_code"] == 3
        assert daemon.run("events", done).stdout == events
        assert daemon.run("show", after, check=False).returncode == 66
        daemon.run("release", waiting)
        assert daemon.ended(waiting)["exit_code"] == 0
        assert daemon.logs(waiting) == b"kept\n"


def test_backup_while_work_goes_on(own, tmp_path):
    over = threading.Event()

    def submit():
        while not over.is_set():
            own.run("submit", "--gpus", "0", "--array", "0-20", "--", "true", check=False)
    thread = threading.Thread(target=submit)
    thread.start()
    try:
        for number in range(3):
            own.run("backup", tmp_path / str(number))
    finally:
        over.set()
        thread.join()
    for number in range(3):
        database = sqlite3.connect(tmp_path / str(number))
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()
    assert os.stat(tmp_path / "0").st_mode & 0o077 == 0, "environments are in there"


@pytest.mark.parametrize("verb,word", [("status", b"failed"), ("events", b"exit code 3")])
def test_followers_come_back_after_a_restart(own, verb, word):
    follower = subprocess.Popen([own.programs / "gpusched", verb, "-f"], env=own.environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    os.set_blocking(follower.stdout.fileno(), False)
    shown = b""

    def shows(wanted):
        nonlocal shown
        shown += follower.stdout.read() or b""
        return wanted in shown
    try:
        # A follower shows what happens once it listens; that it does is seen by what it shows.
        wait_until(lambda: own.run("submit", "--gpus", "0", "--", "true") and shows(b"completed"),
                   what="the first job")
        own.kill()
        own.start()
        own.run("submit", "--gpus", "0", "--cmd", "exit 3")
        wait_until(lambda: shows(word), what="the second job")
    finally:
        follower.terminate()
        follower.wait(timeout=30)
