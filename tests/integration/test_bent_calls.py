"""Disks that cannot sync and clocks that are wrong, under a real daemon."""

import bent_calls
import processes
import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FORTY_DAYS = 40 * 24 * 3600


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return bent_calls.build(tmp_path_factory.mktemp("bent"))


@pytest.fixture
def bad_disk(programs, library, tmp_path):
    """A daemon whose store cannot sync while the file `no_sync` is there, and write while there is `full`."""
    daemon = LiveDaemon(programs, config=ROOMY)
    daemon.no_sync = tmp_path / "no_sync"
    daemon.full = tmp_path / "full"
    daemon.prefix = bent_calls.prefix(library, sync=daemon.no_sync, full=daemon.full)
    with daemon:
        yield daemon


def refused_submit(daemon, ran):
    done = daemon.run("submit", "--gpus", "0", "--", "touch", ran, check=False)
    assert done.returncode == 74 and done.stderr.count("\n") == 1, done


def started_or_ended(daemon):
    if daemon.process.poll() is not None:
        return True
    try:
        return daemon.http("GET", "/v1/version").status == 200
    except OSError:
        return False


@pytest.mark.parametrize("disk", ["works again", "still cannot sync"])
def test_what_was_refused_for_a_failed_sync_never_runs(bad_disk, tmp_path, disk):
    kept = bad_disk.submit("--gpus", "0", "--hold", "--", "true")
    ran = tmp_path / "ran"
    bad_disk.no_sync.touch()
    for _ in range(5):
        refused_submit(bad_disk, ran)
    assert "does not take commits" in bad_disk.log()
    bad_disk.kill()
    # To start, a store must be able to sync.
    if disk == "works again":
        bad_disk.no_sync.unlink()
        bad_disk.start()
    else:
        bad_disk.start(wait=False)
        wait_until(lambda: started_or_ended(bad_disk), what="a start or a refusal")
        if bad_disk.process.poll() is None:
            bad_disk.kill()
        bad_disk.no_sync.unlink()
        bad_disk.start()
    assert [job["id"] for job in bad_disk.jobs()] == [kept]
    # What comes later is not mixed up with it.
    job = bad_disk.submit("--gpus", "0", "--cmd", "exit 4")
    assert bad_disk.ended(job)["exit_code"] == 4
    assert not ran.exists()


def test_a_store_goes_on_once_it_can_sync_again(bad_disk, tmp_path):
    ran = tmp_path / "ran"
    bad_disk.no_sync.touch()
    refused_submit(bad_disk, ran)
    bad_disk.no_sync.unlink()

    def submit():
        done = bad_disk.run("submit", "--gpus", "0", "--cmd", "exit 3", check=False)
        return int(done.stdout) if done.returncode == 0 else None
    job = wait_until(submit, what="a submit that is accepted again")
    assert bad_disk.ended(job)["exit_code"] == 3
    assert not ran.exists()
    bad_disk.kill()
    bad_disk.start()
    assert bad_disk.job(job)["exit_code"] == 3 and len(bad_disk.jobs()) == 1


def test_a_cancel_on_a_full_disk_is_not_forgotten(bad_disk, tmp_path):
    """Acknowledged, and then the daemon is killed before it could be written into the database."""
    starts = tmp_path / "starts"
    job = bad_disk.submit("--gpus", "0", "--retries", "3", "--cmd", f"echo >> {starts}; exec sleep 600")
    held = bad_disk.submit("--gpus", "0", "--hold", "--", "true")
    bad_disk.wait_for(job, "running")
    shim = bad_disk.shim_of(job)
    bad_disk.full.touch()
    assert bad_disk.run("submit", "--gpus", "0", "--", "true", check=False).returncode == 74
    assert bad_disk.run("cancel", job, held, "--grace", "0").returncode == 0
    bad_disk.kill()
    wait_until(lambda: not processes.is_running(shim), what="the end of the job")
    bad_disk.full.unlink()
    bad_disk.start()
    assert bad_disk.ended(job)["state"] == "cancelled"
    assert bad_disk.ended(held)["state"] == "cancelled"
    # It is settled: who wants the job after all gets it.
    bad_disk.run("requeue", job)
    bad_disk.wait_for(job, "running")
    bad_disk.kill()
    bad_disk.start()
    assert bad_disk.wait_for(job, "running")["attempt"] == 2
    assert starts.read_text() == "\n\n"


def test_a_cancel_that_cannot_be_kept_says_so(bad_disk):
    job = bad_disk.submit("--gpus", "0", "--", "sleep", "600")
    bad_disk.wait_for(job, "running")
    shim = bad_disk.shim_of(job)
    bad_disk.full.touch()
    (bad_disk.state / "store.cancels").unlink()
    done = bad_disk.run("cancel", job, "--grace", "0", check=False)
    assert done.returncode == 74 and done.stderr.count("\n") == 1, done
    assert f"job {job} is being ended, but" in done.stderr
    wait_until(lambda: not processes.is_running(shim), what="the end of the job")
    bad_disk.full.unlink()
    assert bad_disk.ended(job)["state"] == "cancelled"


def test_a_start_under_a_clock_far_ahead_removes_no_ended_job(programs, library):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        jobs = [daemon.submit("--gpus", "0", "--cmd", f"echo {code}; exit {code}") for code in (3, 4)]
        for job in jobs:
            daemon.ended(job)
        for _ in range(2):  # The second time it has seen that clock before.
            daemon.kill()
            daemon.prefix = bent_calls.prefix(library, clock=FORTY_DAYS)
            daemon.start()
            new = daemon.submit("--gpus", "0", "--cmd", "exit 5")
            assert daemon.ended(new)["exit_code"] == 5
            assert [daemon.job(job)["exit_code"] for job in jobs] == [3, 4]
            assert daemon.logs(jobs[0]) == b"3\n"
        # And back: what was written in that time is in the future now.
        daemon.kill()
        daemon.prefix = []
        daemon.start()
        last = daemon.submit("--gpus", "0", "--cmd", "exit 6")
        assert daemon.ended(last)["exit_code"] == 6
        assert [daemon.job(job)["exit_code"] for job in [*jobs, new]] == [3, 4, 5]
