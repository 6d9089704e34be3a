"""Making room where things go wrong, or change meanwhile: on the real daemon with the simulated driver."""

import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M, over_quota: true}
"""


def set_up(daemon, programs):
    daemon.simjob = programs / "gpusched-simjob"
    return daemon


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x24G") as daemon:
        yield set_up(daemon, programs)


def world(daemon, *words):
    simworld = daemon.programs / "gpusched-simworld"
    subprocess.run([simworld, "set", daemon.state / "sim-world", *words], check=True)


def training(daemon, *flags, vram="10G", seconds="0"):
    job = daemon.submit("--priority", "low", *flags, "--", daemon.simjob, "--vram", vram, "--util", "50",
                        "--ramp", "0s", "--seconds", seconds)
    daemon.wait_for(job, "running")
    wait_until(lambda: holds(daemon, job, int(vram[:-1]) << 30), what="its memory")
    return job


def holds(daemon, job, least):
    cards = daemon.http("GET", "/v1/gpus").json()["cards"]
    own = [one for card in cards for one in card["processes"] if str(one.get("job")) == str(job)]
    return any((one["vram_bytes"] or 0) >= least for one in own)


def urgent(daemon, seconds="0.5", vram="20G"):
    return daemon.submit("--priority", "urgent", "--vram", vram, "--", daemon.simjob, "--vram", "15G",
                         "--util", "50", "--ramp", "0s", "--seconds", seconds)


def trail(daemon, job):
    return [line["text"] for line in daemon.http("GET", f"/v1/jobs/{job}/events").json()["events"]]


def test_who_saves_too_slowly_is_ended_and_has_not_failed(lab):
    # It is asked, says so, and never gets to its end.
    script = "trap 'echo asked' USR1; echo up; while :; do sleep 0.05; done"
    job = lab.submit("--priority", "low", "--checkpoint=USR1@1", "--grace", "1s", "--", "bash", "-c", script)
    wait_until(lambda: b"up" in lab.logs(job), what="its start")
    assert lab.ended(urgent(lab))["state"] == "completed"
    lab.wait_for(job, "running")
    found = lab.job(job)
    assert (found["attempt"], found["failures"]) == (2, 0)
    assert b"asked" in lab.logs(job, "--attempt", 1)
    assert any("did not save in time" in text for text in trail(lab, job))
    lab.run("cancel", job)


def test_who_ignores_every_signal_is_killed_and_begins_again(lab):
    world(lab, "return=cuCheckpointProcessLock:801")
    script = "trap '' TERM INT HUP USR1 USR2 QUIT; echo up; while :; do sleep 0.05; done"
    job = lab.submit("--priority", "low", "--restartable", "--grace", "1s", "--", "bash", "-c", script)
    wait_until(lambda: b"up" in lab.logs(job), what="its start")
    assert lab.ended(urgent(lab))["state"] == "completed"
    lab.wait_for(job, "running")
    assert (lab.job(job)["attempt"], lab.job(job)["failures"]) == (2, 0)
    lab.run("cancel", job, "--grace", "0")


def test_a_victim_that_ends_by_itself_in_the_midst_of_its_move(lab):
    world(lab, "checkpoint_fixed_ms=1500")
    job = training(lab, seconds="1")
    rush = urgent(lab)
    lab.wait_for(job, "pausing")
    assert lab.ended(rush)["state"] == "completed"
    assert lab.ended(job)["state"] == "completed", "it was over before it had left, or goes on to its end"


def test_a_priority_that_falls_meanwhile_brings_the_victim_back(lab):
    world(lab, "checkpoint_fixed_ms=700")
    job = training(lab)
    rush = urgent(lab)
    lab.wait_for(job, "pausing")
    lab.run("set", rush, "--priority", "idle")
    wait_until(lambda: any("it goes on where it was" in text for text in trail(lab, job)), what="its return")
    assert lab.job(rush)["state"] == "queued"
    lab.run("cancel", job, rush)


def test_host_ram_that_is_too_small_leaves_everything_as_it_was(lab):
    world(lab, "host_ram=4G")
    job = training(lab)
    rush = urgent(lab)
    wait_until(lambda: any("could not be moved" in text for text in trail(lab, job)), what="the refusal")
    lab.wait_for(job, "running")
    assert lab.job(rush)["state"] == "queued"
    lab.run("cancel", job)
    assert lab.ended(rush)["state"] == "completed"


def test_two_urgent_jobs_at_once_move_two(programs):
    with LiveDaemon(programs, config=QUICK, sim="2x24G") as daemon:
        set_up(daemon, programs)
        jobs = [training(daemon) for _ in range(2)]
        rushes = [urgent(daemon) for _ in range(2)]
        for rush in rushes:
            assert daemon.ended(rush)["state"] == "completed"
        for job in jobs:
            daemon.wait_for(job, "running")
            assert (daemon.job(job)["attempt"], daemon.job(job)["moves"]) == (1, 1)
        daemon.run("cancel", *jobs)


def test_a_daemon_that_dies_while_a_job_saves_does_not_move_another(programs):
    with LiveDaemon(programs, config=QUICK, sim="2x24G") as daemon:
        set_up(daemon, programs)
        save = "trap 'echo asked; sleep 1; exit 75' USR1; echo up; while :; do sleep 0.05; done"
        # The least important one goes first.
        saves = daemon.submit("--priority", "idle", "--checkpoint", "--", "bash", "-c", save)
        wait_until(lambda: b"up" in daemon.logs(saves), what="its start")
        other = training(daemon)
        rush = urgent(daemon)
        wait_until(lambda: b"asked" in daemon.logs(saves), what="that it saves")
        daemon.kill()
        daemon.start()
        assert daemon.ended(rush)["state"] == "completed"
        assert daemon.job(other)["moves"] == 0
        daemon.run("cancel", other, saves)


def test_a_quota_that_is_lowered_moves_a_job_aside_and_raised_brings_it_back(programs):
    with LiveDaemon(programs, config=QUICK, sim="2x24G") as daemon:
        set_up(daemon, programs)
        jobs = [training(daemon) for _ in range(2)]
        tenant = daemon.job(jobs[0])["tenant"]
        daemon.run("tenant", "set", tenant, "--cards", "1")
        away = wait_until(lambda: [job for job in jobs if daemon.job(job)["state"] == "paused"], what="it")
        assert len(away) == 1
        assert any("holds more than its quota" in text for text in trail(daemon, away[0]))
        daemon.run("tenant", "set", tenant, "--cards", "none")
        daemon.wait_for(away[0], "running")
        daemon.run("cancel", *jobs)


def test_off_is_off(programs):
    with LiveDaemon(programs, config=QUICK + "scheduling: {preemption: off}\n", sim="1x24G") as daemon:
        set_up(daemon, programs)
        job = training(daemon)
        rush = urgent(daemon)
        # Another decision has been made since.
        assert daemon.ended(daemon.submit("--gpus", "0", "--", "true"))["state"] == "completed"
        assert (daemon.job(rush)["state"], daemon.job(job)["state"]) == ("queued", "running")
        daemon.run("cancel", rush, job)
