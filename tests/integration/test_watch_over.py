"""From trouble to a person, with nothing played: real daemon, rules, outbox, notifier, and receivers."""

import hashlib
import hmac
import subprocess

import pytest
from alertmanager import Alertmanager
from https_receiver import HttpsReceiver
from live_daemon import ROOMY, LiveDaemon, wait_until
from notifier_fixtures import SECRET, place  # noqa: F401

RULES = """
watch: {{busy_period_ms: 200, idle_period_ms: 200, deadline_ms: 500}}
limits: {{group_wait: 1s}}
receivers:
  hook: {{channel: webhook, url: "{hook}", secret_file: {key}, ca_file: {ca}, for_users: on}}
  deaf: {{channel: webhook, url: "{deaf}", ca_file: {ca}, timeout: 2s}}
  pager: {{channel: alertmanager, url: "{pager}"}}
alarms:
  receivers: [deaf, hook, pager]
  temperature: {{above: 80, clear: 70, for: 1s, clear_for: 0s}}
  job_failed: {{for: 2s, clear_for: 2s}}
  disk_low: off
  store_slow: off
"""


@pytest.fixture(scope="module")
def web(place):
    made = HttpsReceiver(place / "good.crt", place / "good.key")
    yield made
    made.close()


@pytest.fixture(scope="module")
def pager(tmp_path_factory):
    try:
        made = Alertmanager(tmp_path_factory.mktemp("alertmanager"))
    except OSError as error:
        pytest.skip(f"no Alertmanager: {error}")
    yield made
    made.close()


@pytest.fixture(scope="module")
def lab(programs, place, web, pager):
    key = place / "key"
    key.write_text(SECRET + "\n")
    key.chmod(0o600)
    config = RULES.format(hook=web.url("/hook/ok"), deaf=web.url("/deaf/hang"), pager=pager.url, key=key,
                          ca=place / "good.crt")
    with LiveDaemon(programs, config=ROOMY + config, sim="2x24G") as daemon:
        def world(*words):
            subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world", *words],
                           capture_output=True, text=True, check=True, timeout=30)
        daemon.world = world
        yield daemon


def notices(web, path="/hook/ok"):
    return [one["json"] for one in web.taken(path)]


def of_rule(web, rule):
    return [one for one in notices(web) if one["rule"] == rule]


def test_a_hot_card_reaches_everybody_and_so_does_its_end(lab, web, pager):
    lab.world("card=0", "temperature=90")
    told = wait_until(lambda: of_rule(web, "temperature"), 90, "the webhook")
    assert "card 0 is at 90" in told[0]["what"] and told[0]["since"] and told[0]["advice"]
    (alert,) = wait_until(pager.alerts, 90, "Alertmanager")
    assert alert["labels"]["alertname"] == "temperature" and alert["labels"]["subject"] == "card 0"
    lab.world("card=0", "temperature=auto")
    wait_until(lambda: of_rule(web, "temperature")[-1]["resolved"], 90, "its end")
    wait_until(lambda: not pager.alerts(), 90, "its end at Alertmanager")
    assert len(of_rule(web, "temperature")) == 2


def test_every_message_is_signed(lab, web):
    lab.run("alerts", "test", "hook", "--wait", "0")
    (test,) = wait_until(lambda: [one for one in web.taken("/hook/ok") if one["json"]["rule"] == "test"], 90)
    head = {name.lower(): value for name, value in test["headers"].items()}
    signed = f"{head['gpusched-id']}.{head['gpusched-timestamp']}.".encode() + test["body"]
    right = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert head["gpusched-signature"] == f"v1={right}"


def test_many_failures_are_counted_and_a_deaf_receiver_harms_nobody(lab, web):
    body = {"command": ["false"], "working_directory": "/", "gpus": 0, "environment": []}
    for _ in range(60):
        assert lab.http("POST", "/v1/jobs", body).status < 300

    # In the first message, or, of those that failed later, in the one that says that it is over.
    def counted():
        return [one for one in of_rule(web, "job_failed") if "60 jobs of " in one["what"]]

    wait_until(counted, 120, "a message that counts all of them")
    assert len(of_rule(web, "job_failed")) <= 2
    waiting = {one["receiver"]: one for one in lab.http("GET", "/v1/outbox").json()["receivers"]}
    assert waiting["deaf"]["waiting"] > 0
    figures = lab.http("GET", "/metrics").body.decode()
    assert figures.count('gpusched_notifications_total{channel="webhook"') == 4


def test_an_owner_hears_of_the_end_of_a_job(lab, web):
    job = lab.submit("--gpus", "0", "--notify", "done:hook", "--name", "small", "--cmd", "true")
    (told,) = wait_until(lambda: [one for one in notices(web) if one.get("job") == job], 90, "the message")
    assert f"job {job} of" in told["what"] and "is done" in told["what"]


def test_nothing_is_sent_twice_over_kill_9(lab, web):
    lab.run("alerts", "test", "hook", "--wait", "0")
    wait_until(lambda: len(of_rule(web, "test")) >= 2, 90, "the delivery")
    lab.kill()
    lab.start()
    job = lab.submit("--gpus", "0", "--notify", "done:hook", "--cmd", "true")
    wait_until(lambda: [one for one in notices(web) if one.get("job") == job], 90, "what comes after it")
    ids = [one["headers"]["Gpusched-Id"] for one in web.taken("/hook/ok")]
    assert len(ids) == len(set(ids)), "an id came twice"
