"""Messages to people: what is told, to whom, how often, and what happens when somebody dies."""

import re

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until
from notifier_double import NotifierDouble

URL = "https://hook.lab.example/s3cret-path-91f2"
SECRET = "s3cret-key-77aa"


def receivers(directory):
    files = {name: directory / name for name in ("url", "key")}
    files["url"].write_text(URL + "\n")
    files["key"].write_text(SECRET + "\n")
    for file in files.values():
        file.chmod(0o600)
    hook = "{channel: webhook, url: 'http://127.0.0.1:9/', for_users: on, timeout: 2s}"
    return (f"limits: {{group_wait: 1s, outbox: 3}}\n"
            f"receivers:\n  ops: {hook}\n  slow: {hook}\n  busy: {hook}\n  gate: {hook}\n"
            f"  admins: {{channel: slack, url_file: {files['url']}}}\n"
            f"  hidden: {{channel: webhook, url_file: {files['url']}, secret_file: {files['key']},"
            " for_users: on}\n"
            "  mail: {channel: mail, host: '127.0.0.1:9', from: g@lab.example, tls: none,"
            " for_users: on, addresses: ['@lab.example']}\n"
            "  book: {channel: log, for_users: on}\n")


@pytest.fixture(scope="module")
def notifier(programs, tmp_path_factory):
    return NotifierDouble(programs, tmp_path_factory.mktemp("notifier"))


@pytest.fixture(scope="module")
def daemon(notifier, tmp_path_factory):
    with LiveDaemon(notifier.place, config=ROOMY + receivers(tmp_path_factory.mktemp("secrets"))) as live:
        yield live


def outbox(daemon):
    return {line["receiver"]: line for line in daemon.http("GET", "/v1/outbox").json()["receivers"]}


def nothing_waits(daemon, receiver):
    wait_until(lambda: outbox(daemon)[receiver]["waiting"] == 0, what=f"all messages of {receiver}")


def submit(daemon, wish, line="true", *flags):
    return daemon.submit("--gpus", "0", "--notify", wish, *flags, "--cmd", line)


def run_seen(daemon, wish, line, *flags):
    """A job that is seen running: one that is over at once is told of by its end alone."""
    go = daemon.directory / "go"
    go.unlink(missing_ok=True)
    job = submit(daemon, wish, f"until test -e {go}; do sleep 0.05; done; {line}", *flags)
    wait_until(lambda: daemon.job(job)["state"] == "running", 90, "its start")
    go.touch()
    daemon.ended(job)
    return job


def test_owners_hear_of_start_and_end(daemon, notifier):
    done = run_seen(daemon, "start,done,fail:ops", "true", "--name", "good")
    failed = submit(daemon, "ops", "exit 3", "--name", "bad")
    by_mail = submit(daemon, "done:ML1@lab.example")
    silent = submit(daemon, "late:ops", "exit 1")
    for job in (done, failed, by_mail, silent):
        daemon.ended(job)
    wait_until(lambda: len(notifier.told("ops")) >= 3 and notifier.told("mail"), what="the messages")
    user = daemon.job(done)["user"]
    told = " | ".join(notifier.told("ops"))
    assert f"job {done} of {user} (good) has started on CPUs alone" in told
    assert f"job {done} of {user} (good) is done after" in told
    assert re.search(rf"job {failed} of {user} \(bad\) failed after \w+: ended with exit code 3", told)
    assert f"job {silent} " not in told
    mail = notifier.delivered("mail")[0]["message"]
    assert mail["address"] == "ml1@lab.example" and mail["notice"]["job"] == by_mail
    advice = [one["message"]["notice"]["advice"] for one in notifier.delivered("ops")]
    assert f"gpusched logs {failed} shows its log" in advice
    nothing_waits(daemon, "ops")


def test_a_sweep_is_told_of_once_with_its_numbers(daemon, notifier):
    first = daemon.submit("--gpus", "0", "--notify", "ops", "--name", "sweep", "--array", "0-9",
                          "--cmd", "test {index} -lt 8")
    daemon.run("wait", f"{first}-{first + 9}", check=False)
    wait_until(lambda: any(f"sweep {first} " in one for one in notifier.told("ops")), what="the message")
    told = [one for one in notifier.told("ops") if f"sweep {first}" in one or "(sweep)" in one]
    assert len(told) == 1
    assert told[0].endswith(f"has ended: done 8, failed 2: {first + 8}, {first + 9}")


def test_many_failures_are_few_messages_that_count_them(daemon, notifier):
    many = 200
    notifier.close_gate()
    notifier.order(busy="gate")
    first = submit(daemon, "done:ops", "exit 1", "--hold")
    body = {"command": ["true"], "working_directory": "/", "gpus": 0, "environment": [],
            "after": [{"job": first}], "notify": ["fail:busy"]}
    for _ in range(many):
        assert daemon.http("POST", "/v1/jobs", body).status < 300
    daemon.run("release", first)
    daemon.ended(first)
    wait_until(lambda: outbox(daemon)["busy"]["notices"] == many, what="the notices")
    assert outbox(daemon)["busy"]["waiting"] <= 3
    notifier.open_gate()
    nothing_waits(daemon, "busy")
    counted = [one["message"]["times"] for one in notifier.delivered("busy")]
    assert sum(counted) == many and len(counted) <= 3
    words = notifier.told("busy")[0]
    assert f"will not run: job {first}, which it waits for, ended as failed" in words


def test_a_full_outbox_counts_in_its_last_message(daemon, notifier):
    notifier.close_gate()
    notifier.order(gate="gate")
    notices = 0
    # The first is on its way and takes no more; then there are three, of which the last takes all.
    for line in ("true", "true", "exit 1", "exit 1"):
        run_seen(daemon, "start,done,fail:gate", line)
        notices += 2
        wait_until(lambda seen=notices: outbox(daemon)["gate"]["notices"] == seen, what="the notices")
        wait_until(lambda: notifier.begun("gate"), what="the first delivery")
    assert outbox(daemon)["gate"]["waiting"] == 3
    notifier.open_gate()
    nothing_waits(daemon, "gate")
    assert sum(one["message"]["times"] for one in notifier.delivered("gate")) == notices


def test_what_fails_is_tried_again_and_what_is_refused_is_not(daemon, notifier):
    notifier.order(busy="again", gate="refuse")
    for wish in ("done:busy", "done:gate"):
        daemon.ended(submit(daemon, wish))
    line = wait_until(lambda: outbox(daemon)["busy"]["error"] and outbox(daemon)["busy"], what="an error")
    assert line["error"] == "no answer within 1 s" and line["waiting"] == 1 and line["channel"] == "webhook"
    nothing_waits(daemon, "gate")
    wait_until(lambda: "a message was given up" in daemon.log(), what="a line in the log")
    assert "answered 404" in daemon.log()
    notifier.order()  # It is tried again while other tests go on; the last of them looks for it.


def test_the_log_is_a_receiver(daemon):
    job = submit(daemon, "done:book", "true", "--name", "logged")
    daemon.ended(job)
    wait_until(lambda: f"job {job} of {daemon.job(job)['user']} (logged) is done" in daemon.log(),
               what="the line of the log")


REFUSED = [
    ("done:opz", "nobody can be notified at 'opz'; open to users: book, busy, gate, hidden, mail, ops, slow "
                 "and addresses that end in @lab.example"),
    ("done:admins", "nobody can be notified at 'admins'; open to users: book"),
    ("ml1@evil.example", "nobody can be notified at 'ml1@evil.example'; open to users:"),
    ("done:http://evil.example/", "is not like done,fail:ops"),
    ("dome:ops", "is not like done,fail:ops"),
]


@pytest.mark.parametrize("wish,words", REFUSED)
def test_who_cannot_be_told_is_refused_in_one_sentence(daemon, wish, words):
    done = daemon.run("submit", "--gpus", "0", "--notify", wish, "--", "true", check=False)
    assert done.returncode == 64 and words in done.stderr and done.stderr.count("\n") == 1


def test_who_is_told_can_be_shown_and_changed(daemon, notifier):
    job = submit(daemon, "done:slow", "true", "--hold", "--notify", "fail:ops")
    assert "done:slow; fail:ops" in daemon.run("show", job).stdout
    daemon.run("set", job, "--notify", "done:ops")
    assert daemon.run("set", job, "--notify", "opz", check=False).returncode == 64
    assert daemon.job(job)["notify"] == ["done:ops"]
    daemon.run("release", job)
    wait_until(lambda: any(f"job {job} " in one for one in notifier.told("ops")), what="the message")
    other = submit(daemon, "done:ops", "true", "--hold")
    daemon.run("set", other, "--notify", "none")
    assert daemon.job(other)["notify"] in ([], None)
    daemon.run("cancel", other)


def test_none_is_nobody_also_at_submit(daemon):
    job = submit(daemon, "none")
    assert daemon.job(job)["notify"] in ([], None)


def test_a_test_message_says_what_became_of_it(daemon, notifier):
    nothing_waits(daemon, "busy")  # Of tests before this one.
    notifier.order(busy="refuse", slow="again")
    said = daemon.run("alerts", "test", "ops", "--wait", "2m")
    assert said.stdout == "ops: delivered\n", said
    said = daemon.run("alerts", "test", "busy", "--wait", "2m", check=False)
    assert (said.returncode, said.stdout) == (69, "busy: not delivered: the receiver answered 404\n"), said
    daemon.run("alerts", "test", "slow", "--wait", "0")
    wait_until(lambda: outbox(daemon)["slow"]["error"], what="its error")
    # The second waits behind the first.
    said = daemon.run("alerts", "test", "slow", "--wait", "1s", check=False)
    assert said.returncode == 75, said
    assert "slow: still tried: no answer within 1 s; next try at" in said.stdout, said
    shown = daemon.run("alerts", "outbox").stdout
    line = next(line for line in shown.splitlines() if line.startswith("slow "))
    assert "webhook" in line and "no answer within 1 s" in line, shown
    assert "given up" in next(line for line in shown.splitlines() if line.startswith("busy ")), shown
    notifier.order()
    nothing_waits(daemon, "slow")


def test_what_a_receiver_needs_is_looked_for(daemon):
    key = daemon.directory / "key"
    key.write_text("x\n")
    key.chmod(0o600)
    plain = daemon.directory / "plain"
    plain.write_text("no program\n")
    path = daemon.directory / "looked.yaml"

    def check(receiver):
        path.write_text(f"receivers:\n  ops: {receiver}\n")
        done = daemon.run("config", "check", path, check=False)
        return done.returncode, done.stdout + done.stderr

    hook = "{channel: webhook, url: 'https://hook.lab.example/', secret_file: %s}"
    assert check(hook % key)[0] == 0
    code, said = check(hook % (daemon.directory / "nowhere"))
    assert code != 0 and "receivers.ops: " in said and "nowhere: No such file" in said, said
    code, said = check("{channel: command, command: [/no/such/program]}")
    assert code != 0 and "/no/such/program: No such file" in said, said
    code, said = check("{channel: command, command: [%s]}" % plain)
    assert code != 0 and "is not a program that can be run" in said, said
    code, said = check("{channel: webhook, url: 'http://127.0.0.1.example.org/'}")
    assert code != 0 and "http:// is for this machine alone" in said, said


def test_secrets_are_in_the_notifiers_hands_alone(daemon, notifier):
    job = submit(daemon, "done:hidden")
    daemon.ended(job)
    given = wait_until(lambda: notifier.delivered("hidden"), what="the message")[0]
    assert given["url"] == URL and given["secret"] == SECRET
    shown = [daemon.run("config", "show", "--running").stdout, daemon.run("show", job).stdout,
             daemon.log(), *(daemon.http("GET", f"/v1/{what}").body.decode()
                             for what in ("outbox", "config", f"jobs/{job}", f"jobs/{job}/events"))]
    files = [path.read_bytes().decode(errors="replace")
             for path in daemon.state.rglob("*") if path.is_file()]
    for text in shown + files:
        assert SECRET not in text and URL not in text
    assert "secret_file: " in shown[0]


def test_the_notifier_gets_nothing_of_the_daemon(daemon, notifier):
    assert all(not one["variables"].keys() - {"LC_CTYPE"} for one in notifier.begun())


def test_a_mistake_in_the_file_changes_nothing_and_a_change_is_live(daemon, notifier):
    path = daemon.directory / "config.yaml"
    before = path.read_text()
    path.write_text(before + "  more: {channel: webhook, secret: wordABCxyz}\n")
    done = daemon.run("config", "reload", check=False)
    line = before.count("\n") + 1
    assert done.returncode == 64 and f"config.yaml:{line}:" in done.stderr and "secret_file" in done.stderr
    assert "more" not in outbox(daemon) and "wordABCxyz" not in daemon.log()
    path.write_text(before + "  more: {channel: webhook, url: 'https://x.example/', for_users: on}\n")
    daemon.run("config", "reload")
    daemon.ended(submit(daemon, "done:more"))
    wait_until(lambda: notifier.told("more"), what="the message")
    path.write_text(before)
    daemon.run("config", "reload")


@pytest.mark.parametrize("restart_first", [False, True])
def test_kill_9_between_delivery_and_record_sends_nothing_twice(daemon, notifier, restart_first):
    notifier.close_gate()
    notifier.order(gate="gate")
    waits = "messages wait for the notifier of the last daemon"
    begun, waited = len(notifier.begun("gate")), daemon.log().count(waits)
    job = submit(daemon, "done:gate", "true", "--name", "once")
    daemon.ended(job)
    wait_until(lambda: len(notifier.begun("gate")) > begun, what="the delivery")
    daemon.kill()
    if restart_first:
        daemon.start()
        wait_until(lambda: daemon.log().count(waits) > waited, what="the wait for the old notifier")
    notifier.open_gate()
    wait_until(lambda: any(f"job {job} " in one for one in notifier.told("gate")), what="its delivery")
    if not restart_first:
        daemon.start()
    nothing_waits(daemon, "gate")
    # Whatever is told later comes behind it.
    later = submit(daemon, "done:gate")
    daemon.ended(later)
    wait_until(lambda: any(f"job {later} " in one for one in notifier.told("gate")), what="the next")
    assert sum(f"job {job} " in one for one in notifier.told("gate")) == 1


def test_a_notifier_that_dies_is_started_again_and_the_id_stays(daemon, notifier):
    notifier.order(gate="die")
    job = submit(daemon, "done:gate", "true", "--name", "twice")
    daemon.ended(job)
    wait_until(lambda: "the notifier ended while it had it" in (outbox(daemon)["gate"]["error"] or ""),
               what="the failed try")
    tried = {one["id"] for one in notifier.begun("gate")}
    notifier.order()
    wait_until(lambda: any(f"job {job} " in one for one in notifier.told("gate")), what="the message")
    [message] = [one for one in notifier.delivered("gate") if one["message"]["notice"].get("job") == job]
    assert message["id"] in tried
    nothing_waits(daemon, "busy")


def test_a_receiver_that_never_answers_harms_nobody(daemon, notifier):
    notifier.order(slow="hang")
    jobs = [submit(daemon, "done:slow"), submit(daemon, "done:ops", "true", "--name", "beside")]
    for job in jobs:
        daemon.ended(job)
    wait_until(lambda: any(f"job {jobs[1]} " in one for one in notifier.told("ops")), what="the other")
    assert outbox(daemon)["slow"]["waiting"] >= 1
    assert daemon.http("GET", "/v1/version").status == 200
