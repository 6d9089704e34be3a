"""A page looks into a large log: it searches, and reads the part that it shows."""

from urllib.parse import quote

import pytest
from live_daemon import LiveDaemon, wait_until

# 200 MiB of which hardly anything is written, and 80 MiB of lines.
SPARSE = """
import os, sys
os.write(1, b"first needle\\n")
os.ftruncate(1, 200 << 20)
os.write(1, b"last needle, loss=0.5\\n")
"""
DENSE = """
import os
line = b"x" * 79 + b"\\n"
for n in range(80):
    os.write(1, line * 13107)
os.write(1, b"a Needle at the end\\n")
"""


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, config="host: {cpus: 8}\n") as daemon:
        yield daemon


def ran(box, code):
    job = box.submit("--gpus", "0", "--", "python3", "-c", code)
    assert box.ended(job)["state"] == "completed", box.logs(job)
    return job


def search(box, job, text, **more):
    query = "&".join([f"text={quote(text)}", *(f"{name}={value}" for name, value in more.items())])
    answer = box.http("GET", f"/v1/jobs/{job}/log/search?{query}")
    assert answer.status == 200, answer.body
    return answer.json()


def test_a_sparse_log_costs_what_is_written(box):
    job = ran(box, SPARSE)
    found = search(box, job, "needle")
    assert found["size"] > 200 << 20 and found["attempt"] == 1 and found["job"] == job
    assert (found["matches"][0]["offset"], found["matches"][0]["line"]) == (0, "first needle")
    last = found["matches"][-1]
    assert last["line"].endswith("last needle, loss=0.5") and found["next"] is None
    assert last["at"] == (200 << 20) + 5 and len(last["line"]) <= 1000
    # What the page shows then.
    part = box.http("GET", f"/v1/jobs/{job}/log?offset={last['at']}&most=6")
    assert part.body == b"needle"
    assert part.headers["gpusched-log-next"] == str(last["at"] + 6)
    part = box.http("GET", f"/v1/jobs/{job}/log?offset=0&most=12")
    assert part.body == b"first needle" and int(part.headers["gpusched-log-size"]) == found["size"]


def test_a_long_search_goes_on_where_it_stopped(box):
    job = ran(box, DENSE)
    place, asks = 0, 0
    while True:
        found = search(box, job, "NEEDLE", ignore_case=1, **{"from": place})
        asks += 1
        if found["next"] is None:
            break
        assert found["matches"] == [] and found["next"] > place
        place = found["next"]
    assert asks == 2, "64 MiB are read for one answer"
    assert [one["line"] for one in found["matches"]] == ["a Needle at the end"]
    many = search(box, job, "xxx", limit=3)
    assert [one["offset"] for one in many["matches"]] == [0, 80, 160] and many["next"] == 240


def test_it_finds_in_a_job_that_runs_what_is_there(box):
    job = box.submit("--gpus", "0", "--", "sh", "-c", "echo one needle; sleep 600")
    box.wait_for(job, "running")
    found = wait_until(lambda: search(box, job, "needle")["matches"], what="the line")
    assert [one["line"] for one in found] == ["one needle"]
    box.run("cancel", job)
