"""Reports on the real daemon: what they count is what the jobs say, and it stays when the jobs are gone, the
daemon was killed and another one runs."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401

CONFIG = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
report: {price_per_gpu_hour: 3600, price_per_kwh: 0.3, currency: CHF}
"""
HOSTILE = ["=1+1", "@sum(A1)", "+cmd", "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>"]


@pytest.fixture(scope="module")
def lab(programs):
    with LiveDaemon(programs, config=CONFIG, sim="1x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        yield daemon


def simjob(lab, seconds, *flags, vram="2G", more=()):
    return lab.submit(*flags, "--", lab.simjob, "--vram", vram, "--util", "50", "--ramp", "0s",
                      "--seconds", seconds, *more)


def report(lab, *flags):
    return json.loads(lab.run("report", "--json", *flags).stdout)


def table(lab, by):
    return list(csv.DictReader(io.StringIO(lab.run("report", "--by", by, "--format", "csv").stdout)))


@pytest.fixture(scope="module")
def story(lab):
    """Jobs that end well and badly, one that is moved aside, one that is tried again, and hostile names."""
    done = [simjob(lab, "0.5", "--name", f"train-{i}", "--project", "vision", "--vram", "4G", "--time", "60")
            for i in range(2)]
    done.append(lab.submit("--gpus", "0", "--name", "bad", "--", "false"))
    done.append(lab.submit("--gpus", "0", "--name", "again", "--retries", "1", "--", "false"))
    done += [lab.submit("--gpus", "0", "--name", name, "--", "true") for name in HOSTILE]
    for job in done:
        lab.ended(job)
    steps = lab.state / "steps"
    training = simjob(lab, "2", "--priority", "low", "--name", "moved", vram="10G",
                      more=("--steps-file", steps))
    wait_until(lambda: steps.exists() and int(steps.read_text() or 0) > 3, what="first steps")
    rush = simjob(lab, "0.5", "--priority", "urgent", "--vram", "20G", "--name", "rush", vram="19G")
    for job in (rush, training):
        assert lab.ended(job)["state"] == "completed"
    return [*done, training, rush]


def test_the_figures_are_those_of_the_jobs(lab, story):
    jobs = [lab.job(job) for job in story]
    said = report(lab)
    assert said["source"] == "days" and said["by"] == "user" and len(said["rows"]) == 1
    total = said["total"]
    assert total["jobs"] == len(jobs)
    assert total["attempts"] == sum(job["attempt"] for job in jobs) == len(jobs) + 1
    held = sum(job["usage"]["gpu"]["gpu_seconds"] for job in jobs if job["usage"] and job["usage"]["gpu"])
    assert total["gpu_seconds"] == pytest.approx(held, rel=1e-6)
    assert total["moves"] == sum(job["moves"] for job in jobs) >= 1
    assert total["moved_bytes"] >= 10 << 30 and total["aside_seconds"] > 0
    assert total["failures"] == [{"cause": "exit", "attempts": 3}]
    assert total["waits"]["jobs"] == len(jobs)
    assert total["time_limit_seconds"] == 120 and 0 < total["time_used_seconds"] < 120
    assert said["currency"] == "CHF" and total["cost"] >= held
    assert sum(said["hours"]) == pytest.approx(held, rel=1e-6)
    assert sum(day["gpu_seconds"] for day in said["days"]) == pytest.approx(held, rel=1e-6)


def test_by_everything_there_is(lab, story):
    whole = report(lab)["total"]["gpu_seconds"]
    for by in ("tenant", "user", "project", "card", "name", "program", "hour"):
        said = report(lab, "--by", by)
        assert sum(row["gpu_seconds"] for row in said["rows"]) == pytest.approx(whole, rel=1e-6), by
        assert lab.run("report", "--by", by).returncode == 0
    names = {row["name"]: row for row in table(lab, "name")}
    assert float(names["moved"]["gpu_hours"]) > 0 and names["bad"]["failures"] == "exit 1"
    assert {row["project"] for row in table(lab, "project")} >= {"vision"}
    assert {row["program"] for row in table(lab, "program")} >= {"gpusched-simjob", "false"}
    # Less than two days: from the jobs themselves, and says so.
    recent = report(lab, "--since", "1h", "--by", "card")
    assert recent["source"] == "jobs" and "still kept" in recent["notes"][0]
    assert recent["total"]["gpu_seconds"] == pytest.approx(whole, rel=1e-6)


def test_hostile_names_stay_names(lab, story, tmp_path):
    names = [row["name"] for row in table(lab, "name")]
    for name in HOSTILE:
        assert ("'" + name if name[0] in "=+-@" else name) in names
    page = tmp_path / "page.html"
    lab.run("report", "--since", "30d", "--by", "name", "--format", "html", "-o", page)
    text = page.read_text()
    for bad in ("<script", "<img", "http:", "https:", "url("):
        assert bad not in text
    assert text.count("<svg") == 3 and "Used against asked" in text
    for picture in text.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + picture.split("</svg>")[0] + "</svg>")
    again = lab.run("report", "--format", "html", "-o", page, check=False)
    assert again.returncode != 0 and again.stderr.count("\n") == 1 and page.read_text() == text


def test_the_text_for_a_mail(lab, story):
    answer = lab.http("GET", "/v1/report?format=text&by=name&since=7d")
    text = answer.body.decode()
    assert answer.headers["content-type"].startswith("text/plain")
    for part in ("GPU-HOURS", "Waiting", "Failures", "Moved aside", "Cost in CHF", "Waste: "):
        assert part in text


def test_suggestions_are_worked_out(lab, story):
    said = json.loads(lab.run("report", "--suggest", "--json").stdout)
    assert said["suggestions"] == [], "five runs are needed"
    assert "Suggestions\nNone" in lab.run("report", "--suggest").stdout


@pytest.mark.parametrize("words,status,sentence", [
    (["--by", "colour"], 64, "--by: user, card, tenant, project, name, program or hour"),
    (["--format", "pdf"], 64, "--format: table, csv, json or html"),
    (["--since", "2d", "--until", "3d"], 64, "until: "),
    (["--until", "never"], 64, "--until: "),
    (["--format", "csv", "-o", "/nowhere/at/all.csv"], 66, "/nowhere/at/all.csv"),
])
def test_mistakes_are_one_sentence(lab, words, status, sentence):
    done = lab.run("report", *words, check=False)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert sentence in done.stderr and done.stderr.count("\n") == 1


def all_forms(lab):
    said = {by: lab.run("report", "--by", by, "--format", "csv").stdout
            for by in ("tenant", "user", "project", "card", "name", "program", "hour")}
    text = lab.http("GET", "/v1/report?format=text&by=name").body.decode()
    said["text"] = re.sub(r"^Work from .*\n", "", text)
    said["waited_for"] = report(lab)["waited_for"]
    return said


def test_nothing_changes_when_jobs_and_daemons_go(lab, story):
    before = all_forms(lab)
    lab.kill()
    lab.start()
    wait_until(lambda: len(lab.http("GET", "/v1/gpus").json()["cards"]) == 1, what="the card")
    assert all_forms(lab) == before
    config = lab.directory / "config.yaml"
    config.write_text(CONFIG + "retention: {keep_most: 0}\n")
    lab.run("config", "reload")
    wait_until(lambda: not lab.jobs(), what="the end of what is kept of the jobs")
    assert all_forms(lab) == before
    lab.kill()
    lab.start()
    wait_until(lambda: len(lab.http("GET", "/v1/gpus").json()["cards"]) == 1, what="the card")
    assert all_forms(lab) == before
    assert report(lab, "--since", "1h")["total"]["jobs"] == 0, "the parts that need single jobs"


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="only root makes accounts")
def test_two_tenants_and_who_sees_whom(place, ml1, ml2):  # noqa: F811
    # All of the cards each: one after the other.
    both = ("--gpus", "2", "--exclusive")
    first = int(ml1.gpusched("submit", *both, "--", "sleep", "2").stdout.split()[0])
    place.wait_for(first, "running")
    second = int(ml2.gpusched("submit", *both, "--name", "own-work", "--", "true").stdout.split()[0])
    for job in (first, second):
        assert place.ended(job)["state"] == "completed"
    held = place.job(first)["usage"]["gpu"]["gpu_seconds"]
    said = json.loads(place.run("report", "--by", "tenant", "--json").stdout)
    rows = {row["tenant"]: row for row in said["rows"]}
    assert rows[ml1.name]["jobs"] == rows[ml2.name]["jobs"] == 1
    waited = {(pair["tenant"], pair["holder"]): pair["seconds"] for pair in said["waited_for"]}
    if rows[ml2.name]["waits"]["mean_s"] >= 1:
        assert waited[(ml2.name, ml1.name)] >= 1
    for what in ("counts", "own"):
        (place.directory / "config.yaml").write_text(f"{ROOMY}isolation: {{visibility: {what}}}\n")
        place.run("config", "reload")
        seen = json.loads(ml2.gpusched("report", "--by", "tenant", "--json").stdout)
        assert ml1.name not in json.dumps(seen)
        own = [row for row in seen["rows"] if not row.get("others")]
        others = [row for row in seen["rows"] if row.get("others")]
        assert [row["tenant"] for row in own] == [ml2.name] and own[0]["jobs"] == 1
        assert len(others) == (1 if what == "counts" else 0)
        assert all(row["gpu_seconds"] == pytest.approx(held, rel=1e-6) for row in others)
    (place.directory / "config.yaml").write_text(ROOMY)
    place.run("config", "reload")
