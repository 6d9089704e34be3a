#!/usr/bin/python3
"""Stands in for gpusched-notifier: takes deliveries, does with each what it is told to, answers.

As a program it lies beside the daemon under the notifier's name, and all it needs to know lies beside
it: `orders.json` says by receiver what to do (deliver, again, refuse, hang, gate, die), `delivered`
gets a line for each message that its receiver has got, `got` one for each that was begun. With `gate`
a delivery waits until there is a file `open`, as a slow receiver would let it. Tests import the rest.
"""

import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path

PROGRAMS = ("gpusched", "gpuschedd", "gpusched-launcher", "gpusched-sampler", "gpusched-mover",
            "gpusched-simjob", "gpusched-simworld", "gpusched-tls")
JOURNAL = 3
PATIENCE = 60


def note(place, name, value):
    with open(place / name, "a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")


def answer(delivery, result, error=""):
    os.write(JOURNAL, f"{delivery['id']} {delivery['mark']} {result}\n".encode())
    os.fsync(JOURNAL)
    line = {"v": 1, "type": "outcome", "id": delivery["id"], "result": result, "error": error}
    try:
        os.write(1, (json.dumps(line) + "\n").encode())
    except BrokenPipeError:
        pass  # Nobody is there any more; it is in the journal.


def deliver(place, delivery, order):
    if order == "again":
        return answer(delivery, "again", "no answer within 1 s")
    if order == "refuse":
        return answer(delivery, "refused", "the receiver answered 404")
    deadline = time.monotonic() + PATIENCE
    while order == "gate" and not (place / "open").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    note(place, "delivered", delivery)
    answer(delivery, "delivered")


def main():
    place = Path(__file__).resolve().parent
    threads = []
    for line in sys.stdin:
        delivery = json.loads(line)
        orders = json.loads((place / "orders.json").read_text(encoding="utf-8"))
        order = orders.get(delivery["receiver"]["name"], "deliver")
        note(place, "got", {"id": delivery["id"], "receiver": delivery["receiver"]["name"],
                            "variables": dict(os.environ)})
        if order == "die":
            os._exit(1)
        if order == "hang":
            continue
        threads.append(threading.Thread(target=deliver, args=(place, delivery, order)))
        threads[-1].start()
    for thread in threads:
        thread.join(PATIENCE)


class NotifierDouble:
    """The programs with this one in the place of the notifier, and what it was given."""

    def __init__(self, programs, directory):
        self.place = directory / "bin"
        self.place.mkdir()
        for name in PROGRAMS:
            if (programs / name).exists():
                self._bring(programs / name, self.place / name)
        for part in ("sim", "scenarios"):  # The simulated driver lies beside the programs.
            if (programs.parent / part).is_dir():
                shutil.copytree(programs.parent / part, directory / part)
        shutil.copy(__file__, self.place / "gpusched-notifier")
        (self.place / "gpusched-notifier").chmod(0o755)
        self.order()

    @staticmethod
    def _bring(program, to):
        try:
            os.link(program, to)
        except OSError:
            shutil.copy(program, to)

    def order(self, **orders):
        """From now on: receiver='again' and so on; the others deliver. In one step, as it is read."""
        fresh = self.place / "orders.new"
        fresh.write_text(json.dumps(orders), encoding="utf-8")
        fresh.rename(self.place / "orders.json")

    def open_gate(self):
        (self.place / "open").touch()

    def close_gate(self):
        (self.place / "open").unlink(missing_ok=True)

    def begun(self, receiver=None):
        return [one for one in self._lines("got") if receiver in (None, one["receiver"])]

    def delivered(self, receiver=None):
        return [one for one in self._lines("delivered") if receiver in (None, one["receiver"]["name"])]

    def told(self, receiver):
        """What the receiver was told, all sentences of all messages."""
        messages = [one["message"] for one in self.delivered(receiver)]
        return [words for one in messages for words in (one["notice"]["what"], *one.get("others", []))]

    def _lines(self, name):
        path = self.place / name
        if not path.exists():
            return []
        whole = path.read_text(encoding="utf-8")
        return [json.loads(line) for line in whole[:whole.rfind("\n") + 1].splitlines()]


if __name__ == "__main__":
    main()
