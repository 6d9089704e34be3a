"""gpusched-notifier and the servers that people have: mail with STARTTLS and login, Debian's Alertmanager."""

import email
import email.policy
import json
import subprocess
import threading
from pathlib import Path

import pypi_tools
import pytest
from alertmanager import Alertmanager
from live_daemon import wait_until
from notifier_fixtures import NUMBERS, authority, notifier, place  # noqa: F401
from notifier_process import delivery


class MailServer:
    def __init__(self, python, place):
        script = Path(pypi_tools.__file__).parent / "mail_server.py"
        self.process = subprocess.Popen([python, script, place / "good.crt", place / "good.key"],
                                        stdout=subprocess.PIPE, text=True)
        self.ports = json.loads(self.process.stdout.readline())
        self.messages = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        for line in self.process.stdout:
            self.messages.append(json.loads(line))

    def message(self, recipient):
        found = wait_until(lambda: [one for one in self.messages if recipient in one["to"]], 90)
        return found[0], email.message_from_string(found[0]["text"], policy=email.policy.default)

    def close(self):
        self.process.kill()
        self.process.wait()
        self._thread.join()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def mail_server(place):
    try:
        python = pypi_tools.install("mail-server", "requirements-mail.txt") / "python"
    except OSError as error:
        pytest.skip(f"no mail server: {error}")
    made = MailServer(python, place)
    yield made
    made.close()


@pytest.fixture
def mail_to(mail_server, authority):
    def make(way, *people, password="SEC-password", user="me", tls=None, **notice):
        receiver = {"name": f"mail {next(NUMBERS)}", "channel": "mail", "timeout_s": 60,
                    "host": f"localhost:{mail_server.ports[way]}", "user": user,
                    "tls": tls or {"plain": "none"}.get(way, way), "from": "GPUs <gpu@example.org>",
                    "to": list(people)}
        return delivery(next(NUMBERS), receiver, secret=password, ca=authority, **notice)
    return make


def test_mail_goes_over_starttls_with_a_login(notifier, mail_server, mail_to):
    what = "job 7 (a\r\nBcc: ml9@example.org) failed: größer als 24 GiB"
    one = mail_to("starttls", "ml1@example.org", "ml2@example.org", what=what,
                  attachment=".\na report: 91 °C\n")
    assert notifier.deliver(one) == ("delivered", "")
    seen, mail = mail_server.message("ml1@example.org")
    assert seen["tls"] and seen["login"] and seen["to"] == ["ml1@example.org", "ml2@example.org"]
    assert mail["Bcc"] is None and mail["Auto-Submitted"] == "auto-generated"
    subject = "CRITICAL node1: card 0: job 7 (a  Bcc: ml9@example.org) failed: größer als 24 GiB"
    assert mail["Subject"] == subject
    assert mail["From"].addresses[0].addr_spec == "gpu@example.org"
    text, report = mail.iter_parts()
    assert "größer als 24 GiB" in text.get_content() and "look at the fans" in text.get_content()
    assert report.get_content().replace("\r", "") == ".\na report: 91 °C\n"
    assert mail["Date"].datetime is not None


def test_a_resolved_mail_answers_the_first(notifier, mail_server, mail_to):
    for person, resolved in (("begin@example.org", False), ("end@example.org", True)):
        assert notifier.deliver(mail_to("starttls", person, resolved=resolved)) == ("delivered", "")
    first, last = (mail_server.message(one)[1] for one in ("begin@example.org", "end@example.org"))
    assert last["Subject"].startswith("RESOLVED ")
    assert first["References"] == last["References"] == last["In-Reply-To"]
    assert first["Message-ID"] != last["Message-ID"]


def test_mail_goes_over_tls_from_the_first_byte(notifier, mail_server, mail_to):
    """This server knows AUTH LOGIN alone."""
    assert notifier.deliver(mail_to("tls", "tls@example.org")) == ("delivered", "")
    seen, _ = mail_server.message("tls@example.org")
    assert seen["login"]


def test_mail_without_encryption_stays_on_this_machine(notifier, mail_server, mail_to):
    assert notifier.deliver(mail_to("plain", "plain@example.org", user="")) == ("delivered", "")
    assert not mail_server.message("plain@example.org")[0]["tls"]
    result, error = notifier.deliver(mail_to("plain", "ml1@example.org"))
    assert (result, error) == ("refused", "a login is sent over TLS alone; set tls, or no user")
    away = mail_to("plain", "ml1@example.org", user="")
    away["receiver"]["host"] = "192.0.2.1:25"
    result, error = notifier.deliver(away)
    assert result == "refused" and error.startswith("it is on another machine")


def test_mail_that_is_not_taken(notifier, mail_to):
    result, error = notifier.deliver(mail_to("starttls", "ml1@example.org", password="wrong"))
    assert result == "refused"
    assert error.startswith("the mail server does not take the login: 535")
    result, error = notifier.deliver(mail_to("plain", "ml1@example.org", user="", tls="starttls"))
    assert (result, error) == ("again", "the mail server offers no STARTTLS; without it nothing is sent")
    result, error = notifier.deliver(mail_to("starttls", "later@example.org"))
    assert result == "again" and "450 4.2.0 come back later" in error
    result, error = notifier.deliver(mail_to("starttls", "unknown@example.org"))
    assert result == "refused" and "550 5.1.1 nobody of that name" in error


def test_mail_to_some(notifier, mail_server, mail_to):
    result, error = notifier.deliver(mail_to("starttls", "unknown@example.org", "some@example.org"))
    assert result == "delivered"
    assert error.startswith("1 of 2 recipients did not get it; unknown@example.org: 550")
    assert mail_server.message("some@example.org")[0]["to"] == ["some@example.org"]


def test_mail_to_a_server_of_an_unknown_authority(notifier, mail_to):
    one = mail_to("starttls", "ml1@example.org")
    one["ca"] = ""
    result, error = notifier.deliver(one)
    assert result == "again"
    assert "certificate" in error


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory):
    try:
        made = Alertmanager(tmp_path_factory.mktemp("alertmanager"))
    except OSError as error:
        pytest.skip(f"no Alertmanager: {error}")
    yield made
    made.close()


def test_alertmanager_shows_the_alert_until_it_is_over(notifier, alertmanager):
    receiver = {"name": "alertmanager", "channel": "alertmanager"}
    assert notifier.deliver(delivery(next(NUMBERS), receiver, url=alertmanager.url)) == ("delivered", "")
    (alert,) = wait_until(alertmanager.alerts, 90, "the alert")
    assert alert["labels"] == {"alertname": "temperature", "severity": "critical", "instance": "node1",
                               "subject": "card 0", "card": "0"}
    assert alert["annotations"]["summary"] == "CRITICAL node1: card 0 is at 91 °C, its limit is 87 °C"
    over = delivery(next(NUMBERS), receiver, url=alertmanager.url, resolved=True)
    assert notifier.deliver(over) == ("delivered", "")
    wait_until(lambda: not alertmanager.alerts(), 90, "the end of the alert")
