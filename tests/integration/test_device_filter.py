"""A job can open the device nodes of its own cards and of no others. Stand-ins: nodes with the numbers
of the driver's, which without a driver behind them say ENXIO to those who may open them."""

import os
import stat
import subprocess

import pytest
from live_daemon import LiveDaemon

NVIDIA = 195
DENIED = "Operation not permitted"


def stand_in(directory, minor):
    path = directory / f"card{minor}"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(NVIDIA, minor))
        os.chmod(path, 0o666)
    except OSError as why:
        pytest.skip(f"no device nodes can be made here: {why}")
    seen = subprocess.run(["head", "-c", "0", path], capture_output=True, text=True, check=False)
    if DENIED in seen.stderr:
        pytest.skip("this machine forbids the device nodes of cards already")
    return path


@pytest.fixture
def guarded(programs):
    if os.geteuid() != 0:
        pytest.skip("only a daemon of root has a device filter")
    with LiveDaemon(programs) as daemon:
        line = next(line for line in daemon.log().splitlines() if " device filter " in line)
        if "state=on" not in line:
            pytest.skip(f"there is no device filter here: {line}")
        yield daemon


@pytest.fixture
def nodes(guarded):
    guarded.directory.chmod(0o755)
    return [stand_in(guarded.directory, minor) for minor in (0, 1)]


def can_open(daemon, nodes, *flags):
    """For each node whether a job with these flags got past the filter."""
    job = daemon.submit(*flags, "--cmd", "; ".join(f"head -c 1 {node} 2>&1" for node in nodes))
    daemon.ended(job)
    lines = daemon.logs(job).decode().splitlines()
    assert len(lines) == len(nodes), lines
    return job, [DENIED not in line for line in lines]


def test_a_job_opens_its_own_card_only(guarded, nodes):
    job, opened = can_open(guarded, nodes, "--gpu", "0")
    assert opened == [True, False]
    assert guarded.job(job)["device_filter"] == "on"
    assert "it can open no card but its own" in guarded.run("show", job).stdout
    assert can_open(guarded, nodes, "--gpu", "1")[1] == [False, True]
    assert can_open(guarded, nodes, "--gpus", "2")[1] == [True, True]


def test_a_job_without_cards_opens_none(guarded, nodes):
    assert can_open(guarded, nodes, "--gpus", "0")[1] == [False, False]


def test_a_job_cannot_make_its_own_node(guarded, nodes):
    place = guarded.directory / "own"
    job = guarded.submit("--gpu", "0", "--cmd", f"mknod {place} c {NVIDIA} 1 2>&1")
    guarded.ended(job)
    assert DENIED in guarded.logs(job).decode()


def test_it_can_be_turned_off_and_the_job_says_so(programs):
    with LiveDaemon(programs, config="isolation: {device_filter: off}\n") as daemon:
        job = daemon.submit("--gpus", "0", "--", "true")
        daemon.ended(job)
        assert daemon.job(job)["device_filter"] == "off: isolation.device_filter is off"
        assert "not filtered: isolation.device_filter is off" in daemon.run("show", job).stdout
        assert "device filter" in daemon.log()
