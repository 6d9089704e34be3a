"""gpusched-notifier by itself, with servers that behave and servers that do not: every message arrives
whole and signed, and no receiver harms another."""

import base64
import hashlib
import hmac
import os
import signal
import socket
import subprocess
import urllib.parse
from pathlib import Path

import pytest
from https_receiver import HttpsReceiver
from live_daemon import wait_until
from notifier_fixtures import NUMBERS, SECRET, authority, notifier, place  # noqa: F401
from notifier_process import Notifier, delivery


@pytest.fixture(scope="module")
def server(place):
    made = HttpsReceiver(place / "good.crt", place / "good.key")
    yield made
    made.close()


@pytest.fixture
def to(server, authority):
    """A delivery to a path of the server."""
    def make(channel, path, name=None, timeout=60, **words):
        words = {"secret": SECRET, "ca": authority, "url": server.url(path), **words}
        receiver = {"name": name or path, "channel": channel, "timeout_s": timeout}
        return delivery(next(NUMBERS), receiver, **words)
    return make


def signed(key, text):
    return hmac.new(key.encode(), text, hashlib.sha256)


def test_a_webhook_is_signed_and_whole(notifier, server, to):
    one = to("webhook", "/hush/ok-webhook", what="job <b>\n7")
    assert notifier.deliver(one) == ("delivered", "")
    (got,) = server.taken("/hush/ok-webhook")
    headers = got["headers"]
    text = f"{headers['Gpusched-Id']}.{headers['Gpusched-Timestamp']}.".encode() + got["body"]
    assert headers["Gpusched-Signature"] == "v1=" + signed(SECRET, text).hexdigest()
    assert headers["Gpusched-Id"] == str(one["id"])
    assert got["json"]["what"] == "job <b> 7"
    assert got["json"]["card"] == 0 and got["json"]["resolved"] is False


def test_each_channel_has_its_form(notifier, server, to):
    sent = {}
    for channel in ("slack", "mattermost", "teams", "ntfy", "dingtalk", "feishu", "wecom"):
        sent[channel] = to(channel, f"/hush/ok-{channel}")
    sent["ntfy"]["receiver"]["topic"] = "cards"
    notifier.send(*sent.values())
    for channel, one in sent.items():
        assert notifier.outcome(one["id"]) == ("delivered", ""), channel
    got = {channel: server.taken(f"/hush/ok-{channel}")[0] for channel in sent}
    assert "91 °C" in got["slack"]["json"]["blocks"][0]["text"]["text"]
    assert got["mattermost"]["json"]["attachments"][0]["color"].startswith("#")
    assert got["teams"]["json"]["attachments"][0]["content"]["type"] == "AdaptiveCard"
    assert got["ntfy"]["headers"]["Authorization"] == "Bearer " + SECRET
    assert got["ntfy"]["json"]["topic"] == "cards" and got["ntfy"]["json"]["priority"] == 5
    assert got["wecom"]["json"]["msgtype"] == "markdown"
    query = urllib.parse.parse_qs(urllib.parse.urlparse(got["dingtalk"]["target"]).query)
    proof = signed(SECRET, f"{query['timestamp'][0]}\n{SECRET}".encode()).digest()
    assert query["sign"] == [base64.b64encode(proof).decode()]
    body = got["feishu"]["json"]
    proof = signed(f"{body['timestamp']}\n{SECRET}", b"").digest()
    assert body["sign"] == base64.b64encode(proof).decode()


def test_bad_receivers_harm_nobody(notifier, server, to):
    """All at the same time, and the good one does not wait for any of them."""
    hang = to("webhook", "/hush/hang")
    notifier.send(hang)
    wait_until(lambda: server.taken("/hush/hang"), 90)
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = free.getsockname()[1]
    bad = {
        "refuses": (to("webhook", "/x", "refuses", url=f"https://localhost:{closed}/hush"),
                    "again", "it cannot be connected to: Connection refused"),
        "redirects": (to("webhook", "/hush/redirect"), "refused", "it redirects elsewhere (302)"),
        "too often": (to("webhook", "/hush/too-often"), "again", "it wants fewer messages (429)"),
        "broken": (to("webhook", "/hush/broken"), "again", "it answered with status 500: out of order"),
        "forbidden": (to("webhook", "/hush/forbidden"), "refused",
                      "it answered with status 403: no such token: ***"),
        "huge": (to("slack", "/hush/huge"), "delivered", ""),
        "slow": (to("webhook", "/hush/slow", timeout=2), "again", "it did not answer "),
        "torn": (to("webhook", "/hush/torn-body"), "delivered", ""),
        "no HTTP": (to("webhook", "/hush/no-http"), "again", "its answer is not HTTP"),
        "inside": (to("wecom", "/hush/error-inside"), "refused",
                   "it answered with error code 93000: invalid webhook url"),
        "unknown authority": (to("webhook", "/x", "unknown authority", ca="",
                                 url=server.url("/hush/untrusted")), "again", ""),
        "no authority": (to("webhook", "/x", "no authority", ca="nothing"), "refused",
                         "its ca_file has no certificate in it"),
        "no name": (to("webhook", "/x", "no name", url="https://nobody.invalid/hush"), "again",
                    "its name cannot be looked up"),
        "no URL": (to("webhook", "/x", "no URL", url="hush"), "refused", "its url must begin with"),
        "plain": (to("webhook", "/x", "plain", url="http://192.0.2.1/hush"), "refused",
                  "it is on another machine"),
    }
    good = to("webhook", "/hush/ok-among-bad")
    notifier.send(*[one for one, _, _ in bad.values()], good)
    assert notifier.outcome(good["id"]) == ("delivered", "")
    assert hang["id"] not in notifier.outcomes
    for name, (one, result, error) in bad.items():
        got = notifier.outcome(one["id"])
        assert got[0] == result, (name, got)
        assert got[1].startswith(error), (name, got)
    assert notifier.outcomes[bad["too often"][0]["id"]]["retry_after_s"] == 17
    assert not server.taken("/redirected/ok") and not server.taken("/hush/untrusted")
    assert hang["id"] not in notifier.outcomes


def test_who_never_answers_is_given_up(notifier, to):
    result, error = notifier.deliver(to("webhook", "/hush/hang", "hangs shortly", timeout=1))
    assert result == "again" and error.startswith("it did not answer ")


def test_a_certificate_of_another_name_is_not_trusted(notifier, place, to):
    other = HttpsReceiver(place / "other.crt", place / "other.key")
    try:
        wrong = to("webhook", "/x", "wrong name", ca=(place / "other.crt").read_text(),
                   url=other.url("/hush/ok-other"))
        result, error = notifier.deliver(wrong)
        assert result == "again" and error.startswith("its certificate is not trusted: ")
        assert not other.taken("/hush/ok-other")
    finally:
        other.close()


def test_plain_http_is_for_this_machine(notifier, to):
    plain = HttpsReceiver()
    try:
        here = to("slack", "/x", "here", url=plain.url("/hush/ok-here"))
        assert notifier.deliver(here) == ("delivered", "")
        assert len(plain.taken("/hush/ok-here")) == 1
    finally:
        plain.close()


def test_a_line_that_is_none_is_passed_over(notifier, to):
    notifier.process.stdin.write(b'{"secret":"hush\n')
    assert notifier.deliver(to("webhook", "/hush/ok-after-garbage")) == ("delivered", "")
    wait_until(lambda: b"a delivery was passed over: the line is not JSON" in notifier.complaints)


def test_every_outcome_is_in_the_journal(notifier, to):
    assert notifier.deliver(to("webhook", "/hush/ok-journal"))[0] == "delivered"
    written = {int(number): word for number, _, word in
               (line.split() for line in notifier.journal.read_text().splitlines())}
    assert written == {number: one["result"] for number, one in notifier.outcomes.items()}


def test_it_has_no_rights(notifier, to):
    notifier.deliver(to("webhook", "/hush/ok-rights"))
    process = Path(f"/proc/{notifier.process.pid}")
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines()
                  if ":\t" in line)
    assert status["NoNewPrivs"].strip() == "1"
    assert int(status["CapEff"], 16) == 0 or os.getuid() != 0
    if os.getuid() == 0:
        assert "0" not in status["Uid"].split() + status["Gid"].split()
        assert status["Groups"].strip() == ""
        limits = (process / "limits").read_text()
        assert [line.split()[4:6] for line in limits.splitlines() if "core file" in line] == [["0", "0"]]


def test_a_command_gets_the_message(notifier, tmp_path):
    receiver = {"name": "command", "channel": "command", "command": [
        "/bin/sh", "-c", 'grep -q "91 °C" && echo "for $GPUSCHED_SUBJECT by $(id -u)" >&2; exit 75']}
    result, error = notifier.deliver(delivery(next(NUMBERS), receiver))
    assert result == "again"
    assert error.startswith("its command ended with 75: for card 0 by ")
    assert not error.endswith(" by 0") or os.getuid() != 0


# The end of the daemon.

def test_what_is_in_flight_when_the_input_ends_is_finished(programs, place, server, to):
    with Notifier(programs, place / "journal-end") as one:
        held = to("webhook", "/hush/end/held")
        one.send(held)
        wait_until(lambda: server.taken("/hush/end/held"), 90)
        # A daemon that was killed neither writes nor reads any more.
        one.end_input()
        server.release.set()
        assert one.wait() == 0
        assert one.journal.read_text() == f"{held['id']} {held['mark']} delivered\n"
        server.release.clear()


def test_the_next_one_waits_for_the_last_words_of_the_one_before(programs, place, server, to):
    with Notifier(programs, place / "journal-two") as first:
        held = to("webhook", "/hush/two/held")
        first.send(held)
        wait_until(lambda: server.taken("/hush/two/held"), 90)
        first.end_input()
        with Notifier(programs, place / "journal-two") as second:
            later = to("webhook", "/hush/two/ok-later")
            second.send(later)
            waits = f"FLOCK  ADVISORY  WRITE {second.process.pid} "
            wait_until(lambda: f"-> {waits}" in Path("/proc/locks").read_text(), what="its wait")
            assert not server.taken("/hush/two/ok-later")
            server.release.set()
            assert first.wait() == 0
            assert second.outcome(later["id"]) == ("delivered", "")
            assert second.journal.read_text() == "".join(
                f"{one['id']} {one['mark']} delivered\n" for one in (held, later))
            server.release.clear()


def test_it_ends_at_once_when_it_is_told(programs, place, server, to):
    with Notifier(programs, place / "journal-term") as one:
        one.send(to("webhook", "/hush/term/hang"))
        wait_until(lambda: server.taken("/hush/term/hang"), 90)
        (courier,) = children_of(one.process.pid)
        one.process.send_signal(signal.SIGTERM)
        assert one.wait() == -signal.SIGTERM
        wait_until(lambda: has_ended(courier), 90, "the end of its child")
        assert one.journal.read_text() == ""


def has_ended(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_wrong_words_end_it_with_a_sentence(programs):
    done = subprocess.run([programs / "gpusched-notifier", "--url"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 64
    assert done.stderr == "usage: gpusched-notifier [--user NAME]\n"
