#!/usr/bin/env python3
"""Plays the README's story on simulated cards in a terminal of its own and draws what is seen there.

    tools/record_story.py [--programs build/release/bin] [--out docs/pictures/making-room.svg]

What is typed and what comes back is real; only the waiting in between is left out."""
import argparse
import fcntl
import html
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import raw_http  # noqa: E402

COLUMNS = 132
CONFIG = """
making_room: {run_least: 2s, cool_down: 0, ram_reserve: 64M}
watch: {busy_period_ms: 200, idle_period_ms: 200}
"""
# One card that moves memory a little faster than a real one was seen to, so that nobody has to wait long.
CARDS = """
name: story
driver: 580.159.04
cuda: 13.0
checkpoint: {out: 8G, in: 16G, fixed_ms: 40}
cards: [{count: 1, model: Simulated 24.0 GiB, vram: 24G, uuid_seed: 24G}]
"""
SGR = re.compile(r"\x1b\[([\d;]*)m|\x1b\[[\d;?]*[A-Za-z]")
SIX = ["#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea"]
COLOURS = {90: "#8b949e", **dict(enumerate(SIX, 31)), **dict(enumerate(SIX, 91))}
INK, PAPER, PROMPT, NOTE = "#e6edf3", "#0d1117", "#7ee787", "#8b949e"


class Terminal:
    """Runs one command at a time on a pseudo terminal and keeps what it prints."""

    def __init__(self, environment, directory):
        self.environment, self.directory, self.lines = environment, directory, []

    def note(self, text):
        self.lines.append([(NOTE, False, f"# {text}")])

    def type(self, command):
        self.lines.append([(PROMPT, True, "$ "), (INK, True, command)])
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        process = subprocess.Popen(shlex.split(command), stdin=slave, stdout=slave, stderr=slave,
                                   env=self.environment, cwd=self.directory, close_fds=True)
        os.close(slave)
        said = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # The other side is closed.
                break
            if not piece:
                break
            said += piece
        os.close(master)
        process.wait()
        for line in said.decode().replace("\r\n", "\n").rstrip("\n").split("\n"):
            self.lines.append(spans_of(line))
        self.lines.append([])
        return said.decode()


def spans_of(line):
    """(colour, bold, text) of one line with its escape sequences."""
    spans, at, colour, bold = [], 0, INK, False
    for found in SGR.finditer(line):
        if found.start() > at:
            spans.append((colour, bold, line[at:found.start()]))
        at = found.end()
        for word in (found.group(1) or "0").split(";") if found.group(0).endswith("m") else []:
            code = int(word or 0)
            if code == 0:
                colour, bold = INK, False
            elif code == 1:
                bold = True
            elif code == 2:
                colour = NOTE
            else:
                colour = COLOURS.get(code, INK if code == 39 else colour)
    return [*spans, (colour, bold, line[at:])]


def picture(lines):
    width, height = COLUMNS * 8.4 + 40, len(lines) * 19 + 56
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'viewBox="0 0 {width:.0f} {height}" font-size="14" '
           'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace">',
           "<title>An urgent job arrives, a training leaves its card and comes back</title>",
           f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>']
    for x, colour in ((20, "#ff5f56"), (40, "#ffbd2e"), (60, "#27c93f")):
        out.append(f'<circle cx="{x}" cy="20" r="6" fill="{colour}"/>')
    for number, line in enumerate(lines):
        # Each piece at its own column: no font decides where the next one begins.
        column = 0
        for colour, bold, text in line:
            if text.strip():
                at, weight = 20 + column * 8.4, ' font-weight="bold"' if bold else ""
                out.append(f'<text x="{at:.1f}" y="{56 + number * 19}" fill="{colour}"{weight} '
                           f'xml:space="preserve" textLength="{len(text) * 8.4:.1f}" '
                           f'lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>')
            column += len(text)
    return "\n".join([*out, "</svg>", ""])


def until(condition, what):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited 60 s for {what}")
        time.sleep(0.05)


def story(programs, directory):
    socket = os.path.join(directory, "s")
    config = os.path.join(directory, "config.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG)
    cards = os.path.join(directory, "story.yaml")
    with open(cards, "w", encoding="utf-8") as file:
        file.write(CARDS)
    for name, words in (("train.py", "--vram 20G --util 80 --ramp 0s --seconds 0"),
                        ("answer.py", "--vram 19G --util 60 --ramp 0s --seconds 5")):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {programs}/gpusched-simjob {words}\n")
        os.chmod(os.path.join(directory, name), 0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "GPUSCHED_SOCKET": socket,
                   "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": directory, "COLUMNS": str(COLUMNS)}
    daemon = subprocess.Popen([f"{programs}/gpuschedd", "--config", config,
                               "--state-dir", f"{directory}/state", "--socket", socket, "--sim", cards],
                              stderr=subprocess.DEVNULL)

    def state(job):
        return json.loads(raw_http.call(socket, "GET", f"/v1/jobs/{job}").body)["jobs"][0]["state"]
    try:
        until(lambda: os.path.exists(socket), "the daemon")
        terminal = Terminal(environment, directory)
        terminal.note("a long training, less important than most; it knows nothing of gpusched")
        terminal.type("gpusched submit --priority low --name train -- ./train.py")
        until(lambda: state(1) == "running", "the training")
        time.sleep(2.2)  # It has run for a while: a rule of the configuration, and part of the story.
        terminal.note("somebody needs an answer now, and the card is full")
        terminal.type("gpusched submit --priority urgent --vram 20G --time 10m --name answer -- ./answer.py")
        until(lambda: state(2) == "running", "the urgent job")
        terminal.type("gpusched")
        terminal.type("gpusched explain 1")
        until(lambda: state(2) == "completed" and state(1) == "running", "the return")
        terminal.note("a few seconds later")
        terminal.type("gpusched")
        terminal.type("gpusched events 1")
        return terminal.lines[:-1]
    finally:
        subprocess.run([f"{programs}/gpusched", "cancel", "--all"], env=environment, capture_output=True,
                       check=False)
        daemon.terminate()
        daemon.wait()


def main():
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "pictures", "making-room.svg"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gs-") as directory:
        drawn = picture(story(os.path.abspath(arguments.programs), directory))
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write(drawn)


main()
