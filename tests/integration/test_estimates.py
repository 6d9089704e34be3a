"""Estimates through the whole way: past runs, out-of-memory retries, the unknown, pressure, progress."""

import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
scheduling: {ramp: 1s, unknown_settle: 1s, load_fall: 1s}
"""
GIB = 1 << 30


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        daemon.world = daemon.state / "sim-world"
        yield daemon


def simjob(lab, vram, seconds, *more):
    return [lab.simjob, "--vram", vram, "--util", "20", "--seconds", seconds, *more]


def held_by(lab, job):
    return lab.job(job)["estimate"]["held_vram_bytes"]


def kinds(lab, job):
    return [line["kind"] for line in lab.http("GET", f"/v1/jobs/{job}/events").json()["events"]]


def test_the_second_run_of_a_command_shares_by_what_the_first_one_used(lab):
    first = lab.submit("--", *simjob(lab, "4G", "1"))
    lab.wait_for(first, "running")
    assert held_by(lab, first) == 24 * GIB, "alone: nothing is known of it"
    assert lab.ended(first)["state"] == "completed"
    both = [lab.submit("--", *simjob(lab, "4G", "30")) for _ in range(2)]
    for job in both:
        lab.wait_for(job, "running")
        assert held_by(lab, job) == pytest.approx(4.6 * GIB, rel=0.01)
    shown = lab.run("show", both[0]).stdout
    assert "held 4.6 GiB from 1 earlier run" in shown


def test_what_was_learnt_survives_kill_9(lab):
    first = lab.submit("--", *simjob(lab, "4G", "1"))
    assert lab.ended(first)["state"] == "completed"
    running = lab.submit("--vram", "6G", "--", *simjob(lab, "5G", "4", "--ramp", "100ms"))
    wait_until(lambda: lab.job(running)["estimate"]["used_vram_bytes"] >= 5 * GIB, 30, "its peak")
    wait_until(lambda: lab.job(running)["state"] == "running", 30, "running")
    lab.kill()
    lab.start()
    again = lab.submit("--", *simjob(lab, "4G", "30"))
    lab.wait_for(again, "running")
    assert held_by(lab, again) == pytest.approx(4.6 * GIB, rel=0.01)
    assert lab.ended(running)["usage"]["gpu"]["peak_card_vram_bytes"] == 5 * GIB


def test_advice_says_what_to_ask_for(lab):
    job = lab.submit("--vram", "20G", "--", *simjob(lab, "6.1G", "1"))
    assert lab.ended(job)["state"] == "completed"
    assert "asked 20 GiB, used 6.1 GiB: ask for 7 GiB next time" in lab.run("show", job).stdout
    shown = lab.job(job)
    assert shown["advice"] == "asked 20 GiB, used 6.1 GiB: ask for 7 GiB next time"
    assert shown["estimate"]["suggested_vram_bytes"] == 7 * GIB


@pytest.mark.parametrize("where", ["the job's own log", "a file of the user's"])
def test_out_of_memory_is_told_and_retried_with_a_larger_hold(lab, where, tmp_path):
    pid = subprocess.run([lab.programs / "gpusched-simworld", "add-process", lab.world, "card=0",
                          "vram=17G", "name=other"], capture_output=True, text=True,
                         check=True).stdout.strip()
    wait_until(lambda: lab.http("GET", "/v1/gpus").json()["cards"][0]["foreign_bytes"] == 17 * GIB,
               30, "the foreign process")
    output = [] if where.startswith("the job") else ["--output", tmp_path / "out"]
    job = lab.submit("--vram", "6G", "--retries", "1", *output, "--", *simjob(lab, "8G", "1"))
    waiting = wait_until(lambda: (j := lab.job(job))["attempt"] == 1 and j["state"] == "queued" and j,
                         30, "the retry")
    assert waiting["failures"] == 1
    trail = lab.http("GET", f"/v1/jobs/{job}/events").json()["events"]
    told = [line["text"] for line in trail]
    assert any("ran out of GPU memory; retry 1 of 1, holding at least 9216 MiB" in text
               for text in told), told
    subprocess.run([lab.programs / "gpusched-simworld", "remove-process", lab.world, pid],
                   check=True, capture_output=True)
    assert lab.ended(job)["state"] == "completed"
    assert lab.job(job)["estimate"]["held_vram_bytes"] == pytest.approx(9 * GIB, rel=0.01)


def test_an_out_of_memory_failure_without_retries_has_its_own_cause(lab):
    job = lab.submit("--vram", "6G", "--", *simjob(lab, "30G", "1"))
    ended = lab.ended(job)
    assert (ended["state"], ended["cause"], ended["exit_code"]) == ("failed", "cuda_oom", 1)
    other = lab.submit("--", "sh", "-c", "echo something else; exit 1")
    assert lab.ended(other)["cause"] == "exit"


def test_the_unknown_is_joined_once_its_memory_has_settled(lab):
    first = lab.submit("--", *simjob(lab, "8G", "60"))
    second = lab.submit("--vram", "4G", "--", *simjob(lab, "4G", "1"))
    lab.wait_for(first, "running")
    assert lab.job(second)["state"] == "queued"
    assert lab.ended(second)["state"] == "completed"
    assert lab.job(first)["state"] == "running"
    assert held_by(lab, first) == pytest.approx(10 * GIB, rel=0.01)
    assert "settled" in kinds(lab, first)


def test_pressure_moves_a_job_aside_and_it_comes_back(lab):
    greedy = lab.submit("--vram", "4G", "--share", "10", "--preempt", "never", "--",
                        *simjob(lab, "18G", "60", "--ramp", "2s"))
    lab.wait_for(greedy, "running")
    meek = lab.submit("--vram", "6G", "--share", "10", "--", *simjob(lab, "5G", "60"))
    lab.wait_for(meek, "running")
    lab.wait_for(meek, "paused")
    lab.wait_for(greedy, "running")
    lab.run("cancel", greedy)
    lab.ended(greedy)
    lab.wait_for(meek, "running")
    assert lab.job(meek)["attempt"] == 1


def test_pressure_starts_a_restartable_job_over_where_the_driver_cannot_move_it(lab):
    refuse = "return=cuCheckpointProcessLock:801"
    subprocess.run([lab.programs / "gpusched-simworld", "set", lab.world, refuse], check=True)
    greedy = lab.submit("--vram", "4G", "--share", "10", "--",
                        *simjob(lab, "18G", "60", "--ramp", "2s"))
    lab.wait_for(greedy, "running")
    meek = lab.submit("--vram", "6G", "--share", "10", "--restartable", "--",
                      *simjob(lab, "5G", "60"))
    lab.wait_for(meek, "running")
    wait_until(lambda: "moving" in kinds(lab, meek), 30, "the eviction")
    waiting = wait_until(lambda: (j := lab.job(meek))["state"] == "queued" and j, 30, "the requeue")
    assert waiting["failures"] == 0
    lab.wait_for(greedy, "running")  # It stood still while the other one left.
    assert lab.job(greedy)["attempt"] == 1
    lab.run("cancel", greedy)
    lab.ended(greedy)
    wait_until(lambda: (j := lab.job(meek))["attempt"] == 2 and j["state"] == "running", 30,
               "the second attempt")


def test_progress_is_shown_and_gives_the_end(lab):
    line = 'for i in 1 2 3 4 5 6; do echo "$i 60" > "$GPUSCHED_PROGRESS"; sleep 0.3; done; sleep 60'
    job = lab.submit("--gpus", "0", "--cmd", line)
    row = wait_until(lambda: (j := lab.job(job))["progress"] == {"step": 6, "total": 60}
                     and j["expected_end"] and j, 30, "the progress")
    assert row["state"] == "running"
    assert row["estimate"]["run_s"] == pytest.approx(10 * 1.5, rel=0.8)
    shown = lab.run("show", job).stdout
    assert "6 of 60 (10%)" in shown and "Should end" in shown
    listed = [j for j in lab.jobs() if j["id"] == job][0]
    assert listed["progress"]["total"] == 60
