"""A job is moved out of its card through the (simulated) driver for an urgent one, and comes back where it
was, whoever is killed meanwhile."""

import contextlib
import os
import signal
import subprocess

import processes
import pytest
from live_daemon import LiveDaemon, wait_until

CONFIG = """
jobs: {grace: 2s}
host: {cpus: 64, ram: 256G}
making_room: {run_least: 0s, cool_down: 0s}
"""
# So long each of the driver's moves takes: something can be killed in the midst of it.
MOVE_MS = 150


@pytest.fixture
def daemon(programs):
    with LiveDaemon(programs, sim="1x24G", config=CONFIG) as one:
        subprocess.run([one.programs / "gpusched-simworld", "set", one.state / "sim-world",
                        f"checkpoint_fixed_ms={MOVE_MS}"], check=True)
        yield one


class Training:
    """A job of low priority that counts its steps without end."""

    def __init__(self, daemon):
        self.daemon, self.file = daemon, daemon.directory / "steps"
        self.job = daemon.submit("--vram", "16G", "--priority", "low", "--",
                                 daemon.programs / "gpusched-simjob", "--vram", "15G", "--seconds", "0",
                                 "--step-ms", "20", "--steps-file", self.file)
        wait_until(lambda: self.steps() > 3, what="the first steps")

    def steps(self):
        text = self.file.read_text().strip() if self.file.exists() else ""
        return int(text) if text else 0

    def goes_on(self):
        before = self.steps()
        wait_until(lambda: self.steps() > before + 3, what="more steps")
        found = self.daemon.job(self.job)
        assert found["state"] == "running" and found["attempt"] == 1


def urgent(daemon):
    return daemon.submit("--vram", "16G", "--priority", "urgent", "--", daemon.programs / "gpusched-simjob",
                         "--vram", "15G", "--seconds", "0.3", "--step-ms", "50")


def movers(daemon):
    """Those at work for this daemon: pid and direction."""
    found = []
    for pid in processes.all_pids():
        words = processes.words_of(pid)
        if words and words[0].endswith("gpusched-mover") and words[2].startswith(str(daemon.state)):
            found.append((pid, words[1]))
    return found


def wait_for_mover(daemon, direction):
    return wait_until(lambda: [pid for pid, way in movers(daemon) if way == direction],
                      what=f"a mover {direction}")


def test_an_urgent_job_gets_the_card_and_the_other_returns(daemon):
    training = Training(daemon)
    assert daemon.ended(urgent(daemon))["state"] == "completed"
    training.goes_on()
    trail = daemon.run("events", training.job).stdout
    assert "paused" in trail and "it goes on where it was" in trail


@pytest.mark.parametrize("direction", ["out", "back"])
@pytest.mark.parametrize("killed", ["mover", "launcher", "daemon"])
def test_whoever_is_killed_in_the_midst_of_a_move_it_is_completed(daemon, killed, direction):
    training = Training(daemon)
    for _ in range(2):
        job = urgent(daemon)
        pid = wait_for_mover(daemon, direction)[0]
        if killed == "mover":
            with contextlib.suppress(ProcessLookupError):  # It may be done by now.
                os.kill(pid, signal.SIGKILL)
        elif killed == "launcher":
            os.kill(daemon.launcher(), signal.SIGKILL)
        else:
            daemon.kill()
            daemon.start()
        assert daemon.ended(job)["state"] == "completed"
        training.goes_on()


def test_a_job_that_is_cancelled_while_it_is_away_ends_and_leaves_nothing(daemon):
    training = Training(daemon)
    job = daemon.submit("--vram", "16G", "--priority", "urgent", "--", daemon.programs / "gpusched-simjob",
                        "--vram", "15G", "--seconds", "0")
    daemon.wait_for(job, "running")
    daemon.run("cancel", training.job)
    assert daemon.ended(training.job)["state"] == "cancelled"
    assert daemon.job(job)["state"] == "running"
    assert not movers(daemon)
