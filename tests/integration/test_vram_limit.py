"""`--vram-limit` through the whole way: above it a job is stopped, goes on when the limit is raised, or is
ended. Its neighbour on the card never notices."""

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
scheduling: {ramp: 1s, load_fall: 1s, vram_limit_pause: %s}
"""
GIB = 1 << 30


def lab_with(programs, pause):
    daemon = LiveDaemon(programs, config=QUICK % pause, sim="1x24G")
    daemon.simjob = programs / "gpusched-simjob"
    return daemon


@pytest.fixture
def lab(programs):
    with lab_with(programs, "60s") as daemon:
        yield daemon


def meek_and_greedy(lab):
    common = ["--util", "20", "--seconds", "0", "--steps-file"]
    meek = lab.submit("--vram", "6G", "--share", "10", "--", lab.simjob, "--vram", "5G",
                      *common, lab.state / "meek")
    greedy = lab.submit("--vram", "4G", "--vram-limit", "6G", "--share", "10", "--", lab.simjob,
                        "--vram", "10G", "--ramp", "2s", *common, lab.state / "greedy")
    return meek, greedy


def steps(lab, name):
    return int((lab.state / name).read_text() or 0)


def test_it_is_stopped_and_goes_on_when_the_limit_is_raised(lab):
    meek, greedy = meek_and_greedy(lab)
    lab.wait_for(greedy, "paused")
    stopped = lab.job(greedy)
    assert stopped["aside"]["mechanism"] == "freeze" and stopped["aside"]["ends_at"]
    assert "VRAM limit of 6144 MiB; it is ended in" in stopped["reason"]
    assert "at its VRAM limit, until" in lab.run("show", greedy).stdout
    refused = lab.run("resume", greedy, check=False)
    assert refused.returncode == 65
    assert f"raise or lift that: gpusched set {greedy} --vram-limit 0" in refused.stdout + refused.stderr
    at, others = steps(lab, "greedy"), steps(lab, "meek")
    wait_until(lambda: steps(lab, "meek") > others + 3, what="steps of its neighbour")
    assert steps(lab, "greedy") == at, "it stands still"
    lab.run("set", greedy, "--vram-limit", "12G")
    lab.wait_for(greedy, "running")
    wait_until(lambda: steps(lab, "greedy") > at, what="steps after its return")
    assert lab.job(greedy)["attempt"] == 1 and lab.job(meek)["state"] == "running"
    said = lab.run("events", greedy).stdout
    assert "more than the 4096 MiB it asked for" in said
    assert "it is stopped, and ended in 1m unless the limit is raised" in said


def test_a_new_daemon_knows_that_it_was_stopped(lab):
    _, greedy = meek_and_greedy(lab)
    lab.wait_for(greedy, "paused")
    ends = lab.job(greedy)["aside"]["ends_at"]
    lab.kill()
    lab.start()
    assert lab.job(greedy)["state"] == "paused" and lab.job(greedy)["aside"]["ends_at"] == ends
    lab.run("set", greedy, "--vram-limit", "0")
    lab.wait_for(greedy, "running")


@pytest.mark.parametrize("pause", ["0", "1s"])
def test_it_is_ended_and_its_neighbour_is_not(programs, pause):
    with lab_with(programs, pause) as lab:
        meek, greedy = meek_and_greedy(lab)
        ended = lab.ended(greedy)
        assert (ended["state"], ended["cause"]) == ("failed", "vram_limit")
        assert ended["vram_limit_bytes"] == 6 * GIB
        assert ended["message"] == "took more than its limit of 6144 MiB on a card"
        said = lab.run("events", greedy).stdout
        assert ("it is stopped, and ended in 1s" in said) == (pause == "1s")
        assert "; the attempt is ended" in said
        assert lab.job(meek)["state"] == "running"
