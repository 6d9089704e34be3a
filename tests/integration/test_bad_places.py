"""State directories, sockets, stores and disks that are not as they should be."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess

import pytest
from live_daemon import LiveDaemon, remove_tree, wait_until

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root can mount and drop privileges")


def refused(daemon, *words, prefix=()):
    """Starts a daemon that must end by itself, with one sentence and an exit code."""
    done = subprocess.run([*prefix, daemon.programs / "gpuschedd", *daemon.arguments, *map(str, words)],
                          capture_output=True, text=True, env=daemon.environment(), timeout=60, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("gpuschedd: ")]
    assert len(lines) == 1 and "Sanitizer" not in done.stderr, done.stderr
    return done.returncode, lines[0]


@pytest.fixture
def stopped(programs):
    """A daemon that is set up and not started."""
    daemon = LiveDaemon(programs)
    yield daemon
    daemon.stop()
    daemon._directory.cleanup()


def test_two_daemons_on_one_state_directory(own):
    job = own.submit("--gpus", "0", "--hold", "--", "true")
    code, words = refused(own, "--socket", own.directory / "other")
    assert code == 65 and str(own.process.pid) in words and str(own.state) in words
    assert own.job(job)["state"] == "held"
    # Same directory by another name.
    (own.directory / "link").symlink_to(own.state)
    code, _ = refused(own, "--state-dir", own.directory / "link", "--socket", own.directory / "other")
    assert code == 65


def test_two_daemons_on_one_state_directory_whose_lock_was_deleted(own):
    (own.state / "daemon.lock").unlink()
    code, words = refused(own, "--socket", own.directory / "other")
    assert code == 65 and str(own.state) in words


def test_two_daemons_on_one_socket(own):
    code, words = refused(own, "--state-dir", own.directory / "second")
    assert code == 65 and str(own.socket) in words
    assert own.run("status").returncode == 0


def test_a_socket_left_by_a_killed_daemon_is_replaced(own):
    own.kill()
    assert own.socket.exists()
    own.start()


def test_what_is_in_the_way_of_the_socket_is_not_removed(stopped):
    stopped.socket.write_text("a file of somebody's")
    code, words = refused(stopped)
    assert code == 65 and str(stopped.socket) in words
    assert stopped.socket.read_text() == "a file of somebody's"


def test_a_socket_path_that_is_too_long(stopped):
    path = stopped.directory / ("x" * 120)
    code, words = refused(stopped, "--socket", path)
    assert code == 64 and "107" in words and str(path) in words


@root_only
def test_a_state_directory_without_permission(stopped):
    stopped.directory.chmod(0o755)
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    places = stopped.directory / "bin"
    places.mkdir()
    for program in stopped.programs.glob("gpusched*"):
        shutil.copy(program, places)
    stopped.programs = places
    stopped.state.mkdir(mode=0o700)
    code, words = refused(stopped, prefix=drop)
    assert code in (74, 77) and str(stopped.state) in words
    code, words = refused(stopped, "--state-dir", "/proc/here", prefix=drop)
    assert code in (74, 77) and "/proc/here" in words


def test_a_state_directory_that_is_a_file(stopped):
    stopped.state.write_text("")
    code, words = refused(stopped)
    assert code == 74 and str(stopped.state) in words


def test_settings_that_are_wrong(stopped):
    for words, code, said in (
            (("--sim", "lots"), 64, "lots"), (("--sim", "0x24G"), 64, "0x24G"),
            (("--log-level", "loud"), 64, "loud"), (("--config", "/nonexistent"), 66, "/nonexistent"),
            (("--colour",), 64, "--colour")):
        got, sentence = refused(stopped, *words)
        assert got == code and said in sentence, (words, got, sentence)
    file = stopped.directory / "bad.yaml"
    file.write_text("jobs:\n  grase: 5s\n")
    code, sentence = refused(stopped, "--config", file)
    assert code in (64, 65, 78) and "grase" in sentence and "grace" in sentence and ":2:" in sentence


def damage_header(path):
    with open(path, "r+b") as file:
        file.write(b"\0" * 100)


def damage_pages(path):
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(os.path.getsize(path) - 4096))


def truncate(path):
    os.truncate(path, 2000)


def make_newer(path):
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 999")
    database.commit()
    database.close()


def remove(path):
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name):
            os.remove(name)


def make_empty(path):
    remove(path)
    open(path, "wb").close()


@pytest.mark.parametrize("harm,words", [
    (damage_header, []), (damage_pages, []), (truncate, []), (make_newer, ["newer"]), (remove, []),
    (make_empty, [])], ids=lambda v: getattr(v, "__name__", ""))
def test_a_store_that_cannot_be_trusted(programs, harm, words):
    """A clear refusal, never a silent fresh start; what is there stays as it is."""
    with LiveDaemon(programs) as daemon:
        daemon.run("submit", "--hold", "--array", "0-299", "--", "true")
        daemon.process.terminate()
        daemon.process.wait(timeout=30)
        store = daemon.state / "gpusched.db"
        copies = {p.name: p.read_bytes() for p in daemon.state.glob("gpusched.db*")}
        harm(str(store))
        harmed = store.read_bytes() if store.exists() else None
        code, sentence = refused(daemon)
        assert code in (65, 69, 70, 74) and "gpusched.db" in sentence, sentence
        for word in words:
            assert word in sentence
        assert (store.read_bytes() if store.exists() else None) == harmed
        # With the right one back in place all is well.
        remove(str(store))
        for name, content in copies.items():
            (daemon.state / name).write_bytes(content)
        daemon.start()
        assert len(daemon.jobs()) == 300


@pytest.mark.parametrize("spoil", [
    lambda p: (p / "claim").write_bytes(b"\xff" * 5000), lambda p: (p / "claim").write_text(""),
    lambda p: (p / "claim").write_text("version=1\nby=shim\npid=4194304\nend=1\n"),
    lambda p: ((p / "claim").unlink(), (p / "claim").symlink_to("/etc/passwd")),
    lambda p: ((p / "claim").unlink(), (p / "claim").mkdir()),
    lambda p: (p / "status").write_text("version=1\npid=1\nend=1\n"),
    lambda p: (p / "status").write_text("version=99\npid=x\n"),
    lambda p: (p / "exit").write_text("version=1\ncause=exit\nexit_code=0\n"),
    lambda p: (p / "exit").write_text("x" * 1_000_000),
    lambda p: ((p / "exit").symlink_to("/dev/zero")),
    remove_tree, lambda p: (remove_tree(p), p.write_text("a file")),
], ids=["claim noise", "claim empty", "claim of nobody", "claim a link", "claim a directory",
        "status of init", "status newer", "exit cut off", "exit large", "exit a link", "no directory",
        "directory a file"])
def test_a_spoilt_job_directory(programs, spoil):
    """While no daemon runs, something overwrites the records of a running job. The daemon starts, ends
    what it cannot trust, harms nobody else, and goes on."""
    with LiveDaemon(programs, config="jobs: {grace: 0s}\nhost: {cpus: 8}\n") as daemon:
        job = daemon.submit("--gpus", "0", "--", "sleep", "600")
        other = daemon.submit("--gpus", "0", "--cmd", f"while [ ! -e {daemon.directory}/go ]; do sleep "
                              "0.02; done; exit 5")
        daemon.wait_for(job, "running")
        daemon.wait_for(other, "running")
        shim = daemon.shim_of(job)
        # What is only seen is written with the next change that somebody waits for: then it is known
        # to run, and a lost directory does not mean that it never began.
        daemon.submit("--hold", "--", "true")
        daemon.kill()
        spoil(daemon.state / "jobs" / str(job) / "1")
        daemon.start()
        (daemon.directory / "go").touch()
        assert daemon.ended(other)["exit_code"] == 5
        assert daemon.run("run", "--gpus", "0", "--", "echo", "fine", stdin=subprocess.DEVNULL
                          ).stdout == "fine\n"
        daemon.run("cancel", job)
        # That it runs may not have been on disk yet when the daemon was killed.
        if daemon.job(job)["state"] in ("starting", "running"):
            os.kill(shim, signal.SIGKILL)
        ended = daemon.ended(job)
        assert ended["state"] in ("cancelled", "failed") and ended["attempt"] == 1


def test_a_daemon_without_files_left_goes_on(programs):
    """Too few descriptors for all clients: the others are served once some leave."""
    with LiveDaemon(programs, prefix=["sh", "-c", "ulimit -n 40; exec \"$@\"", "sh"]) as daemon:
        clients = []
        try:
            for _ in range(60):
                clients.append(socket.socket(socket.AF_UNIX))
                clients[-1].settimeout(1)
                clients[-1].connect(str(daemon.socket))
        finally:
            for client in clients:
                client.close()
        wait_until(daemon.answers, what="an answer")
        assert daemon.run("run", "--gpus", "0", "--", "echo", "ok", stdin=subprocess.DEVNULL).stdout == "ok\n"
