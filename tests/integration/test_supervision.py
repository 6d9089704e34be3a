"""How a job's processes are ended: by a lost supervisor, by cancel, by time; nothing is left."""

import os
import signal
import uuid

import processes
import pytest
from live_daemon import remove_tree, wait_until

# A command with a child, a grandchild in a session of its own, and one that ignores TERM.
TREE = ("trap '' TERM; sleep 600 & (setsid sleep 600 &) ; "
        "setsid sh -c 'trap \"\" TERM; setsid sleep 600 & sleep 600' & echo up; wait; sleep 600")


@pytest.fixture
def mark():
    return f"GPUSCHED_TEST_MARK={uuid.uuid4()}"


def start_tree(daemon, mark, *flags):
    job = daemon.submit("--gpus", "0", "--env", mark, *flags, "--cmd", TREE)
    daemon.wait_for(job, "running")
    wait_until(lambda: len(processes.with_environment(mark)) >= 6, what="the whole tree")
    return job


def nothing_carries(mark):
    return not processes.with_environment(mark)


def words_in(log):
    """Without what the shell remarks about the signals that its children get, too."""
    words = log.decode().splitlines()
    return [word for word in words if word in ("up", "warned", "told", "tidied")]


def test_a_lost_shim_takes_its_tree_with_it(either, mark):
    job = start_tree(either, mark)
    os.kill(either.shim_of(job), signal.SIGKILL)
    ended = either.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "supervisor_lost")
    assert ended["exit_code"] is None
    assert nothing_carries(mark), "the end was told before the tree was gone"
    assert "supervisor" in ended["message"]
    assert either.run("wait", job, check=False).returncode not in (0, 124, 130)
    # Its place is free again.
    assert either.run("run", "--gpus", "0", "--", "true").returncode == 0


def test_a_shim_lost_while_no_daemon_runs(either, mark):
    job = start_tree(either, mark)
    shim = either.shim_of(job)
    either.kill()
    os.kill(shim, signal.SIGKILL)
    wait_until(lambda: not processes.is_running(shim), what="the shim's death")
    either.start()
    assert either.ended(job)["cause"] == "supervisor_lost"
    assert nothing_carries(mark)


def test_a_shim_whose_directory_was_removed_ends_with_its_command(own, mark):
    job = own.submit("--gpus", "0", "--env", mark, "--", "sleep", "600")
    own.wait_for(job, "running")
    shim = own.shim_of(job)
    own.kill()
    remove_tree(own.state / "jobs" / str(job))
    for pid in processes.with_environment(mark):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not processes.is_running(shim), what="the end of the shim")
    own.start()


def test_a_lost_shim_is_a_cause_for_a_retry_if_asked_for(running):
    job = running.submit("--gpus", "0", "--retries", "1:supervisor_lost", "--back-off", "0",
                         "--cmd", "test $GPUSCHED_ATTEMPT = 2 || sleep 600")
    running.wait_for(job, "running")
    os.kill(running.shim_of(job), signal.SIGKILL)
    ended = running.ended(job)
    assert (ended["state"], ended["attempt"]) == ("completed", 2)


def test_cancel_ends_a_tree_that_ignores_term(either, mark):
    job = start_tree(either, mark)
    either.run("cancel", job, "--grace", "1")
    assert either.ended(job)["state"] == "cancelled"
    assert nothing_carries(mark)
    if either.cgroup():
        assert not [p for p in (either.cgroup() / "jobs").iterdir() if p.is_dir()]


def test_grace_is_given_to_those_who_use_it(running):
    job = running.submit("--gpus", "0", "--grace", "60", "--cmd",
                         "trap 'echo tidied; exit 5' TERM; echo up; while :; do sleep 0.05; done")
    wait_until(lambda: b"up" in running.logs(job), what="the job's first words")
    running.run("cancel", job)
    ended = running.ended(job)
    assert (ended["state"], ended["exit_code"]) == ("cancelled", 5)
    assert words_in(running.logs(job)) == ["up", "tidied"]
    assert running.run("wait", job, check=False).returncode == 130


def test_what_the_command_leaves_behind_is_ended_with_it(either, mark):
    job = either.submit("--gpus", "0", "--env", mark, "--cmd",
                        "(setsid sleep 600 &); (setsid setsid sleep 600 &); exit 7")
    ended = either.ended(job)
    assert (ended["cause"], ended["exit_code"]) == ("exit", 7)
    assert nothing_carries(mark)


def test_time_limit_with_a_warning(running):
    job = running.submit("--gpus", "0", "--time", "3", "--signal", "USR1@2", "--grace", "1", "--cmd",
                         "trap 'echo warned' USR1; trap 'echo told' TERM; echo up; "
                         "while :; do sleep 0.05; done")
    ended = running.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "timeout")
    assert words_in(running.logs(job)) == ["up", "warned", "told"]
    assert running.run("wait", job, check=False).returncode == 124


def test_a_running_job_takes_a_new_time_limit(running):
    job = running.submit("--gpus", "0", "--cmd", "sleep 600")
    running.wait_for(job, "running")
    running.run("set", job, "--time", "1")
    assert running.ended(job)["cause"] == "timeout"


def test_time_goes_on_without_a_daemon(own):
    job = own.submit("--gpus", "0", "--time", "1", "--cmd", "sleep 600")
    own.wait_for(job, "running")
    own.kill()
    wait_until((own.state / "jobs" / str(job) / "1" / "exit").exists, what="the exit record")
    own.start()
    assert own.ended(job)["cause"] == "timeout"


def test_running_jobs_are_found_again_with_their_exit_codes(either):
    jobs = {code: either.submit("--gpus", "0", "--cmd", f"echo begun; while [ ! -e {either.directory}"
                                f"/go ]; do sleep 0.02; done; exit {code}") for code in (0, 3, 77)}
    for job in jobs.values():
        either.wait_for(job, "running")
    pids = {job: either.shim_of(job) for job in jobs.values()}
    # By kill, and by a proper end: both leave jobs alone.
    either.kill()
    either.start()
    either.process.terminate()
    assert either.process.wait(timeout=30) == 0
    (either.directory / "go").touch()
    wait_until(lambda: not any(map(processes.is_running, pids.values())), what="the end of the shims")
    either.start()
    for code, job in jobs.items():
        ended = either.ended(job)
        assert (ended["exit_code"], ended["attempt"]) == (code, 1)
        assert either.logs(job) == b"begun\n"


def test_a_dead_launcher_is_replaced_and_nobody_notices(own):
    first = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {own.directory}/go ]; do sleep 0.02; "
                       "done; exit 4")
    own.wait_for(first, "running")
    old = own.launcher()
    os.kill(old, signal.SIGKILL)
    assert own.run("run", "--gpus", "0", "--", "echo", "next").stdout == "next\n"
    assert own.launcher() not in (None, old)
    (own.directory / "go").touch()
    assert own.ended(first)["exit_code"] == 4
