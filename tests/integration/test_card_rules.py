"""Rules for single cards and numbers that stay, through the whole way with the simulated driver."""

import json
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FAST = ROOMY + "\nwatch:\n  busy_period_ms: 200\n  idle_period_ms: 200\n  deadline_ms: 500\n"
RULES = FAST + """
gpus:
  expect: 3
  cards:
    - match: {number: 0}
      alias: left
      tags: [display, small]
      manage: off
    - match: {model: simulated}
      vram_cap: 10G
      jobs_most: 2
"""


def cards(daemon):
    return {card["number"]: card for card in daemon.http("GET", "/v1/gpus").json()["cards"]}


def simworld(daemon, programs, *words):
    subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world", *words],
                   capture_output=True, check=True, timeout=30)


@pytest.fixture
def ruled(programs):
    with LiveDaemon(programs, config=RULES, sim="2x24G") as daemon:
        yield daemon


def test_a_card_that_is_not_managed_is_shown_and_gets_nothing(ruled):
    shown = cards(ruled)
    assert (shown[0]["managed"], shown[0]["usable"], shown[0]["state"]) == (False, False, "ignored")
    assert (shown[0]["alias"], shown[0]["tags"]) == ("left", ["display", "small"])
    assert shown[1]["managed"] and shown[1]["usable"]
    assert (shown[1]["alias"], shown[1]["tags"]) == (None, [])
    assert ruled.ended(ruled.submit("--", "true"))["gpus"][0]["number"] == 1
    refused = ruled.run("submit", "--gpus", "2", "--", "true", check=False)
    assert refused.returncode != 0 and "only 1 of this machine's 2" in refused.stderr
    table = ruled.run("gpus").stdout
    assert "ignored" in table and "(left)" in table


def test_cards_are_named_by_alias_or_tag(programs):
    named = FAST + "\ngpus:\n  cards:\n    - {match: {number: 1}, alias: left, tags: [big]}\n"
    with LiveDaemon(programs, config=named, sim="2x24G") as daemon:
        assert daemon.ended(daemon.submit("--gpu", "left", "--", "true"))["gpus"][0]["number"] == 1
        assert daemon.ended(daemon.submit("--gpu", "big", "--", "true"))["gpus"][0]["number"] == 1
        away = daemon.ended(daemon.submit("--not-gpu", "big", "--", "true"))
        assert away["gpus"][0]["number"] == 0 and away["needs"]["avoid_cards"] == ["big"]
        refused = daemon.run("submit", "--gpu", "right", "--", "true", check=False)
        assert refused.returncode != 0 and "alias or tag 'right'" in refused.stderr
        waiting = daemon.submit("--hold", "--", "true")
        daemon.run("set", waiting, "--gpu", "0,left")
        assert daemon.job(waiting)["needs"]["only_cards"] == [0, "left"]


def test_the_cap_and_the_number_of_jobs_hold(ruled):
    assert cards(ruled)[1]["capacity_bytes"] == 10 << 30
    refused = ruled.run("submit", "--vram", "11G", "--", "true", check=False)
    assert "10.0 GiB" in refused.stderr
    jobs = [ruled.submit("--vram", "1G", "--", "sleep", "60") for _ in range(3)]
    for job in jobs[:2]:
        ruled.wait_for(job, "running")
    assert ruled.job(jobs[2])["state"] == "queued"
    ruled.run("cancel", jobs[0])
    ruled.wait_for(jobs[2], "running")


def test_a_missing_card_is_warned_of_everywhere(ruled):
    assert ruled.http("GET", "/v1/gpus").json()["missing"] == 1
    assert "1 of this machine's cards is missing" in ruled.run("gpus").stdout
    assert ruled.log().count("cards are missing") == 1
    ruled.submit("--", "sleep", "60")
    job = ruled.submit("--", "true")
    assert "1 card of this machine is missing" in ruled.run("explain", job).stdout


def test_the_configuration_in_force_has_the_rules(ruled):
    text = ruled.run("config", "show", "--running").stdout
    assert 'match: {model: "simulated"}' in text and "vram_cap: 10G" in text and "expect: 3" in text


def test_a_card_keeps_its_number_when_the_first_one_is_gone(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        second = cards(daemon)[1]["uuid"]
        remembered = json.loads((daemon.state / "cards.json").read_text())
        assert [card["number"] for card in remembered["cards"]] == [0, 1]
        simworld(daemon, programs, "card=0", "lost=on")
        daemon.kill()
        daemon.start()
        left = wait_until(lambda: (c := cards(daemon)).get(1, {}).get("usable") and c, 30,
                          "the card that is left")
        assert (left[1]["uuid"], left[1]["driver_index"]) == (second, 0)
        job = daemon.submit("--", programs / "gpusched-simjob", "--vram", "1G", "--seconds", "2")
        ended = daemon.ended(job)
        assert (ended["state"], ended["gpus"][0]["number"]) == ("completed", 1), daemon.logs(job)
        simworld(daemon, programs, "card=0", "lost=off")
        daemon.kill()
        daemon.start()
        wait_until(lambda: set(cards(daemon)) == {0, 1}, 30, "both cards")
        assert cards(daemon)[1]["uuid"] == second


def test_a_memory_that_is_broken_costs_nothing_but_the_numbers(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        daemon.kill()
        (daemon.state / "cards.json").write_text("{")
        daemon.start()
        assert set(cards(daemon)) == {0, 1}
        assert "cards are numbered anew" in daemon.log()
        json.loads((daemon.state / "cards.json").read_text())
