"""Messages where somebody means harm, or puts something in their way: room, the journal, names, crashes."""

import os
import re

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until
from notifier_double import NotifierDouble

CONFIG = ROOMY + """
limits: {group_wait: 0s, outbox: 40}
receivers:
  hook: {channel: webhook, url: 'http://127.0.0.1:9/', for_users: on, timeout: 2s}
  mail:
    {channel: mail, host: '127.0.0.1:9', from: g@lab.example, tls: none, for_users: on,
     addresses: ['@lab.example']}
  book: {channel: log, for_users: on}
alarms: {receivers: [hook], job_failed: {for: 0s, receivers: []}}
"""


# Each test begins with job 1, so each has a notifier of its own.
@pytest.fixture
def notifier(programs, tmp_path):
    return NotifierDouble(programs, tmp_path)


@pytest.fixture
def daemon(notifier):
    notifier.order()
    with LiveDaemon(notifier.place, config=CONFIG) as live:
        yield live


def outbox(daemon):
    return {line["receiver"]: line for line in daemon.http("GET", "/v1/outbox").json()["receivers"]}


def submit(daemon, *flags, line="true"):
    return daemon.submit("--gpus", "0", *flags, "--cmd", line)


def said_to_be_wrong(daemon):
    return " ".join(daemon.http("GET", "/v1/version").json()["problems"])


def trail(daemon, job):
    return daemon.http("GET", f"/v1/jobs/{job}/events").json()["events"]


def test_what_finds_no_room_is_said_to_owner_and_administrator(daemon, notifier):
    notifier.order(mail="again")
    wishes = [word for i in range(9) for word in ("--notify", f"done:a{i}@lab.example")]
    job = submit(daemon, *wishes)
    daemon.ended(job)
    line = wait_until(lambda: outbox(daemon)["mail"]["dropped"] and outbox(daemon)["mail"], what="the count")
    assert (line["waiting"], line["dropped"]) == (4, 5), "a tenth of the room is one user's"
    said = [entry["text"] for entry in trail(daemon, job) if entry["kind"] == "not_told"]
    assert len(said) == 1 and said[0].startswith("5 messages about it are not sent") and "@" not in said[0]
    assert "not sent" in daemon.run("events", job).stdout
    user = daemon.job(job)["user"]
    wait_until(lambda: "messages found no room" in daemon.log(), what="the line of the log")
    assert f'receiver=mail notices=5 users="{user} (5)"' in daemon.log()
    metrics = daemon.http("GET", "/metrics").body.decode()
    assert 'gpusched_notifications_total{channel="mail",result="no_room"} 5' in metrics


def test_a_pipe_in_place_of_the_journal_keeps_nobody_waiting(daemon, notifier):
    daemon.kill()
    journal = daemon.state / "outbox.done"
    journal.unlink(missing_ok=True)
    os.mkfifo(journal, 0o600)
    daemon.start()
    job = submit(daemon, "--notify", "done:hook")
    assert daemon.ended(job)["state"] == "completed"
    wait_until(lambda: "it is not a regular file" in said_to_be_wrong(daemon), what="that it is said")
    assert daemon.log().count("it is not a regular file") == 1
    journal.unlink()
    wait_until(lambda: any(f"job {job} " in one for one in notifier.told("hook")), what="the message")
    assert "it is not a regular file" not in said_to_be_wrong(daemon)


@pytest.mark.parametrize("left", ["{id} delivered", "{id} 17 delivered", "{id} - refused", "\0\0{id}"])
def test_a_journal_of_another_store_settles_nothing(daemon, notifier, left):
    notifier.order(hook="again")
    job = submit(daemon, "--notify", "done:hook")
    daemon.ended(job)
    tried = wait_until(lambda: [one["id"] for one in notifier.begun("hook")], what="the first try")[-1]
    wait_until(lambda: outbox(daemon)["hook"]["tries"], what="that it failed")
    daemon.kill()
    (daemon.state / "outbox.done").write_text(left.format(id=tried) + "\n")
    notifier.order()
    daemon.start()
    wait_until(lambda: any(f"job {job} " in one for one in notifier.told("hook")), what="the message")


def test_a_name_forges_no_fields_in_the_log(daemon):
    name = 'x rule=disk_low severity=critical advice="rm -rf"'
    job = submit(daemon, "--notify", "done:book", "--name", name)
    daemon.ended(job)
    said = rf"^.*job {job} of .* is done.*$"
    line = wait_until(lambda: re.search(said, daemon.log(), re.M), what="the line")
    sentence, _, fields = line.group().rpartition('" receiver=')
    assert sentence.split(" ", 2)[2].startswith('"job ') and '\\"rm -rf\\"' in sentence
    assert fields.startswith("book rule=notify ") and "disk_low" not in fields


def test_a_failure_right_before_a_crash_is_an_alarm_after_it(daemon):
    failed = submit(daemon, line="exit 3")
    wait_until(lambda: daemon.job(failed)["state"] == "failed", what="its end")
    daemon.kill()
    daemon.start()

    def alarm():
        on = daemon.http("GET", "/v1/alarms").json()["alarms"]
        return [one for one in on if one["rule"] == "job_failed" and one["job"] == failed]
    wait_until(alarm, what="the alarm")
