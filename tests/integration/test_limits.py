"""CPU and memory limits of a job, where this machine has the controllers."""

import pytest


@pytest.fixture
def limited(own):
    base = own.cgroup()
    if base is None or "memory" not in (base / "jobs" / "cgroup.subtree_control").read_text():
        pytest.skip("no memory controller in a writable cgroup v2 here")
    return own


def test_a_job_has_the_limits_it_asked_for(limited):
    job = limited.submit("--gpus", "0", "--cpus", "1", "--mem", "256M", "--", "sh", "-c",
                         "cd /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup) && cat memory.max cpu.max")
    assert limited.ended(job)["state"] == "completed"
    said = limited.run("logs", job).stdout.split()
    assert said[0] == str(256 << 20)
    if len(said) > 1:  # The CPU controller may be missing.
        assert said[1:] == ["100000", "100000"]


def test_a_job_that_outgrows_its_memory_ends_as_host_oom(limited):
    hungry = "x = bytearray(1 << 20)\nwhile True: x += bytes(1 << 20)"
    job = limited.submit("--gpus", "0", "--mem", "64M", "--", "python3", "-c", hungry)
    ended = limited.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "host_oom")
    assert "memory" in limited.run("show", job).stdout


def test_the_next_job_in_the_same_place_is_not_limited(limited):
    """A leaf may be made before its job is known to be there; what it was for is forgotten."""
    for arguments, expected in ((("--mem", "128M"), str(128 << 20)), ((), "max")):
        job = limited.submit("--gpus", "0", *arguments, "--", "sh", "-c",
                             "cat /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/memory.max")
        assert limited.ended(job)["state"] == "completed"
        assert limited.run("logs", job).stdout.strip() == expected
