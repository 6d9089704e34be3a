"""Which jobs are meant where none is named; columns; several logs at once; a terminal that is resized."""

import csv
import io
import re
import signal
import subprocess
from pathlib import Path

import pytest
from client_terminal import ClientTerminal
from live_daemon import wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401


def test_wait_without_a_job_is_refused(running):
    """As after `gpusched wait $(gpusched submit …)` when the submit was refused."""
    running.ended(running.submit("--gpus", "0", "--cmd", "exit 3"))
    for words in ([], [""], ["--group", ""], ["--array", ""]):
        done = running.run("wait", *words, check=False)
        assert done.returncode == 64 and done.stderr.count("\n") == 1, (words, done)


def test_all_means_what_has_not_ended(running):
    failed = running.submit("--gpus", "0", "--name", "old", "--cmd", "exit 3")
    running.ended(failed)
    held = running.submit("--gpus", "0", "--hold", "--name", "new", "--", "true")
    shown = running.run("status", "--all", "--columns", "id,state").stdout
    assert str(failed) not in shown.split() and str(held) in shown.split()
    assert str(failed) in running.run("status", "--all", "--state", "ended", "--columns", "id").stdout.split()
    assert str(failed) in running.run("status", "--all", "--since", "1h", "--columns", "id").stdout.split()
    running.run("cancel", held)
    running.ended(held)
    # What failed long ago is not the result of what runs now.
    done = running.run("wait", "--all", check=False)
    assert (done.returncode, done.stderr) == (0, "gpusched: no job matches\n")
    # A name that was mistyped must not look like success.
    done = running.run("wait", "--name", "nwe", check=False)
    assert (done.returncode, done.stderr) == (66, "gpusched: no job matches\n")
    assert running.run("wait", "--name", "old", check=False).returncode == 3


def test_columns_and_csv(running):
    job = running.submit("--gpus", "0", "--name", 'say "hi", all', "--cmd", "exit 4")
    running.ended(job)
    table = running.run("status", job, "--columns", "state,id,exit").stdout
    assert re.fullmatch(rf"STATE\s+ID\s+EXIT\nfailed\s+{job}\s+4\n", table), table
    rows = list(csv.DictReader(io.StringIO(running.run("status", job, "--csv").stdout)))
    assert rows[0]["name"] == 'say "hi", all' and rows[0]["ended"].endswith("Z")
    assert float(rows[0]["time"]) >= 0
    done = running.run("status", "--columns", "id,nmae", check=False)
    assert (done.returncode, done.stderr) == (
        64, "gpusched: --columns: there is no column 'nmae'; did you mean name?\n")
    done = running.run("status", "--since", "yesterday", check=False)
    assert done.returncode == 64 and done.stderr.count("\n") == 1
    assert running.run("status", "--json", "--csv", check=False).returncode == 64


def following(daemon, *jobs):
    return subprocess.Popen([daemon.programs / "gpusched", "logs", "-f", *map(str, jobs)], text=True,
                            env=daemon.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_logs_of_several_jobs_followed_together(running, tmp_path):
    go = tmp_path / "go"
    script = f"echo one of $GPUSCHED_JOB_ID; while [ ! -e {go} ]; do sleep 0.02; done; printf two; exit 3"
    jobs = [running.submit("--gpus", "0", "--cmd", script) for _ in range(2)]
    late = running.submit("--gpus", "0", "--after", f"any:{jobs[0]}", "--cmd", "echo late")
    follower = following(running, *jobs, late)
    first = {follower.stdout.readline() for _ in jobs}
    assert first == {f"{job} | one of {job}\n" for job in jobs}
    go.touch()
    rest, said = follower.communicate(timeout=60)
    assert sorted(rest.splitlines()) == sorted([*(f"{job} | two" for job in jobs), f"{late} | late"]), rest
    assert follower.returncode == 0
    for job in jobs:
        assert f"gpusched: job {job} failed: exit 3\n" in said
    assert f"gpusched: job {late} waits: " in said and f"gpusched: job {late} completed\n" in said


def test_logs_followed_together_across_a_restart(own, tmp_path):
    go = tmp_path / "go"
    script = f"echo one; while [ ! -e {go} ]; do sleep 0.02; done; echo two"
    jobs = [own.submit("--gpus", "0", "--cmd", script) for _ in range(2)]
    follower = following(own, *jobs)
    assert {follower.stdout.readline() for _ in jobs} == {f"{job} | one\n" for job in jobs}
    own.kill()
    own.start()
    go.touch()
    rest, said = follower.communicate(timeout=60)
    assert sorted(rest.splitlines()) == [f"{job} | two" for job in jobs], (rest, said)


def test_a_digest_of_what_runs(running, tmp_path):
    go = tmp_path / "go"
    script = f"echo first; printf '10%%\\r90%%'; while [ ! -e {go} ]; do sleep 0.02; done"
    job = running.submit("--gpus", "0", "--name", "long", "--cmd", script)
    sweep = running.submit("--gpus", "0", "--array", "0-3", "--cmd",
                           f"echo part {{index}}; while [ ! -e {go} ]; do sleep 0.02; done")
    wait_until(lambda: all(running.logs(sweep + i) for i in range(4)) and b"90%" in running.logs(job),
               what="their first words")
    lines = [line.split() for line in running.run("logs", "--digest").stdout.splitlines()]
    assert [line for line in lines if line[0] == str(job) and line[-1] == "90%"], lines
    assert [line[0] for line in lines if line[0] == str(sweep)] == [str(sweep)], lines
    assert not [line for line in lines if line[0] == str(sweep + 1)], lines
    expanded = running.run("logs", "--digest", "--expand", "-n", "2").stdout
    assert "part 3" in expanded and "first" in expanded
    go.touch()
    for one in (job, *range(sweep, sweep + 4)):
        running.ended(one)


def test_status_follows_the_size_of_the_terminal(running):
    job = running.submit("--gpus", "0", "--hold", "--name", "a-rather-long-name-for-a-job", "--cmd",
                         "echo " + "word " * 40)
    with ClientTerminal(running, ["status", "-f", str(job)], 24, 60) as terminal:
        wait_until(lambda: b"held" in terminal.read(), what="the first picture")
        drawn = len(terminal.read())
        assert b"a-rather-long-name-for-a-job" not in terminal.read()
        # It hears of resizing, and need not wait until the picture is due again.
        status = Path(f"/proc/{terminal.process.pid}/status").read_text()
        blocked = int(re.search(r"^SigBlk:\s*(\w+)$", status, re.M).group(1), 16)
        assert blocked & 1 << (signal.SIGWINCH - 1), status
        terminal.resize(24, 200)
        wait_until(lambda: b"a-rather-long-name-for-a-job" in terminal.read()[drawn:],
                   what="the wider picture")
    running.run("cancel", job)


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")
def test_all_of_verbs_that_look_means_ones_own_too(place, ml1, ml2):
    mine, theirs = (int(user.gpusched("submit", "--gpus", "0", "--hold", "--tag", "own", "--", "true").stdout)
                    for user in (ml1, ml2))
    shown = ml1.gpusched("status", "--all", "--columns", "id").stdout.split()
    assert str(mine) in shown and str(theirs) not in shown
    # An administrator's own jobs are none of these, and everybody's are one word away.
    assert place.run("wait", "--all", check=False).stderr == "gpusched: no job matches\n"
    assert place.run("wait", "--all", "--everybody", "--timeout", "0s", check=False).returncode == 75
    for words in (["--all", "--user", ml2.name], ["--all", "--everybody"], ["--tag", "own"]):
        assert str(theirs) in ml1.gpusched("status", "--columns", "id", *words).stdout.split(), words
    said = ml1.gpusched("wait", "--tag", "own", "--timeout", "0s").stderr
    assert said.endswith("1 of 1 jobs have not ended\n")
    place.run("cancel", mine, theirs)
