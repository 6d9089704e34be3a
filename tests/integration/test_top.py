"""`gpusched top` on a real terminal of 80 by 24: what it shows, what its keys do, how it leaves."""

import os
import re
import subprocess
import termios

import processes
import pytest
from client_terminal import ClientTerminal
from live_daemon import wait_until
from terminal_screen import TerminalScreen


def cpu_seconds(pid):
    after_name = processes.read_proc(pid, "stat").rpartition(b")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


class Top(ClientTerminal):
    """`gpusched top`, and what stands on the terminal now. Our end of it stays open, so that the state
    it was left in can be read."""

    def __init__(self, daemon, rows=24, columns=80, **environment):
        super().__init__(daemon, ["top"], rows, columns,
                         **{"TERM": "xterm-256color", **environment})
        self.screen = TerminalScreen(rows, columns)

    def take(self, part):
        super().take(part)
        self.screen.feed(part)

    def text(self):
        self.read()
        return self.screen.text()

    def shows(self, *words):
        try:
            wait_until(lambda: all(w in self.text() for w in words), what=f"{words}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows:\n{self.screen.text()}") from None
        return self.screen.text()

    def line_with(self, words):
        return next(line for line in self.shows(words).splitlines() if words in line)

    def resize(self, rows, columns):
        self.text()
        self.screen.resize(rows, columns)
        super().resize(rows, columns)


def test_a_session(own):
    first = own.submit("--gpus", "0", "--name", "long", "--", "sleep", "600")
    second = own.submit("--gpus", "2", "--begin", "+1h", "--", "echo", "später")
    own.wait_for(first, "running")
    with Top(own) as top:
        top.shows("gpusched top  2 cards, 1 running, 1 waiting", "CARD  MODEL", "sleep 600",
                  "1 running", "1 waiting", "q quit")
        # A job that comes is seen without asking for it.
        third = own.submit("--gpus", "0", "--", "sleep", "601")
        top.shows("sleep 601", "2 running")

        top.resize(30, 120)
        wide = top.shows("COMMAND", "später", "tab view")
        assert len(wide.splitlines()) == 30 and max(map(len, wide.splitlines())) > 80
        top.resize(24, 80)
        top.shows("q quit")

        top.type(b"/601\r")
        top.shows("filter: 601")
        wait_until(lambda: "sleep 600" not in top.text(), what="the filter")
        top.type(b"c")
        top.shows(f"Cancel job {third} (running")
        top.type(b"n")
        top.shows(f"Job {third} stays.")
        top.type(b"cy")
        top.shows(f"Job {third} is being cancelled.")
        assert own.ended(third)["state"] == "cancelled"
        top.type(b"\x1b")
        top.shows("sleep 600", "1 running")

        top.type(b"\x1b[B")  # Down, to the waiting one.
        top.type(b"h")
        top.shows(f"Job {second} is held.", "1 held")
        assert own.job(second)["state"] == "held"
        top.type(b"r")
        top.shows(f"Job {second} is released.")

        top.type(b"\r")
        top.shows("Any key goes back.", "needs       2 cards")
        top.type(b"x?")
        top.shows("Any key goes back.", "turn the order round")
        top.type(b"x")
        top.shows("sleep 600")

        top.type(b" ")
        top.shows("STOPPED")
        before = cpu_seconds(top.process.pid)
        own.submit("--gpus", "0", "--", "sleep", "603")
        time_shown = top.text().splitlines()[0][-8:]
        wait_until(lambda: top.text().splitlines()[0][-8:] != time_shown, what="the clock going on")
        assert "603" not in top.text() and cpu_seconds(top.process.pid) - before < 0.5
        top.type(b" ")
        top.shows("sleep 603", "2 running")
        top.type(b"q")
        assert top.code() == 0
        # The terminal is as it was: its settings, its screen, its cursor.
        assert termios.tcgetattr(top.far) == top.before
        assert 1049 not in top.screen.modes and top.shown.rstrip().endswith(b"\x1b>")
        assert not re.search(rb"\x1b\[[\d;]*3\dm", top.shown), "colours in spite of NO_COLOR"


def test_sweeps_priority_and_pause(own):
    job = own.submit("--gpus", "0", "--", "sleep", "600")
    own.wait_for(job, "running")
    sweep = own.submit("--gpus", "0", "--hold", "--array", "0-2", "--", "true")
    with Top(own) as top:
        top.shows("sleep 600", f"{sweep}  3 held", "1 sweep")
        top.type(b"+")
        top.shows(f"Job {job} has priority 55 now, 50 before.")
        assert own.job(job)["priority"] == 55
        top.type(b"p")
        top.shows(f"Move job {job} (running")
        top.type(b"n")
        top.shows(f"Job {job} stays as it is.")
        assert own.job(job)["state"] == "running"
        top.type(b"\x1b[B")
        top.type(b"-")
        top.shows(f"Sweep {sweep}: 3 jobs have priority 45 now, 50 before.")
        top.type(b"e")
        top.shows("3 waiting", "held on request")
        top.type(b"e")
        top.shows("1 sweep")
        top.type(b"cy")
        top.shows(f"Sweep {sweep}: 3 jobs are being cancelled.")
        for one in range(sweep, sweep + 3):
            assert own.ended(one)["state"] == "cancelled"
        top.type(b"q")
        assert top.code() == 0


def test_a_daemon_that_goes_away_and_comes_back(own):
    job = own.submit("--gpus", "0", "--", "sleep", "600")
    own.wait_for(job, "running")
    with Top(own) as top:
        top.shows("sleep 600")
        own.kill()
        top.shows("The daemon has been away since", "sleep 600")
        own.start()
        top.shows("q quit", "1 running")
        own.submit("--gpus", "0", "--", "sleep", "602")
        top.shows("sleep 602", "2 running")
        top.type(b"\x03")
        assert top.code() == 0
        assert termios.tcgetattr(top.far) == top.before


@pytest.mark.parametrize("term,words", [("dumb", "cannot move its cursor"),
                                        ("no-such-terminal", "nothing is known here about one called"),
                                        ("", "TERM does not say")])
def test_a_terminal_that_cannot(running, term, words):
    with Top(running, TERM=term) as top:
        assert top.code() == 69
        said = " ".join(top.shown.decode().split())
        assert said.startswith("gpusched: top draws on a whole terminal") and words in said
        assert termios.tcgetattr(top.far) == top.before


def test_without_a_terminal(running):
    done = running.run("top", check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 69 and done.stderr.count("\n") == 1 and not done.stdout
    assert '"overview":' in running.run("top", "--json").stdout
