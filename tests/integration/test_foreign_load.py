"""Jobs beside foreign processes that compute, and looks before a start, with a real daemon."""

import json
import subprocess
from datetime import datetime, timezone

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

OFTEN = "\nwatch: {busy_period_ms: 200, idle_period_ms: 200, deadline_ms: 500}\n"
# Nobody looks while nothing runs or waits.
NEVER_WHEN_IDLE = "\nwatch: {idle_period_ms: 3600000}\n"


def lab(programs, config, sim="2x24G"):
    daemon = LiveDaemon(programs, config=ROOMY + config, sim=sim)

    def simworld(verb, *words):
        done = subprocess.run([programs / "gpusched-simworld", verb, daemon.state / "sim-world", *words],
                              capture_output=True, text=True, check=True, timeout=30)
        return done.stdout.strip()

    daemon.simworld = simworld
    return daemon


@pytest.fixture
def often(programs):
    with lab(programs, OFTEN) as daemon:
        yield daemon


def cards(daemon):
    return {card["number"]: card for card in daemon.http("GET", "/v1/gpus").json()["cards"]}


def reason(daemon, job):
    return json.loads(daemon.run("explain", job, "--json").stdout)["reasons"][0]


def keep_busy(daemon, card, load, vram="1G", pid=None):
    words = [f"card={card}", f"vram={vram}", f"util={load}", "name=train.py"]
    return daemon.simworld("add-process", *words, *([f"pid={pid}"] if pid else []))


def wait_for_load(daemon, *loads):
    wait_until(lambda: tuple(c["load_percent"] for c in cards(daemon).values()) == loads,
               what=f"loads {loads}")


def wait_until_nobody_looks(daemon):
    def quiet():
        taken = [datetime.fromisoformat(card["sampled_at"].replace("Z", "+00:00"))
                 for card in cards(daemon).values()]
        return (datetime.now(timezone.utc) - max(taken)).total_seconds() > 3

    wait_until(quiet, 60, "an idle daemon that no longer looks")


def test_where_others_keep_every_card_busy_jobs_wait_and_start_when_one_ends(often):
    pids = [keep_busy(often, card, 100) for card in (0, 1)]
    wait_for_load(often, 100, 100)
    declared = often.submit("--vram", "2G", "--share", "20", "--", "sleep", "60")
    whole = often.submit("--", "sleep", "60")
    for job in (declared, whole):
        said = reason(often, job)
        assert said["code"] == "cards" and said["missing"] == ["foreign_load"], said
        assert f"pid {pids[0]}" in said["message"], said
        assert "keeps card 0 busy (100 %)" in said["message"], said
    often.simworld("remove-process", pids[1])
    assert often.wait_for(declared, "running")["gpus"][0]["number"] == 1
    assert often.job(whole)["attempt"] == 0


def test_a_drop_of_the_load_lets_a_job_start(programs):
    with lab(programs, OFTEN, sim="1x24G") as daemon:
        keep_busy(daemon, 0, 95, pid=99999)
        wait_for_load(daemon, 95)
        job = daemon.submit("--vram", "2G", "--share", "30", "--", "sleep", "60")
        assert "keeps card 0 busy (95 %)" in reason(daemon, job)["message"]
        # The same process, with less to do.
        daemon.simworld("remove-process", "99999")
        keep_busy(daemon, 0, 10, pid=99999)
        daemon.wait_for(job, "running")


def test_foreign_load_can_be_ignored(programs):
    with lab(programs, OFTEN + "scheduling: {foreign_load: ignore}\n", sim="1x24G") as daemon:
        keep_busy(daemon, 0, 100)
        wait_for_load(daemon, 100)
        daemon.wait_for(daemon.submit("--", "sleep", "60"), "running")


def test_memory_that_was_taken_while_nobody_looked_is_seen_before_the_start(programs):
    with lab(programs, NEVER_WHEN_IDLE) as daemon:
        wait_until_nobody_looks(daemon)
        pid = keep_busy(daemon, 0, 0, vram="20G")
        keep_busy(daemon, 1, 0, vram="20G")
        job = daemon.submit("--vram", "9G", "--", "sleep", "60")
        wait_until(lambda: "20.0 GiB on card" in reason(daemon, job)["message"], 30, "the new look")
        assert daemon.job(job)["attempt"] == 0
        daemon.simworld("remove-process", pid)
        daemon.wait_for(job, "running")


def test_a_card_whose_driver_hangs_keeps_a_job_from_no_other(programs):
    with lab(programs, NEVER_WHEN_IDLE) as daemon:
        wait_until_nobody_looks(daemon)
        daemon.simworld("set", "card=0", "hang=all")
        job = daemon.submit("--vram", "9G", "--", "sleep", "60")
        assert daemon.wait_for(job, "running")["gpus"][0]["number"] == 1
        daemon.simworld("set", "clear=faults")


def test_explain_names_compute_and_what_helps_does_help(programs):
    with lab(programs, OFTEN, sim="1x24G") as daemon:
        first = daemon.submit("--vram", "2G", "--share", "70", "--", "sleep", "60")
        daemon.wait_for(first, "running")
        second = daemon.submit("--vram", "2G", "--share", "40", "--", "sleep", "60")
        said = reason(daemon, second)
        assert said["missing"] == ["compute"], said
        assert "needs 1 card with 40 % of the compute free" in said["message"], said
        assert said["helps"] == f"with --share 20 it starts now: gpusched set {second} --share 20", said
        daemon.run("set", second, "--share", "20")
        daemon.wait_for(second, "running")


def test_explain_names_the_limit_of_jobs_on_a_card(programs):
    rule = OFTEN + "gpus:\n  cards:\n    - {match: {number: 0}, jobs_most: 1}\n"
    with lab(programs, rule, sim="1x24G") as daemon:
        daemon.wait_for(daemon.submit("--vram", "2G", "--", "sleep", "60"), "running")
        said = reason(daemon, daemon.submit("--vram", "2G", "--", "true"))
        assert said["missing"] == ["jobs_most"] and said["helps"] is None, said
        assert "card 0 has its limit of 1 job" in said["message"], said


def test_a_lost_card_shows_nothing_of_what_it_had(often):
    keep_busy(often, 0, 40, vram="6G")
    wait_until(lambda: cards(often)[0].get("processes"), 30, "the process")
    often.simworld("set", "card=0", "lost=on")
    lost = wait_until(lambda: (c := cards(often)[0])["state"] == "drained" and c, 30, "the loss")
    wait_until(lambda: "sample" not in cards(often)[0], 30, "no readings")
    lost = cards(often)[0]
    assert "processes" not in lost and lost["foreign_bytes"] == 0 and lost["load_percent"] == 0, lost
