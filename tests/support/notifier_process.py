"""gpusched-notifier as the daemon starts it: lines in, lines out, a journal as descriptor 3."""

import json
import subprocess
import threading
from datetime import datetime, timezone

from live_daemon import wait_until

WITH_JOURNAL = 'exec 3>>"$1"; shift; exec "$@"'


def utc(seconds=0):
    moment = datetime.now(timezone.utc).timestamp() + seconds
    return datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def delivery(number, receiver, url="", secret="", ca="", address="", **notice):
    """One delivery; `receiver` has name, channel and what the channel needs."""
    about = {"thread": "temperature/card 0", "severity": "critical", "rule": "temperature",
             "subject": "card 0", "what": "card 0 is at 91 °C, its limit is 87 °C",
             "whom": "job 7 of ml1", "since": utc(-300), "advice": "look at the fans", "card": 0}
    about.update(notice)
    return {"v": 1, "type": "deliver", "id": number, "mark": f"m-{number}",
            "receiver": {"timeout_s": 60, **receiver}, "url": url, "secret": secret, "ca": ca,
            "machine": "node1", "now": utc(), "link": "https://node1.example/", "message": {
                "id": number, "receiver": receiver["name"], "address": address, "notice": about,
                "times": 1, "at": utc(), "last_at": utc()}}


class Notifier:
    def __init__(self, programs, journal, words=()):
        self.journal = journal
        self.process = subprocess.Popen(
            ["sh", "-c", WITH_JOURNAL, "sh", str(journal), str(programs / "gpusched-notifier"), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.outcomes = {}
        self.order = []
        self.said = b""      # All that it wrote to stdout,
        self.complaints = b""  # and to stderr.
        self._threads = [threading.Thread(target=self._listen, daemon=True),
                         threading.Thread(target=self._hear_complaints, daemon=True)]
        for thread in self._threads:
            thread.start()

    def _listen(self):
        for line in self.process.stdout:
            self.said += line
            outcome = json.loads(line)
            self.outcomes[outcome["id"]] = outcome
            self.order.append(outcome["id"])

    def _hear_complaints(self):
        for line in self.process.stderr:
            self.complaints += line

    def send(self, *deliveries):
        for one in deliveries:
            self.process.stdin.write(json.dumps(one).encode() + b"\n")
        self.process.stdin.flush()

    def outcome(self, number):
        """Result and error, as soon as they are there."""
        one = wait_until(lambda: self.outcomes.get(number), 90, f"the outcome of {number}")
        return one["result"], one.get("error", "")

    def deliver(self, one):
        self.send(one)
        return self.outcome(one["id"])

    def end_input(self):
        self.process.stdin.close()

    def wait(self):
        code = self.process.wait(90)
        for thread in self._threads:
            thread.join(90)
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
