"""Copies of a program that nobody knows yet, each with a directory of its own to write to: they are judged by
the first of them, while it runs and after its end. And leases, which are judged by their holder's program."""

import subprocess
import sys
from pathlib import Path

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 2000}
scheduling: {sibling_settle: 1s}
"""
GIB = 1 << 30
# What is on the command line says nothing of memory; the process becomes one that uses the card.
TRAIN = """
import os, sys
os.execv({simjob!r}, [{simjob!r}, "--vram", "2560M", "--util", "5", "--ramp", "200ms",
                      "--seconds", sys.argv[1]])
"""


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x139G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        daemon.train = daemon.directory / "train.py"
        daemon.train.write_text(TRAIN.format(simjob=str(daemon.simjob)))
        yield daemon


def copies(lab, seconds, names):
    return [lab.submit("--", sys.executable, lab.train, seconds, f"--out_dir=/x/{name}") for name in names]


NAMES = [f"n{i}" for i in range(12)]


def test_twelve_copies_run_together_while_the_first_still_runs(lab):
    jobs = copies(lab, "0", NAMES)
    wait_until(lambda: all(lab.job(job)["state"] == "running" for job in jobs), 60, "twelve at once")
    first, *others = [lab.job(job) for job in jobs]
    assert first["estimate"]["held_vram_bytes"] == pytest.approx(3.75 * GIB, rel=0.02)
    for other in others:
        assert other["estimate"]["held_vram_bytes"] == pytest.approx(3.75 * GIB, rel=0.02)
    kinds = [line["kind"] for line in lab.http("GET", f"/v1/jobs/{jobs[0]}/events").json()["events"]]
    assert "settled" in kinds


def test_twelve_copies_seen_for_the_first_time_all_complete(lab):
    jobs = copies(lab, "2", NAMES)
    rows = [lab.ended(job, seconds=120) for job in jobs]
    assert [(row["state"], row["failures"]) for row in rows] == [("completed", 0)] * 12
    assert sum(row["estimate"]["held_vram_bytes"] > 100 * GIB for row in rows) <= 1, "one alone, at first"
    # A kill loses nothing of what was learnt of the program.
    lab.kill()
    lab.start()
    late = copies(lab, "0", ["late"])[0]
    lab.wait_for(late, "running")
    assert lab.job(late)["estimate"]["level"] == "program"
    assert "of its program" in lab.run("show", late).stdout


def test_other_programs_and_declared_needs_are_not_judged_by_copies(lab):
    known = copies(lab, "0.5", ["n0"])[0]
    assert lab.ended(known)["state"] == "completed"
    other = lab.directory / "other.py"
    other.write_text(lab.train.read_text())
    declared = lab.submit("--vram", "20G", "--", sys.executable, lab.train, "0", "--out_dir=/x/n1")
    lab.wait_for(declared, "running")
    assert lab.job(declared)["estimate"]["held_vram_bytes"] == 20 * GIB
    unknown = lab.submit("--", sys.executable, other, "0")
    assert lab.job(unknown)["state"] == "queued"
    assert lab.job(unknown)["estimate"]["level"] is None


@pytest.mark.parametrize("way", [
    lambda program: ["taskset", "-c", "0", sys.executable, f"{program}.py"],
    lambda program: ["bash", "-c", f'hostname; {sys.executable} {program}.py "$0"'],
    lambda program: ["timeout", "10m", f"./{program}.py"],
], ids=["taskset", "line", "timeout"])
def test_a_program_is_not_judged_by_another_one_in_the_same_dress(lab, way):
    for name in ("small", "big"):
        script = lab.directory / f"{name}.py"
        script.write_text(f"#!{sys.executable}\n" + lab.train.read_text())
        script.chmod(0o755)
    known = lab.submit("--", *way("small"), "0.5", cwd=lab.directory)
    assert lab.ended(known)["state"] == "completed"
    again = lab.submit("--hold", "--", *way("small"), "7", "--name=x", cwd=lab.directory)
    assert lab.job(again)["estimate"]["level"] == "program"
    other = lab.submit("--hold", "--", *way("big"), "0.5", cwd=lab.directory)
    assert lab.job(other)["estimate"]["level"] is None


def test_leases_are_told_apart_by_their_holders_program(lab):
    script = lab.directory / "serve.py"
    script.write_text("import signal\nsignal.pause()\n")
    holders = [subprocess.Popen([sys.executable, str(script), "--secret=abc"]),
               subprocess.Popen(["sleep", "600"])]
    try:
        # The interpreter has taken the place of what started it.
        for holder, word in zip(holders, (b"serve.py", b"sleep")):
            line = Path(f"/proc/{holder.pid}/cmdline")
            wait_until(lambda line=line, word=word: word in line.read_bytes(), 10, str(word))
        signatures = []
        for holder in holders:
            body = {"pid": holder.pid, "vram_bytes": GIB}
            lease = lab.http("POST", "/v1/leases", body).json()["lease"]["id"]
            signatures.append(lab.job(lease)["estimate"]["signature"])
        assert signatures[0].startswith("python") and signatures[0].endswith("serve.py")
        assert signatures[1] == "sleep"
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()
