"""Alarms on the real daemon: raised, over, inhibited, silenced, kept over a restart, told to streams."""

import json
import subprocess

import pytest
import raw_http
from live_daemon import ROOMY, LiveDaemon, wait_until

RULES = """
watch: {busy_period_ms: 200, idle_period_ms: 200, deadline_ms: 500}
alarms:
  temperature: {above: 80, clear: 70, for: 1s, clear_for: 0s}
  card_lost: {for: 1s}
  job_failed: {for: 1s, clear_for: 1h}
  failures_in_row: {above: 2}
  disk_low: off
  store_slow: off
"""


@pytest.fixture(scope="module")
def lab(programs):
    with LiveDaemon(programs, config=ROOMY + RULES, sim="2x24G") as daemon:
        def world(*words):
            subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world", *words],
                           capture_output=True, text=True, check=True, timeout=30)
        daemon.world = world
        yield daemon


def alarms(lab):
    return {(one["rule"], one["subject"]): one for one in lab.http("GET", "/v1/alarms").json()["alarms"]}


def is_on(lab, rule, subject):
    return wait_until(lambda: alarms(lab).get((rule, subject)), 60, f"{rule} on {subject}")


def is_over(lab, rule, subject):
    wait_until(lambda: (rule, subject) not in alarms(lab), 60, f"the end of {rule} on {subject}")


@pytest.fixture
def hot(lab):
    lab.world("card=0", "temperature=90")
    is_on(lab, "temperature", "card 0")
    yield lab
    lab.world("card=0", "temperature=auto")
    is_over(lab, "temperature", "card 0")


def test_heat_is_raised_listed_and_over(lab):
    lab.world("card=0", "temperature=90")
    one = is_on(lab, "temperature", "card 0")
    assert one["what"] == "card 0 is at 90 °C, its limit is 80 °C", one
    assert (one["severity"], one["card"], one["advice"] != "") == ("warning", 0, True)
    said = lab.run("alerts").stdout
    assert "warning  temperature, card 0" in said and "What to do:" in said and "Since " in said, said
    assert json.loads(lab.run("alerts", "list", "--json").stdout)["alarms"][0]["rule"] == "temperature"
    assert ("temperature", "card 1") not in alarms(lab)
    lab.world("card=0", "temperature=75")  # Cooler, and not yet well.
    kept = lab.submit("--gpus", "0", "--", "true")
    lab.ended(kept)
    assert ("temperature", "card 0") in alarms(lab)
    lab.world("card=0", "temperature=auto")
    is_over(lab, "temperature", "card 0")
    assert "no alarm is on" in lab.run("alerts").stderr
    assert "alarm: card 0 is at 90 °C" in lab.log() and "alarm is over" in lab.log()


def test_rules_are_shown(lab):
    rules = {one["name"]: one for one in lab.http("GET", "/v1/alarms").json()["rules"]}
    assert (rules["temperature"]["threshold"], rules["temperature"]["for_s"]) == (80, 1)
    assert not rules["disk_low"]["enabled"] and rules["xid"]["enabled"]
    said = lab.run("alerts", "rules").stdout
    assert "from 80 °C" in said and "idle_holder" in said, said


def test_a_silence_hits_what_it_names_and_has_an_end(hot):
    tried = hot.run("alerts", "silence", "temperature", "card", "0", "--for", "2h", "--dry-run")
    assert "would say" in tried.stderr and "it hits: temperature, card 0" in tried.stderr, tried
    assert not hot.http("GET", "/v1/alarms").json()["silences"]
    made = hot.run("alerts", "silence", "temperature", "card", "0", "--for", "2h", "--reason", "fan")
    assert "are not told until" in made.stderr and "alerts unsilence" in made.stderr, made
    quiet = wait_until(lambda: alarms(hot)["temperature", "card 0"]["quiet_because"], what="quiet")
    silence = hot.http("GET", "/v1/alarms").json()["silences"][0]
    assert quiet == f"silence {silence['id']}" and silence["reason"] == "fan"
    shown = hot.run("alerts").stdout
    assert "Nobody is told: silence" in shown and "SILENCE" in shown, shown
    before = alarms(hot)["temperature", "card 0"]["told_at"]
    hot.run("alerts", "unsilence", silence["id"])
    wait_until(lambda: not alarms(hot)["temperature", "card 0"]["quiet_because"], what="its end")
    assert alarms(hot)["temperature", "card 0"]["told_at"] > before
    hot.run("alerts", "silence", "all", "--for", "1s")
    wait_until(lambda: not hot.http("GET", "/v1/alarms").json()["silences"], what="the end of a second")


def test_a_second_silence_keeps_it_quiet_and_one_of_the_same_takes_its_place(hot):
    def made(*words):
        return json.loads(hot.run("alerts", "silence", *words, "--json").stdout)["silences"][0]["id"]

    number = made("temperature", "card", "0", "--for", "1h")
    longer = hot.run("alerts", "silence", "temperature", "card", "0", "--for", "2h").stderr
    assert f"in place of silence {number}" in longer, longer
    [second] = hot.http("GET", "/v1/alarms").json()["silences"]
    assert second["id"] > number
    hot.run("alerts", "silence", "all", "card", "0", "--for", "1h")
    other = max(one["id"] for one in hot.http("GET", "/v1/alarms").json()["silences"])
    said = hot.run("alerts", "unsilence", second["id"]).stderr
    assert f"temperature, card 0 stays untold: silence {other}" in said, said
    said = hot.run("alerts", "unsilence", other).stderr
    assert "temperature, card 0 is told within a second" in said, said
    hot.kill()
    hot.start()
    last = made("xid", "--for", "1h")
    assert last > other, "a number was used again"
    assert "no alarm that is on was hit" in hot.run("alerts", "unsilence", last).stderr


def test_who_may_not_silence_is_told_who_may(lab):
    secret = lab.run("token", "create", "--read-only").stdout.strip()
    bearer = {"Authorization": f"Bearer {secret}"}
    said = lab.http("POST", "/v1/silences", {"for_s": 60}, headers=bearer)
    assert said.status == 403, said
    assert lab.http("POST", "/v1/alarms/test", {}, headers=bearer).status == 403
    assert lab.http("GET", "/v1/alarms", headers=bearer).status == 200


@pytest.mark.parametrize("words,code,say", [
    (["silence", "temperature"], 64, "for how long"),
    (["silence", "temperature", "--for", "soon"], 64, "soon"),
    (["silence", "temperature", "--for", "91d"], 64, "90 days at most"),
    (["silence", "nothing", "--for", "1h"], 66, "there is no rule 'nothing'"),
    (["silence", "temperature", "card", "7", "--for", "1h"], 64, "there is no card 7; this machine has 0, 1"),
    (["silence", "temperature", "user", "ml1", "--for", "1h"], 64, "write it like card 0"),
    (["silence", "disk_low", "--for", "1h"], 64, "rule disk_low is off"),
    (["silence", "weekly_report", "--for", "1h"], 64, "is a report and no alarm"),
    (["unsilence", "999999"], 66, "there is no silence 999999"),
    (["outbox", "ops"], 64, "takes no further words"),
    (["unsilence", "x"], 64, "not the number of a silence"),
    (["test", "nobody"], 66, "there is no receiver 'nobody'"),
    (["loud"], 64, "alerts has no 'loud'"),
    (["list", "--for", "1h"], 64, "belongs to alerts silence"),
])
def test_mistakes_are_told_in_a_sentence(lab, words, code, say):
    done = lab.run("alerts", *words, check=False)
    assert done.returncode == code and say in done.stderr and done.stderr.count("\n") == 1, done


def test_a_mistake_in_the_rules_changes_nothing(lab):
    file = lab.directory / "config.yaml"
    right = file.read_text()
    before = lab.http("GET", "/v1/alarms").json()["rules"]
    try:
        file.write_text(right + "  throttling: {for: 5m, severity: loud}\n")
        done = lab.run("config", "reload", check=False)
        line = right.count("\n") + 1
        place = f"config.yaml:{line}:35: alarms.throttling.severity"
        assert done.returncode == 64 and place in done.stderr, done
        assert lab.http("GET", "/v1/alarms").json()["rules"] == before
        file.write_text(right + "  throttling: off\n")
        assert "alarms" in lab.run("config", "reload").stdout
        rules = {one["name"]: one for one in lab.http("GET", "/v1/alarms").json()["rules"]}
        assert not rules["throttling"]["enabled"] and rules["temperature"]["threshold"] == 80
    finally:
        file.write_text(right)
        lab.run("config", "reload")


def test_failing_jobs_are_counted_and_named(lab):
    jobs = [lab.submit("--gpus", "0", "--cmd", "exit 3") for _ in range(4)]
    one = wait_until(lambda: [a for a in alarms(lab).values() if a["rule"] == "job_failed" and
                              not a["quiet_because"]], 60, "the failures")[0]
    assert "failed" in one["what"] and "exit code 3" in one["what"] and one["user"], (jobs, one)
    row = wait_until(lambda: [a for a in alarms(lab).values() if a["rule"] == "failures_in_row"], 60,
                     "failures in a row")[0]
    assert "one after the other" in row["what"], row


def test_streams_hear_of_alarms(lab):
    with raw_http.connect(lab.socket) as client:
        client.settimeout(60)
        client.sendall(b"GET /v1/events?topics=alarms HTTP/1.0\r\nHost: x\r\n\r\n")
        stream = client.makefile("rb")

        def told(wanted):
            for line in stream:
                if line.startswith(b"data: "):
                    now = {one["rule"] for one in json.loads(line[6:])["alarms"]}
                    if ("temperature" in now) == wanted:
                        return True
            raise AssertionError("the stream ended")

        lab.world("card=1", "temperature=90")
        assert told(True)
        lab.world("card=1", "temperature=auto")
        assert told(False)


def test_alarms_outlive_the_daemon_and_a_lost_card_inhibits(lab):
    """Last: the card does not come back by itself."""
    lab.run("alerts", "silence", "xid", "--for", "1h")
    lab.world("card=1", "xid=92")
    is_on(lab, "xid", "card 1")
    lab.world("card=0", "temperature=90")
    hot = is_on(lab, "temperature", "card 0")
    lab.kill()
    lab.start()
    kept = alarms(lab)
    assert kept["temperature", "card 0"]["since"] == hot["since"]
    assert kept["temperature", "card 0"]["told_at"] == hot["told_at"]
    assert len(lab.http("GET", "/v1/alarms").json()["silences"]) == 1
    wait_until(lambda: alarms(lab)["temperature", "card 0"], what="a look after the restart")
    lab.world("card=0", "lost=on")
    lost = is_on(lab, "card_lost", "card 0")
    assert lost["severity"] == "critical" and "reboot" in lost["advice"], lost
    wait_until(lambda: alarms(lab)["temperature", "card 0"]["quiet_because"] == "inhibited by card_lost",
               60, "inhibition")
    assert alarms(lab)["temperature", "card 0"]["told_at"] == hot["told_at"]
    # Out for good: somebody says so, and it is no alarm any more.
    assert "if it is out for good: gpusched drain 0" in lost["advice"], lost
    lab.run("drain", "0")
    is_over(lab, "card_lost", "card 0")
