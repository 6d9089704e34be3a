"""A page plots a parameter of a sweep against what its jobs said of themselves: the row of each job has both,
while it runs, when it has ended however it did, and after a restart of the daemon."""

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FIELDS = "id,state,values,said,progress,started_at,ended_at"


@pytest.fixture
def box(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def rows_of(box, array):
    answer = box.http("GET", f"/v1/jobs?array={array}&fields={FIELDS}&limit=1000")
    assert answer.status == 200, answer.body
    rows = answer.json()["jobs"]
    assert all(set(row) == set(FIELDS.split(",")) for row in rows)
    return rows


def test_a_parameter_against_a_value(box):
    first = box.submit("--gpus", "0", "--param", "lr=0.1,0.01,0.001", "--param", "seed=1:2", "--cmd",
                       'echo "10 10 loss={lr}{seed}" > "$GPUSCHED_PROGRESS"; exit {seed}')
    jobs = range(first, first + 6)
    for job in jobs:
        box.ended(job)
    rows = rows_of(box, first)
    assert [row["id"] for row in rows] == list(jobs)
    for row in rows:
        values = row["values"]
        assert row["said"] == f"loss={values['lr']}{values['seed']}" and row["ended_at"], row
    box.kill()
    box.start()
    assert rows_of(box, first) == rows
    assert len(rows_of(box, first)) == 6 and rows_of(box, first + 1) == []


def test_of_jobs_that_run_and_of_one_that_is_stopped_early(box):
    first = box.submit("--gpus", "0", "--param", "lr=3,4", "--cmd",
                       'echo "5 10 loss={lr}" > "$GPUSCHED_PROGRESS"; sleep 600')

    def said():
        return [row["said"] for row in rows_of(box, first)]
    wait_until(lambda: said() == ["loss=3", "loss=4"], what="what both say")
    assert [row["progress"] for row in rows_of(box, first)] == [{"step": 5, "total": 10}] * 2
    # A job that runs is looked at again.
    box.kill()
    box.start()
    wait_until(lambda: said() == ["loss=3", "loss=4"], what="what both say to the next daemon")
    box.run("cancel", first)
    assert box.ended(first)["state"] == "cancelled"
    assert said() == ["loss=3", "loss=4"], "also of one that was cancelled"
    box.kill()
    box.start()
    wait_until(lambda: said() == ["loss=3", "loss=4"], what="the same after a restart")


def test_it_stays_as_long_as_its_job(box):
    first = box.submit("--gpus", "0", "--array", "0-1", "--cmd",
                       'echo "1 1 loss=0.{index}" > "$GPUSCHED_PROGRESS"')
    for job in (first, first + 1):
        box.ended(job)
    (box.directory / "config.yaml").write_text(ROOMY + "retention: {keep_most: 1}\n")
    box.run("config", "reload")
    rows = wait_until(lambda: (left := rows_of(box, first)) and len(left) == 1 and left,
                      what="one job to be left")
    assert [row["said"] for row in rows] == [f"loss=0.{rows[0]['id'] - first}"]
