"""Jobs that grow beyond what they said until their card is full, on the real daemon with the simulated
driver: one leaves, the other stands still meanwhile, and nobody dies. Without that one does."""

import os
import signal
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

# A wide margin, because this machine may be busy; bench/make_room grow is for speed.
SETTINGS = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 5000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""


def laboratory(programs, preemption="auto"):
    scheduling = f"scheduling: {{headroom: 4G, preemption: '{preemption}'}}\n"
    daemon = LiveDaemon(programs, config=SETTINGS + scheduling, sim="1x12G")
    daemon.simjob = programs / "gpusched-simjob"
    return daemon


@pytest.fixture
def lab(programs):
    with laboratory(programs) as daemon:
        # A move takes long enough for the other to fill the card.
        world(daemon, "checkpoint_out=512", "checkpoint_in=8192")
        yield daemon


def world(daemon, *words):
    simworld = daemon.programs / "gpusched-simworld"
    subprocess.run([simworld, "set", daemon.state / "sim-world", *words], check=True)


def grower(daemon, *flags):
    """Says 2 GiB and takes 8, half a GiB a second."""
    return daemon.submit("--vram", "2G", "--share", "20", *flags, "--", daemon.simjob, "--vram", "8G",
                         "--ramp", "16s", "--alloc-pieces", "160", "--seconds", "18")


def trail(daemon, job):
    return [line["text"] for line in daemon.http("GET", f"/v1/jobs/{job}/events").json()["events"]]


def both(daemon, *flags):
    first, second = grower(daemon, *flags), grower(daemon, *flags)
    daemon.wait_for(first, "running")
    daemon.wait_for(second, "running")
    return first, second


def one_leaves_and_one_stands(lab, *jobs):
    """Who stands still, and who leaves: of two alike either may."""
    def standing():
        return [job for job in jobs if any("stands still" in text for text in trail(lab, job))]
    stands = wait_until(standing, 60, "one to stand still")[0]
    leaves = next(job for job in jobs if job != stands)
    wait_until(lambda: lab.job(leaves)["state"] == "pausing", what="the other on its way out")
    return stands, leaves


def completed(lab, *jobs):
    return [lab.ended(job, 180)["state"] for job in jobs] == ["completed"] * len(jobs)


def test_a_model_that_is_loaded_at_once_moves_nobody(lab):
    """It takes 2 GiB more than it said, on a card that has room for that."""
    first = lab.submit("--vram", "1G", "--share", "20", "--", lab.simjob, "--vram", "1G", "--ramp",
                       "0s", "--seconds", "0")
    lab.wait_for(first, "running")
    second = lab.submit("--vram", "2G", "--share", "20", "--", lab.simjob, "--vram", "4G", "--ramp", "0s",
                        "--alloc-pieces", "1", "--seconds", "2")
    assert lab.ended(second)["state"] == "completed"
    assert not [text for text in trail(lab, second) + trail(lab, first) if "pressure" in text]


def test_nobody_dies_of_growth(lab):
    first, second = one_leaves_and_one_stands(lab, *both(lab))
    lab.wait_for(first, "paused")
    assert f"stands still until job {second} has left" in lab.run("explain", first).stdout
    assert completed(lab, first, second)
    assert any("stands still while" in text for text in trail(lab, first))
    assert lab.job(first)["moves"] == 0 and lab.job(second)["moves"] == 1
    assert [lab.job(job)["attempt"] for job in (first, second)] == [1, 1]


def test_without_it_the_card_runs_out(programs):
    with laboratory(programs, "off") as lab:
        first, second = both(lab)
        causes = {lab.ended(job, 120)["cause"] for job in (first, second)}
        assert "cuda_oom" in causes


def test_a_daemon_that_is_killed_meanwhile_leaves_nobody_standing(lab):
    first, second = one_leaves_and_one_stands(lab, *both(lab))
    lab.kill()
    lab.start()
    assert completed(lab, first, second)


def test_a_victim_that_ends_on_its_way_lets_the_other_go_on(lab):
    first, second = one_leaves_and_one_stands(lab, *both(lab))
    lab.run("cancel", second, "--grace", "0")
    lab.wait_for(first, "running")
    assert completed(lab, first)


def movers_of(daemon):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith("gpusched-mover") and any(str(daemon.state) in word for word in words):
            found.append(int(process))
    return found


def test_a_mover_that_is_killed_leaves_nobody_standing(lab):
    first, second = one_leaves_and_one_stands(lab, *both(lab))
    for mover in wait_until(lambda: movers_of(lab), what="the mover"):
        os.kill(mover, signal.SIGKILL)
    assert completed(lab, first, second)


def test_where_nobody_can_leave_nobody_is_stopped(lab):
    first, second = both(lab, "--preempt", "never")
    lab.ended(first, 120)
    lab.ended(second, 120)
    for job in (first, second):
        assert not any("stands still" in text for text in trail(lab, job))
