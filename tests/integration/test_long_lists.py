"""Long lists as a page or a script asks for them: piece by piece, in order, compressed; and what
would become of a job before it is submitted.
"""

import json
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon

JOBS = 250


@pytest.fixture(scope="module")
def daemon(programs):
    with LiveDaemon(programs, config=ROOMY) as running:
        held = ("--gpus", "0", "--hold")
        running.run("submit", *held, "--priority", "40", "--array", f"1-{JOBS - 1}", "--", "true")
        running.run("submit", *held, "--priority", "60", "--", "true")
        yield running


def curl(daemon, target, *words):
    done = subprocess.run(
        ["curl", "-sS", "--fail", "--unix-socket", daemon.socket, *words, f"http://gpusched{target}"],
        capture_output=True, check=True, timeout=60)
    return done.stdout


def pages(daemon, target):
    """All of them, each by the address that the one before names."""
    while target:
        answer = daemon.http("GET", target)
        assert answer.status == 200, answer.body
        yield [job["id"] for job in answer.json()["jobs"]]
        link = answer.headers.get("link", "")
        assert bool(link) == ("next" in answer.json())
        target = link.removesuffix('>; rel="next"').removeprefix("<")


def test_pages_together_are_the_list(daemon):
    found = list(pages(daemon, "/v1/jobs?limit=100&sort=-priority&fields=id"))
    assert [len(page) for page in found] == [100, 100, 50]
    assert found[0][0] == JOBS
    assert sorted(sum(found, [])) == list(range(1, JOBS + 1))


def test_a_page_goes_on_after_a_restart(daemon):
    first = daemon.http("GET", "/v1/jobs?limit=200&fields=id").json()
    daemon.kill()
    daemon.start()
    rest = daemon.http("GET", f"/v1/jobs?limit=200&fields=id&cursor={first['next']}").json()
    assert [job["id"] for job in first["jobs"] + rest["jobs"]] == list(range(1, JOBS + 1))
    assert "next" not in rest


@pytest.mark.parametrize("target", ["/v1/jobs", "/v1/openapi.json", "/v1/jobs?limit=5", "/v1/jobs/all"])
def test_a_real_client_reads_compressed_answers(daemon, target):
    plain = curl(daemon, target)
    head = curl(daemon, target, "--compressed", "--dump-header", "-", "--output", "/dev/null").decode()
    assert "Content-Encoding: gzip" in head
    assert json.loads(curl(daemon, target, "--compressed")) == json.loads(plain)


def test_a_preview_tells_what_explain_tells_later(daemon):
    body = {"command": ["/bin/sleep", "100"], "working_directory": "/", "time_limit_s": 600}
    first = daemon.http("POST", "/v1/preview", body).json()
    assert first["starts_now"] is True
    for card in (first["gpus"][0]["number"], None):
        job = daemon.http("POST", "/v1/jobs", body).json()["first"]
        held = daemon.wait_for(job, "running")["gpus"][0]["number"]
        assert card is None or held == card, "it runs where the preview said"
    would = daemon.http("POST", "/v1/preview", body).json()
    assert would["starts_now"] is False and would["gpus"] == []
    assert would["estimated_start"] or would["start_unknown"]
    job = daemon.http("POST", "/v1/jobs", body).json()["first"]
    reason = daemon.http("GET", f"/v1/jobs/{job}/explain").json()["reasons"][0]
    assert would["reasons"][0]["code"] == reason["code"] == "cards"
    assert would["reasons"][0]["jobs"] == reason["jobs"]
    assert would["reasons"][0]["missing"] == reason["missing"]
