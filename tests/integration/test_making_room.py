"""The story of making room, on the real daemon with the simulated driver: an urgent job arrives, a training
that knows nothing of us leaves its card, the urgent one runs, the training goes on where it was."""

import json
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""
GIB = 1 << 30


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        daemon.simworld = programs / "gpusched-simworld"
        daemon.world = daemon.state / "sim-world"
        yield daemon


def training(lab, vram="10G", seconds="0", priority="low", *flags):
    steps = lab.state / f"steps-{vram}"
    job = lab.submit("--priority", priority, *flags, "--", lab.simjob, "--vram", vram, "--util", "50",
                     "--ramp", "0s", "--seconds", seconds, "--steps-file", steps)
    lab.wait_for(job, "running")
    wait_until(lambda: steps.exists() and int(steps.read_text() or 0) > 3, what="first steps")
    return job, steps


def urgent(lab, seconds="1", *flags):
    return lab.submit("--priority", "urgent", "--vram", "20G", *flags, "--", lab.simjob, "--vram", "19G",
                      "--util", "50", "--ramp", "0s", "--seconds", seconds)


def trail(lab, job):
    return [line["kind"] for line in lab.http("GET", f"/v1/jobs/{job}/events").json()["events"]]


def test_the_story(lab):
    job, steps = training(lab)
    rush = urgent(lab)
    lab.wait_for(job, "paused")
    at = int(steps.read_text())
    away = lab.job(job)
    assert away["aside"]["mechanism"] == "checkpoint"
    assert away["aside"]["for"] == int(rush)
    assert away["aside"]["host_bytes"] >= 10 * GIB
    assert away["moves"] == 1 and away["away_s"] > 0 and away["move_problem"] is None
    shown = lab.run("show", job).stdout
    assert f"for job {rush}, since " in shown and "GiB in host RAM (checkpoint)" in shown
    said = lab.run("explain", job).stdout
    assert f"moved aside for job {rush}" in said
    assert lab.ended(rush)["state"] == "completed"
    lab.wait_for(job, "running")
    wait_until(lambda: int(steps.read_text()) > at + 3, what="steps after its return")
    assert lab.job(job)["attempt"] == 1, "the same process"
    assert lab.job(job)["aside"] is None and lab.job(job)["away_s"] > 0
    assert "1 time, away for" in lab.run("show", job).stdout
    kinds = trail(lab, job)
    order = ["pausing", "paused", "resuming", "running"]
    assert [kind for kind in kinds if kind in order][-4:] == order
    lab.run("cancel", job)
    assert lab.ended(job)["state"] == "cancelled"


def test_pause_and_resume_by_hand(lab):
    job, steps = training(lab)
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    at = int(steps.read_text())
    assert "paused" in lab.run("status").stdout
    other = lab.submit("--vram", "20G", "--", lab.simjob, "--vram", "19G", "--seconds", "1")
    assert lab.ended(other)["state"] == "completed", "its card is free meanwhile"
    assert int(steps.read_text()) == at, "it stands still"
    assert lab.job(job)["state"] == "paused", "it does not return by itself"
    lab.run("resume", job)
    lab.wait_for(job, "running")
    wait_until(lambda: int(steps.read_text()) > at, what="steps after its return")
    assert lab.run("resume", job, check=False).returncode == 65
    lab.run("cancel", job)


def test_a_paused_job_can_be_cancelled(lab):
    job, _ = training(lab)
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    lab.run("cancel", job)
    assert lab.ended(job)["state"] == "cancelled"


def test_kill_9_of_the_daemon_while_a_job_is_aside(lab):
    job, steps = training(lab)
    rush = urgent(lab, "2")
    lab.wait_for(job, "paused")
    lab.kill()
    lab.start()
    assert lab.ended(rush, 60)["state"] == "completed"
    lab.wait_for(job, "running", seconds=60)
    at = int(steps.read_text())
    wait_until(lambda: int(steps.read_text()) > at, what="steps after its return")
    assert lab.job(job)["attempt"] == 1
    lab.run("cancel", job)


def test_a_job_that_saves_itself_is_asked_and_goes_on(lab):
    script = ('step=0; [ -n "$GPUSCHED_RESUME" ] && step=$(cat "$GPUSCHED_CHECKPOINT_DIR/step"); '
              'trap \'echo $step > "$GPUSCHED_CHECKPOINT_DIR/step"; exit 75\' USR1; '
              'while [ $step -lt 100000 ]; do step=$((step + 1)); echo at $step; sleep 0.05; done')
    job = lab.submit("--priority", "low", "--checkpoint", "--", "bash", "-c", script)
    lab.wait_for(job, "running")
    wait_until(lambda: b"at 3" in lab.logs(job), what="its third step")
    rush = urgent(lab)
    assert lab.ended(rush)["state"] == "completed"
    lab.wait_for(job, "running")
    assert lab.job(job)["attempt"] == 2
    wait_until(lambda: b"at 5" in lab.logs(job), what="steps after its return")
    assert b"at 1\n" not in lab.logs(job), "it goes on, it does not begin again"
    lab.run("cancel", job)


def left_alone(lab, job, waits):
    """True of a job that runs while the other waits, after one more decision about both."""
    lab.wait_for(waits, "queued")
    assert lab.ended(lab.submit("--gpus", "0", "--", "true"))["state"] == "completed"
    states = (lab.job(job)["state"], lab.job(waits)["state"])
    return states == ("running", "queued") and "pausing" not in trail(lab, job) and lab.job(job)["moves"] == 0


def test_equals_are_left_alone(lab):
    job, _ = training(lab, "10G", "0", "normal")
    equal = lab.submit("--vram", "20G", "--", "true")
    assert left_alone(lab, job, equal)
    lab.run("cancel", equal)
    # The same place and the same need: what makes the difference is the priority.
    rush = urgent(lab)
    assert lab.ended(rush)["state"] == "completed"
    assert lab.job(job)["moves"] == 1
    lab.run("cancel", job)


def test_who_is_never_to_be_moved_is_left_alone(lab):
    stays, _ = training(lab, "11G", "0", "low", "--preempt", "never")
    rush = urgent(lab)
    assert left_alone(lab, stays, rush)
    explained = json.loads(lab.run("explain", rush, "--json").stdout)
    assert explained["reasons"][0]["code"] == "cards"
    lab.run("cancel", stays, rush)


def test_a_victim_that_ends_on_its_way_makes_room_too(lab):
    job, _ = training(lab)
    rush = urgent(lab)
    wait_until(lambda: lab.job(job)["state"] in ("pausing", "paused"), what="on its way")
    lab.run("cancel", job, "--grace", "0")
    assert lab.ended(job)["state"] == "cancelled"
    assert lab.ended(rush)["state"] == "completed"


def test_what_the_driver_will_not_move_is_remembered(lab):
    refuse = "return=cuCheckpointProcessLock:801"
    subprocess.run([lab.simworld, "set", lab.world, refuse], check=True)
    job, _ = training(lab)
    rush = urgent(lab)

    def tries():
        lines = lab.http("GET", f"/v1/jobs/{job}/events").json()["events"]
        return [line["text"] for line in lines if "could not be moved" in line["text"]]

    wait_until(lambda: tries() and lab.job(job)["state"] == "running", what="a refusal")
    # A further decision on the same state.
    other = lab.submit("--gpus", "0", "--", "true")
    assert lab.ended(other)["state"] == "completed"
    assert lab.job(rush)["state"] == "queued"
    assert len(tries()) == 1, "not tried again"
    assert lab.job(job)["moves"] == 0, "what did not happen is not counted"
    lab.run("cancel", job, rush)
    assert lab.ended(job)["state"] == "cancelled"


def test_a_card_learns_how_fast_it_moves_and_remembers_it(lab):
    for setting in ("checkpoint_out=8192", "checkpoint_in=16384"):
        subprocess.run([lab.simworld, "set", lab.world, setting], check=True)
    card = wait_until(lambda: lab.http("GET", "/v1/gpus").json()["cards"], what="the card")[0]
    assert card["moves"] and card["move_rates"]["out"]["measured"] == 0
    assert card["move_rates"]["out"]["bytes_per_s"] == 1600 << 20, "the usual"
    job, _ = training(lab)
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    lab.run("resume", job)
    lab.wait_for(job, "running")

    def rates():
        return lab.http("GET", "/v1/gpus").json()["cards"][0]["move_rates"]

    learned = rates()
    assert learned["out"]["measured"] == 1 and learned["back"]["measured"] == 1
    # A busy machine may add to what the driver takes, never the other way round.
    assert 4 * GIB < learned["out"]["bytes_per_s"] <= 8.1 * GIB
    assert 8 * GIB < learned["back"]["bytes_per_s"] <= 16.2 * GIB
    assert "moves memory to host RAM at" in lab.run("gpus").stdout
    lab.kill()
    lab.start()
    assert rates() == learned, "it survives"
    lab.run("cancel", job)
