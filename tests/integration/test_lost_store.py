"""Databases that are older than what was acknowledged, copies of state directories, and directories that
are gone: nothing is given twice, nothing of somebody else's is ended, and it is said loudly."""

import os
import re
import shutil
import signal
import subprocess

import pytest
from conftest import without_groups
from live_daemon import ROOMY, ROOT, LiveDaemon, remove_tree, wait_until
from older_store import STORE, problems, put_back, remove_store, wait_for_end


def held(daemon, count):
    return [daemon.submit("--gpus", "0", "--hold", "--", "true") for _ in range(count)]


def leaves_in(group):
    return [path for path in (group / "jobs").iterdir() if path.is_dir()]


def remove_group(group):
    """A process that ends is there for a moment longer than what it has written."""
    def gone():
        try:
            for path in sorted(group.glob("**/"), key=lambda p: len(p.parts), reverse=True):
                path.rmdir()
        except OSError:
            return False
        return True
    wait_until(gone, what="the end of the group")


def test_a_flipped_bit_in_the_log_is_noticed(own):
    held(own, 3)
    ran = own.submit("--gpus", "0", "--cmd", "exit 3")
    wait_for_end(own, ran, 3)
    last = held(own, 3)[-1]
    own.kill()
    log = own.state / f"{STORE}-wal"
    content = bytearray(log.read_bytes())
    content[32 + 24 + 100] ^= 1  # In the first page of the log: all that follows is cut off.
    log.write_bytes(content)
    own.start()
    # What was started is found again, with its own result.
    wait_for_end(own, ran, 3)
    said = problems(own)
    assert len(said) == 1 and "older than what was acknowledged" in said[0], said
    assert "older than what was acknowledged" in own.log()
    assert (own.state / f"{STORE}.older-1").exists()
    assert f"jobs {ran}" in said[0]
    # No number is given again, and a new job's result is its own.
    new = own.submit("--gpus", "0", "--cmd", "exit 5")
    assert new > last
    wait_for_end(own, new, 5)
    shown = own.run("status").stdout
    assert "older than what was acknowledged" in " ".join(shown.split())
    checked = own.run("doctor", check=False).stdout
    assert "older than what was acknowledged" in " ".join(checked.split())
    # Said until somebody has seen to it; not found again at the next start.
    own.kill()
    own.start()
    assert problems(own) == said
    (own.state / "store.loss").unlink()
    assert problems(own) == []
    assert own.run("status").stdout.count("!") == 0


def test_a_lost_log_is_noticed(own):
    jobs = held(own, 4)
    own.kill()
    (own.state / f"{STORE}-wal").unlink()
    own.start()
    assert f"jobs {jobs[0]}-{jobs[-1]}" in problems(own)[0]
    assert held(own, 1)[0] == jobs[-1] + 1


def test_a_log_that_is_deleted_under_a_daemon_takes_nothing_more(own):
    jobs = held(own, 3)
    (own.state / f"{STORE}-wal").unlink()
    done = own.run("submit", "--gpus", "0", "--hold", "--", "true", check=False)
    assert done.returncode == 74 and done.stderr.count("\n") == 1 and "no longer there" in done.stderr, done
    own.kill()
    own.start()
    # Nothing that was acknowledged is lost, and nothing that was refused is there.
    assert [job["id"] for job in own.jobs()] == jobs and problems(own) == []
    assert held(own, 1)[0] == jobs[-1] + 1


def test_a_backup_put_back_beside_the_job_directories(own):
    before = held(own, 1)[0]
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    done = own.submit("--gpus", "0", "--cmd", "echo old; exit 4")
    wait_for_end(own, done, 4)
    go = own.directory / "go"
    runs = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 6")
    own.wait_for(runs, "running")
    waits = held(own, 1)[0]
    put_back(own, backup)
    said = problems(own)
    assert f"lost: jobs {waits}" in said[0] and f"jobs {done}, {runs}" in said[0], said
    # Those that were started are there with what became of them; the one that runs is followed.
    assert own.job(before)["state"] == "held"
    wait_for_end(own, done, 4)
    assert own.logs(done) == b"old\n"
    assert own.wait_for(runs, "running")["user"] == own.job(before)["user"]
    new = own.submit("--gpus", "0", "--cmd", "echo new; exit 7")
    assert new == waits + 1
    wait_for_end(own, new, 7)
    assert own.logs(new) == b"new\n"
    go.touch()
    wait_for_end(own, runs, 6)


def recipe_of_the_guide():
    text = (ROOT / "docs" / "guide" / "administer.md").read_text()
    return re.search(r"To restore, .*?```sh skip\n(.*?)```", text, re.S).group(1)


def restore_by_the_guide(daemon, backup, end):
    """The lines as they stand there, in a shell that stops at the first that fails."""
    end()
    lines = recipe_of_the_guide()
    for told, here in (("/var/lib/gpusched", daemon.state), ("/backup/queue.backup", backup)):
        assert told in lines
        lines = lines.replace(told, str(here))
    subprocess.run(["bash", "-ec", "systemctl() { :; }\n" + lines], check=True)
    daemon.start()


@pytest.mark.parametrize("way", ["a clean stop", "kill -9"])
def test_the_recipe_of_the_guide_takes_over_what_runs(own, way):
    def end():
        if way == "kill -9":
            return own.kill()
        own.process.terminate()
        return own.process.wait(timeout=30)

    backup = own.directory / "backup.db"
    own.run("backup", backup)
    go = own.directory / "go"
    loop = f"while [ ! -e {go} ]; do sleep 0.02; done"
    runs = own.submit("--gpus", "1", "--vram", "20G", "--name", "night", "--tag", "a", "--retries", "2",
                      "--cmd", f"{loop}; exit 6")
    before = own.wait_for(runs, "running")
    restore_by_the_guide(own, backup, end)
    after = own.wait_for(runs, "running")
    # It is what it was, and nobody is put on top of it.
    for field in ("name", "user", "tenant", "command", "gpus", "priority"):
        assert after[field] == before[field], field
    assert "found again by its directory" in own.run("events", runs).stdout
    others = [own.submit("--gpus", "1", "--vram", "20G", "--cmd", f"{loop}; exit 0") for _ in range(2)]
    assert min(others) > runs
    beside = own.wait_for(others[0], "running")
    assert beside["gpus"] != after["gpus"]
    assert own.job(others[1])["state"] == "queued"
    # Not started again: its environment is lost.
    go.touch()
    wait_for_end(own, runs, 6)
    assert own.job(runs)["attempt"] == 1
    for other in others:
        wait_for_end(own, other, 0)
    # A second restore goes as well as the first.
    restore_by_the_guide(own, backup, end)
    assert own.submit("--gpus", "0", "--hold", "--", "true") > max(others)


def test_a_number_of_which_only_a_group_is_left_is_not_given_again(own):
    if own.cgroup() is None or os.getuid() != 0:
        pytest.skip("no control groups of ours here")
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    job = own.submit("--gpus", "0", "--cmd", "sleep 300")
    own.wait_for(job, "running")
    leaf = own.cgroup() / "jobs" / f"{job}.1"
    command = int((leaf / "cgroup.procs").read_text().split()[0])
    own.kill()
    os.kill(own.shim_of(job), signal.SIGKILL)
    remove_tree(own.state / "jobs" / str(job))
    (own.state / "store.mark").unlink()
    remove_store(own)
    shutil.copy(backup, own.state / STORE)
    own.start()
    assert any(str(leaf) in problem for problem in problems(own)), problems(own)
    new = own.submit("--gpus", "0", "--cmd", "exit 3")
    assert new > job
    wait_for_end(own, new, 3)
    os.kill(command, 0)  # Nobody has touched it.
    (leaf / "cgroup.kill").write_text("1")
    wait_until(lambda: problems(own) == [], what="an empty group is no problem")


def test_a_waiting_job_of_an_older_store_is_not_started_twice(own):
    """In the copy it waits; since then it has run."""
    count = own.directory / "count"
    job = own.submit("--gpus", "0", "--hold", "--cmd", f"echo run >> {count}; exit 2")
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    own.run("release", job)
    wait_for_end(own, job, 2)
    put_back(own, backup)
    wait_for_end(own, job, 2)
    assert count.read_text() == "run\n"
    assert f"brought up to date: jobs {job}" in problems(own)[0]


@pytest.mark.parametrize("cards", ["0", "1"])
@pytest.mark.parametrize("known", ["running", "starting", "nothing"])
def test_a_job_that_was_paused_since_goes_on(own, known, cards):
    """The copy knows nothing of the pause, or not even that the job runs, or not even of the job."""
    backup = own.directory / "backup.db"
    go = own.directory / "go"
    if known == "nothing":
        own.run("backup", backup)
    job = own.submit("--gpus", cards, "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 6")
    own.wait_for(job, "running")
    if known == "running":
        held(own, 1)  # That it runs goes to disk with the next change.
    if known != "nothing":
        own.run("backup", backup)
    own.run("pause", job)
    own.wait_for(job, "paused")
    put_back(own, backup)
    go.touch()
    wait_for_end(own, job, 6)


def test_a_healthy_store_is_not_complained_about(own):
    wait_for_end(own, own.submit("--gpus", "0", "--cmd", "exit 1"), 1)
    held(own, 2)
    for _ in range(2):
        own.kill()
        own.start()
        assert problems(own) == [] and not list(own.state.glob("*.older-*"))


def copy_of(daemon, groups):
    other = LiveDaemon(daemon.programs, config=ROOMY) if groups else without_groups(daemon.programs)

    def copied():
        # A launcher that was just killed may still take its things away.
        shutil.rmtree(other.state, ignore_errors=True)
        return subprocess.run(["cp", "-a", daemon.state, other.state], check=False).returncode == 0
    wait_until(copied, what="a whole copy")
    return other


def test_a_copy_of_a_living_state_directory(either):
    """The daemon on the copy ends nothing that belongs to the original."""
    go = either.directory / "go"
    job = either.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 8")
    either.wait_for(job, "running")
    # That it runs goes to disk with the next change.
    held(either, 1)
    shim = either.shim_of(job)
    with copy_of(either, groups=either.cgroup() is not None) as copy:
        ended = copy.ended(job)
        assert ended["state"] == "failed" and "copied" in ended["message"]
        assert "is a copy" in copy.log()
        if copy.cgroup() is not None:
            assert copy.cgroup() != either.cgroup()
        # It is a state directory like any other.
        new = copy.submit("--gpus", "0", "--cmd", "exit 9")
        wait_for_end(copy, new, 9)
        os.kill(shim, 0)
        assert either.job(job)["state"] == "running"
    go.touch()
    wait_for_end(either, job, 8)


def test_a_copy_whose_original_is_between_two_daemons(own):
    go = own.directory / "go"
    job = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 8")
    own.wait_for(job, "running")
    held(own, 1)
    own.kill()
    with copy_of(own, groups=True) as copy:
        assert copy.ended(job)["state"] == "failed"
    own.start()
    assert own.wait_for(job, "running")
    go.touch()
    wait_for_end(own, job, 8)


def test_a_new_directory_at_an_old_path(own):
    """The first job of the new one has the number of one that still runs in the old one."""
    go = own.directory / "go"
    job = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 8")
    own.wait_for(job, "running")
    shim = own.shim_of(job)
    group = own.cgroup()
    own.kill()
    own.state.rename(own.directory / "old")
    own.start()
    assert own.cgroup() is None or own.cgroup() != group
    new = own.submit("--gpus", "0", "--cmd", "exit 5")
    assert new == job
    wait_for_end(own, new, 5)
    os.kill(shim, 0)
    go.touch()
    wait_until((own.directory / "old" / "jobs" / str(job) / "1" / "exit").exists, what="its exit")
    assert "exit_code=8" in (own.directory / "old" / "jobs" / str(job) / "1" / "exit").read_text()
    if group is not None:
        wait_until(lambda: not leaves_in(group), what="an empty group")
        remove_group(group)


def test_a_deleted_id_makes_no_running_job_nobodys(own):
    go = own.directory / "go"
    job = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 8")
    own.wait_for(job, "running")
    held(own, 1)
    own.kill()
    (own.state / "state.id").unlink()
    own.start()
    assert own.wait_for(job, "running")
    go.touch()
    wait_for_end(own, job, 8)


def test_jobs_of_an_older_version_are_found_again_after_an_upgrade(own):
    """It named the group by the directory's path, and wrote no id into claims."""
    if own.cgroup() is None or not own.cgroup().name.startswith("gpusched-"):
        pytest.skip("the group has no name of ours here")
    own.process.terminate()
    own.process.wait(timeout=30)
    own._remove_groups()
    (own.state / "state.id").write_text(
        "version=1\n" + "".join(f"{k}={v}\n" for k, v in {
            "id": old_name(own.state), "boot_id": "older", "device": os.stat(own.state).st_dev,
            "inode": os.stat(own.state).st_ino}.items()) + "end=1\n")
    own.start()
    assert own.cgroup().name == f"gpusched-{old_name(own.state)}"
    go = own.directory / "go"
    job = own.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 8")
    own.wait_for(job, "running")
    held(own, 1)
    own.kill()
    (own.state / "state.id").unlink()
    claim = own.state / "jobs" / str(job) / "1" / "claim"
    # In place: its lock belongs to the file.
    text = re.sub(r"^state=.*\n", "", claim.read_text(), flags=re.M)
    with open(claim, "r+") as file:
        file.write(text)
        file.truncate()
    own.start()
    assert own.cgroup().name == f"gpusched-{old_name(own.state)}"
    assert own.wait_for(job, "running")
    own.kill()
    os.kill(own.shim_of(job), signal.SIGKILL)
    own.start()
    assert own.ended(job)["cause"] == "supervisor_lost"
    assert not leaves_in(own.cgroup()), "what it left running has been ended"


def old_name(path):
    value = 14695981039346656037
    for byte in str(path).encode():
        value = ((value ^ byte) * 1099511628211) % (1 << 64)
    return f"{value & 0xffffffffffff:012x}"


def test_a_deleted_state_directory_is_noticed(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        held(daemon, 1)
        remove_tree(daemon.state)
        done = daemon.run("submit", "--gpus", "0", "--hold", "--", "true", check=False)
        assert done.returncode == 74 and done.stderr.count("\n") == 1, done
        assert "no longer there" in done.stderr
        assert any("no longer there" in problem for problem in problems(daemon))
        # And it stays so.
        assert daemon.run("submit", "--gpus", "0", "--", "true", check=False).returncode == 74
