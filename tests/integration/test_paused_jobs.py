"""Jobs that are paused in different ways on one card, on the real daemon with the simulated driver: nobody
waits for ever, and whoever waits says for what."""

import json
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        daemon.simworld = programs / "gpusched-simworld"
        daemon.world = daemon.state / "sim-world"
        yield daemon


def whole_card(lab, name, *flags):
    steps = lab.state / name
    job = lab.submit("--", lab.simjob, "--vram", "6G", "--ramp", "0s", "--seconds", "0",
                     "--steps-file", steps, *flags)
    lab.wait_for(job, "running")
    wait_until(lambda: steps.exists() and int(steps.read_text() or 0) > 1, what="first steps")
    return job, steps


def paused(lab, job, mechanism):
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    assert lab.job(job)["aside"]["mechanism"] == mechanism


def test_one_moved_out_and_one_frozen_do_not_wait_for_each_other(lab):
    out, _ = whole_card(lab, "out")
    paused(lab, out, "checkpoint")
    frozen, steps = whole_card(lab, "frozen", "--managed")  # The driver does not move it.
    paused(lab, frozen, "freeze")
    lab.run("resume", out)
    said = lab.run("explain", out).stdout
    assert f"waits for room on card 0: job {frozen} (paused on request" in said
    at = int(steps.read_text())
    lab.run("resume", frozen)
    lab.wait_for(frozen, "running")
    wait_until(lambda: int(steps.read_text()) > at, what="steps of the frozen one")
    assert f"job {frozen} is there" in lab.run("explain", out).stdout
    lab.run("cancel", frozen)
    lab.wait_for(out, "running")
    assert lab.job(out)["attempt"] == 1
    lab.run("cancel", out)


def wait_for_its_load(lab):
    """Until the driver has told whose load it is, that of a whole card may be anybody's."""
    def told():
        card = lab.http("GET", "/v1/gpus").json()["cards"][0]
        return any("busy_percent" in one for one in card["processes"])
    wait_until(told, what="the load of the job")


def test_who_waits_behind_one_that_comes_back_says_so(lab):
    first, _ = whole_card(lab, "first")
    wait_for_its_load(lab)
    paused(lab, first, "checkpoint")
    second = lab.submit("--vram", "8G", "--share", "20", "--", "sleep", "600")
    lab.wait_for(second, "running")
    lab.run("resume", first)
    third = lab.submit("--vram", "2G", "--share", "10", "--", "sleep", "600")
    said = json.loads(lab.run("explain", third, "--json").stdout)["reasons"]
    assert said[0]["code"] == "kept" and said[0]["jobs"] == [first] and said[0]["helps"] is None, said
    lab.run("cancel", second)
    lab.wait_for(first, "running")
    lab.run("cancel", first)
    lab.wait_for(third, "running")


def test_who_is_kept_away_by_foreign_load_says_so(lab):
    first, _ = whole_card(lab, "first")
    wait_for_its_load(lab)
    paused(lab, first, "checkpoint")

    def world(*words):
        return subprocess.run([lab.simworld, words[0], lab.world, *words[1:]], capture_output=True, text=True,
                              check=True, timeout=30).stdout.strip()

    pid = world("add-process", "card=0", "vram=1G", "util=70", "name=train.py")
    wait_until(lambda: lab.http("GET", "/v1/gpus").json()["cards"][0]["load_percent"] == 70, what="the load")
    lab.run("resume", first)
    assert f"pid {pid}, keeps card 0 busy (70 %)" in lab.run("explain", first).stdout
    world("remove-process", pid)
    lab.wait_for(first, "running")


def test_memory_of_a_job_that_should_be_away_counts(lab):
    def world(*words):
        command = [lab.simworld, words[0], lab.world, *words[1:]]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    out, _ = whole_card(lab, "out")
    (process,) = json.loads(world("show", "--json"))["cards"][0]["processes"]
    paused(lab, out, "checkpoint")
    # As if a restore that nobody waited for had brought it back.
    world("add-process", "card=0", "vram=20G", f"pid={process['pid']}")

    def is_seen():
        (card,) = lab.http("GET", "/v1/gpus").json()["cards"]
        return (process["pid"], 20 << 30) in [(one["pid"], one["vram_bytes"]) for one in card["processes"]]

    wait_until(is_seen, what="a look at it")
    waits = lab.submit("--vram", "10G", "--", lab.simjob, "--vram", "9G", "--seconds", "0")
    said = json.loads(lab.run("explain", waits, "--json").stdout)
    assert said["reasons"][0]["code"] == "cards" and said["reasons"][0]["jobs"] == [int(out)]
    world("remove-process", str(process["pid"]))
    lab.wait_for(waits, "running")
    lab.run("cancel", waits, out)
