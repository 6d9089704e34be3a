"""A sweep is one line wherever jobs are listed; its table has parameters against what became of them."""

import csv
import io
import json

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

REPORTS = ('case {lr} in 0.3) exit 3;; esac; echo "5 10 loss={lr} acc=1" > "$GPUSCHED_PROGRESS"; '
           "echo learned at {lr}")


@pytest.fixture(scope="module")
def swept(programs):
    """A sweep of three that has ended, one of them badly, and one of forty that is held."""
    with LiveDaemon(programs, config=ROOMY) as daemon:
        daemon.first = daemon.submit("--gpus", "0", "--name", "grid", "--param", "lr=0.2,0.3,0.1", "--cmd",
                                     REPORTS)
        for job in range(daemon.first, daemon.first + 3):
            daemon.ended(job)
        daemon.many = daemon.submit("--gpus", "0", "--hold", "--array", "0-39", "--", "true")
        yield daemon


def test_status_has_one_line_for_a_sweep(swept):
    lines = [line.split() for line in swept.run("status").stdout.splitlines()]
    assert [line for line in lines if line[:3] == [str(swept.many), "40", "held"]], lines
    assert [line for line in lines if line[:5] == [str(swept.first), "2", "ok,", "1", "failed"]], lines
    assert not [line for line in lines if line[:1] == [str(swept.many + 1)]], lines
    # Named as submit named it, and expanded.
    last = swept.many + 39
    assert len(swept.run("status", f"{swept.many}-{last}").stdout.splitlines()) == 2
    assert len(swept.run("status", "--expand", f"{swept.many}-{last}").stdout.splitlines()) == 41
    # Some of its jobs, named one by one, are those jobs.
    assert len(swept.run("status", f"{swept.many}-{swept.many + 2}").stdout.splitlines()) == 4
    # For programs nothing has changed.
    assert len(json.loads(swept.run("status", "--json", "--array", swept.many).stdout)["jobs"]) == 40


def test_show_has_one_sheet_for_a_sweep_and_one_line_in_a_job(swept):
    sheet = swept.run("show", f"{swept.many}-{swept.many + 39}").stdout
    assert f"{swept.many}: 40 held" in sheet and f"{swept.many}-{swept.many + 39}" in sheet
    assert sheet.count("Job:") == 0
    one = swept.run("show", swept.first + 1).stdout
    assert f"{swept.first}: 2 ok, 1 failed" in one


def test_wait_says_in_one_line_how_a_sweep_went(swept):
    done = swept.run("wait", f"{swept.first}-{swept.first + 2}", check=False)
    assert done.returncode == 3
    assert done.stderr == f"gpusched: sweep {swept.first}: 2 ok, 1 failed: {swept.first + 1} (exit 3)\n"


def test_wait_for_a_sweep_by_its_number_after_some_of_it_has_ended(swept):
    done = swept.run("wait", "--array", swept.first, check=False)
    assert done.returncode == 3, done.stderr
    assert f"job {swept.first + 1} failed: exit 3" in done.stderr


def test_the_table_of_a_sweep(swept):
    text = swept.run("sweep", swept.first, "--csv", "--sort", "loss").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["lr"], row["state"], row["loss"], row["acc"]) for row in rows] == [
        ("0.1", "completed", "0.1", "1"), ("0.2", "completed", "0.2", "1"), ("0.3", "failed", "", "")]
    assert all(float(row["time"]) >= 0 for row in rows)
    # Any of its jobs names it; the largest first, and only one.
    table = swept.run("sweep", swept.first + 2, "--sort", "loss", "--reverse", "-n", "1")
    assert table.stdout.splitlines()[0].split()[:3] == ["ID", "LR", "STATE"]
    assert table.stdout.splitlines()[1].split()[:2] == [str(swept.first), "0.2"]
    assert table.stderr == f"gpusched: sweep {swept.first}: 2 ok, 1 failed\n"
    assert len(json.loads(swept.run("sweep", swept.many, "--json").stdout)["jobs"]) == 40
    assert len(swept.run("sweep").stdout.splitlines()) == 3


def test_a_sweep_that_is_none_or_a_column_that_is_none(swept):
    alone = swept.submit("--gpus", "0", "--hold", "--", "true")
    done = swept.run("sweep", alone, check=False)
    assert (done.returncode, done.stderr) == (65, f"gpusched: job {alone} is not part of an array or sweep\n")
    done = swept.run("sweep", swept.first, "--sort", "lss", check=False)
    assert done.returncode == 64 and "there is no column 'lss'; one of id, lr, state" in done.stderr
    swept.run("cancel", alone)


def test_what_a_job_said_last_is_kept(own):
    job = own.submit("--gpus", "0", "--cmd", 'echo "1 2 loss=0.5" > "$GPUSCHED_PROGRESS"')
    assert own.ended(job)["said"] == "loss=0.5"
    own.kill()
    own.start()
    assert own.job(job)["said"] == "loss=0.5"


def test_a_hundred_thousand_jobs_are_one_short_answer(own):
    first = own.submit("--gpus", "0", "--hold", "--array", "0-99999", "--", "true")
    wait_until(lambda: own.http("GET", f"/v1/sweeps/{first}").json()["sweep"]["count"] == 100000, 60,
               "all of them in their places")
    # Rows of all of them would be 50 MB.
    for target in ("/v1/overview?sweeps=1", "/v1/jobs?sweeps=1", f"/v1/sweeps/{first + 70000}",
                   f"/v1/jobs/{first}-{first + 99999}/wait?timeout_ms=0&sweeps=1"):
        assert len(own.http("GET", target).body) < 4096, target
    assert f"{first}  100000 held" in own.run("status").stdout
    own.run("cancel", "--all")
    wait_until(lambda: own.http("GET", "/v1/overview").json()["counts"]["held"] == 0, 60, "its end")
