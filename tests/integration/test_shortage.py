"""A machine that runs short of something, and places that somebody removes under a living daemon."""

import os
import signal
import subprocess
from pathlib import Path

import processes
import pytest
from live_daemon import ROOMY, LiveDaemon, remove_tree, wait_until

# Root could raise any limit; without this one capability it is like everybody else.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-sys_resource"] if os.getuid() == 0 else []


def few_descriptors(number):
    return ["prlimit", f"--nofile={number}:{number}", *WITHOUT_RIGHTS]


def test_too_few_descriptors_end_no_running_job(programs):
    with LiveDaemon(programs, config=ROOMY.replace("64", "500"), prefix=few_descriptors(100)) as daemon:
        go = daemon.directory / "go"
        daemon.run("submit", "--gpus", "0", "--array", "0-119", "--cmd",
                   f"while [ ! -e {go} ]; do sleep 0.2; done; exit 0")
        wait_until(lambda: daemon.http("GET", "/v1/jobs?state=running").json()["jobs"],
                   what="the first running job")
        waiting = wait_until(lambda: [job for job in daemon.jobs() if job["state"] == "queued"
                                      and "open files" in job.get("reason", "")],
                             what="a job that waits for descriptors")
        said = daemon.run("explain", waiting[0]["id"]).stdout
        assert "jobs run at once" in said and "LimitNOFILE" in said
        go.touch()
        wait_until(lambda: {job["state"] for job in daemon.jobs()} == {"completed"}, 120,
                   "the end of all jobs")
        assert {(job["exit_code"], job["attempt"]) for job in daemon.jobs()} == {(0, 1)}


def test_the_daemon_takes_the_descriptors_it_may_have_and_jobs_get_theirs(programs):
    prefix = ["prlimit", "--nofile=300:900", *WITHOUT_RIGHTS]
    with LiveDaemon(programs, config=ROOMY, prefix=prefix) as daemon:
        limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
        assert [line.split()[3:5] for line in limits.splitlines() if "open files" in line] == [["900", "900"]]
        # Without limits of a submitter's own: what is sent by hand has none.
        answer = daemon.http("POST", "/v1/jobs", {
            "command": ["sh", "-c", "ulimit -Sn; ulimit -Hn; env | grep -c GPUSCHED_DESCRIPTORS"],
            "working_directory": "/", "environment": [f"PATH={os.environ['PATH']}"], "gpus": 0})
        job = answer.json()["first"]
        daemon.ended(job)
        assert daemon.logs(job).split() == [b"300", b"900", b"0"]


class PidLimit:
    """A control group that holds a daemon and its jobs to a number of processes and threads."""

    def __init__(self):
        mount = Path("/sys/fs/cgroup/pids")
        if not mount.is_dir():
            mount = Path("/sys/fs/cgroup")
        self.path = mount / f"gpusched-test-{os.getpid()}"
        try:
            self.path.mkdir()
        except OSError:
            pytest.skip("no control group for processes here")
        if not (self.path / "pids.max").exists():
            self.path.rmdir()
            pytest.skip("no pids controller here")

    def enter(self):
        return ["sh", "-c", f"echo $$ > {self.path}/cgroup.procs && exec \"$@\"", "sh"]

    def used(self):
        return int((self.path / "pids.current").read_text())

    def set(self, most):
        (self.path / "pids.max").write_text(str(most))

    def remove(self):
        def gone():
            try:
                self.path.rmdir()
            except OSError:
                return False
            return True
        wait_until(gone, what="an empty control group")


@pytest.fixture
def pid_limit():
    limit = PidLimit()
    yield limit
    limit.remove()


def test_at_a_limit_of_processes_the_daemon_lives_and_jobs_are_tried_again(programs, pid_limit):
    # Of our own groups only this one: where they are the same, a job would leave it.
    daemon = LiveDaemon(programs, config=ROOMY, prefix=pid_limit.enter())
    with daemon:
        spared = wait_until(lambda: [pid for pid in processes.all_pids() if processes.read_proc(
            pid, "comm") == b"gpusched-spare\n" and processes.parent_of(pid) == daemon.launcher()],
            what="a spare shim")
        assert spared
        pid_limit.set(pid_limit.used())
        # A shim is there already: it is the command's own process that is not to be had.
        job = daemon.submit("--gpus", "0", "--cmd", "exit 5")
        wait_until(lambda: any("cannot start a process" in entry["text"]
                               for entry in daemon.http("GET", f"/v1/jobs/{job}/events").json()["events"]),
                   what="the failed try")
        # What the daemon does in a thread of its own, for the first time.
        big = {"command": ["true"], "working_directory": "/", "hold": True, "gpus": 0,
               "environment": [f"A{i}={'x' * 1000}" for i in range(200)]}
        assert daemon.http("POST", "/v1/jobs", big).status == 200
        assert daemon.process.poll() is None
        pid_limit.set("max")
        assert daemon.ended(job)["exit_code"] == 5
        assert daemon.job(job)["attempt"] > 1


def test_a_removed_socket_is_made_again(own):
    own.socket.unlink()
    wait_until(own.socket.exists, what="the socket")
    wait_until(own.answers, what="an answer")
    job = own.submit("--gpus", "0", "--", "true")
    assert own.ended(job)["state"] == "completed"


def test_something_else_in_the_place_of_the_socket_is_left_alone(own):
    own.socket.unlink()
    own.socket.write_text("mine")
    wait_until(lambda: "is not a socket" in own.log(), what="the complaint")
    assert own.socket.read_text() == "mine"
    own.socket.unlink()
    wait_until(own.answers, what="an answer")


def test_the_directory_of_all_jobs_is_made_again(own):
    first = own.submit("--gpus", "0", "--", "true")
    own.ended(first)
    remove_tree(own.state / "jobs")
    job = own.submit("--gpus", "0", "--cmd", "echo here; exit 4")
    assert own.ended(job)["exit_code"] == 4
    assert own.logs(job) == b"here\n"


def test_a_job_whose_directory_was_removed_ends(either):
    job = either.submit("--gpus", "0", "--cmd", "sleep 600")
    either.wait_for(job, "running")
    shim = either.shim_of(job)
    either.submit("--hold", "--gpus", "0", "--", "true")  # That it runs is on disk with this at the latest.
    either.kill()
    remove_tree(either.state / "jobs" / str(job))
    either.start()
    ended = either.ended(job)
    assert "job directory" in ended["message"]
    wait_until(lambda: not processes.is_running(shim), what="the end of the shim")


def test_a_removed_control_socket_of_a_job_is_made_again(own):
    job = own.submit("--gpus", "0", "--", "sleep", "600")
    own.wait_for(job, "running")
    (own.state / "jobs" / str(job) / "1" / "control").unlink()
    own.run("cancel", job, "--grace", "0")
    assert own.ended(job)["state"] == "cancelled"


def test_a_clean_stop_leaves_no_control_group(programs):
    daemon = LiveDaemon(programs, config=ROOMY)
    with daemon:
        base = daemon.cgroup()
        if base is None or not base.name.startswith("gpusched-"):
            pytest.skip("no control group of our own here")
        job = daemon.submit("--gpus", "0", "--", "true")
        daemon.ended(job)
        daemon.process.terminate()
        assert daemon.process.wait(timeout=30) == 0
        assert not base.exists()
        daemon.start()
        job = daemon.submit("--gpus", "0", "--", "sleep", "600")
        daemon.wait_for(job, "running")
        daemon.process.terminate()
        daemon.process.wait(timeout=30)
        assert (base / "jobs").is_dir(), "jobs run on in there"
        daemon.start()
        assert daemon.job(job)["state"] == "running"


def test_a_move_that_was_killed_half_way_waits_for_a_process_to_go_on(programs, pid_limit):
    """What a mover has begun only a mover can end: the job is not taken for one that nobody touched."""
    config = ROOMY + "watch: {busy_period_ms: 100, idle_period_ms: 100}\nmaking_room: {ram_reserve: 64M}\n"
    with LiveDaemon(programs, config=config, prefix=pid_limit.enter()) as daemon:
        steps = daemon.directory / "steps"
        job = daemon.submit("--", programs / "gpusched-simjob", "--vram", "4G", "--ramp", "0s",
                            "--seconds", "0", "--steps-file", steps)
        wait_until(lambda: daemon.job(job)["estimate"]["used_vram_bytes"], what="a look at its memory")
        subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world",
                        "checkpoint_fixed_ms=1000"], check=True)
        daemon.run("pause", job)

        def mover():
            record = daemon.state / "jobs" / str(job) / "1" / "move"
            found = [pid for pid in processes.all_pids()
                     if processes.read_proc(pid, "comm") == b"gpusched-mover\n"
                     and str(daemon.state).encode() in processes.read_proc(pid, "cmdline")]
            return found if record.exists() else None
        [pid] = wait_until(mover, what="a mover that has begun")
        pid_limit.set(1)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: "has begun and cannot go on yet" in daemon.log(), what="a word about it")
        assert daemon.job(job)["state"] == "pausing"
        pid_limit.set("max")
        assert daemon.wait_for(job, "paused")["aside"]["mechanism"] == "checkpoint"
        daemon.run("resume", job)
        daemon.wait_for(job, "running")
        before = steps.read_text()
        wait_until(lambda: steps.read_text() not in ("", before), what="another step")
