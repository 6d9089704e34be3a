"""What happened on the cards is told as it was: moves aside and returns, drains, ends; also after the daemon
was killed and started again."""

import json

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=QUICK, sim="2x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        yield daemon


def timeline(daemon, query=""):
    said = daemon.http("GET", "/v1/timeline" + query)
    assert said.status == 200, said.body
    return said.json()


def spans_of(daemon, job, query=""):
    return [span for span in timeline(daemon, query)["spans"] if span["job"] == job]


def kinds(spans):
    return [(span["kind"], span["state"]) for span in spans]


def test_a_life_on_the_cards_is_told_as_it_was(lab):
    job = lab.submit("--name", "moved", "--", lab.simjob, "--vram", "6G", "--ramp", "0s", "--seconds", "0")
    lab.wait_for(job, "running")
    assert kinds(spans_of(lab, job)) == [("run", "running")]
    # Before it has memory there is nothing to move, and it is only stopped.
    wait_until(lambda: lab.job(job)["estimate"]["used_vram_bytes"], what="a look at its memory")
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    assert kinds(spans_of(lab, job)) == [("run", "paused"), ("aside", "paused")]
    lab.run("resume", job)
    lab.wait_for(job, "running")
    card = spans_of(lab, job)[0]["card"]
    other = 1 - card
    lab.run("drain", other, "--reason", "a new fan")
    lab.run("undrain", other)
    lab.run("drain", other, "--reason", "once more")
    short = lab.submit("--gpus", "0", "--", "true")
    lab.ended(short)

    def check():
        answer = timeline(lab)
        spans = [span for span in answer["spans"] if span["job"] == job]
        assert kinds(spans) == [("run", "paused"), ("aside", "running"), ("run", "running")], spans
        assert [span["card"] for span in spans] == [card] * 3
        assert spans[0]["until"] == spans[1]["from"] and spans[1]["until"] == spans[2]["from"]
        assert spans[2]["until"] is None and spans[1]["mechanism"] == "checkpoint"
        assert all(span["name"] == "moved" for span in spans)
        assert [drain["reason"] for drain in answer["drains"]] == ["a new fan", "once more"]
        assert answer["drains"][0]["until"] and answer["drains"][1]["until"] is None
        assert not [span for span in answer["spans"] if span["job"] == short], "it was on no card"
        return spans

    before = check()
    lab.kill()
    lab.start()
    lab.wait_for(job, "running")
    assert check() == before
    lab.run("cancel", job)
    lab.ended(job)
    last = spans_of(lab, job)[-1]
    assert last["state"] == "cancelled" and last["until"], last
    lab.run("undrain", other)


def test_who_waits_and_who_is_aside_is_planned(lab):
    words = ("--gpus", "2", "--exclusive", "--time", "10m", "--", "sleep", "600")
    first, second = lab.submit(*words), lab.submit(*words)
    lab.wait_for(first, "running")
    planned = wait_until(lambda: timeline(lab)["planned"], what="a plan")
    rows = [(row["card"], row["job"], row["kind"]) for row in planned]
    assert rows == [(0, second, "start"), (1, second, "start")]
    ends = {row["job"]: row for row in timeline(lab)["ends"]}
    assert ends[first]["latest_end"] == planned[0]["from"]
    assert planned[0]["until"] > planned[0]["from"]


def test_jobs_outlive_their_rows(programs):
    config = QUICK + "\nretention: {keep_most: 1}\n"
    with LiveDaemon(programs, config=config) as daemon:
        ids = [daemon.submit("--gpus", "1", "--", "true") for _ in range(4)]
        daemon.run("wait", ids[-1])
        wait_until(lambda: len(daemon.jobs()) == 1, what="the end of old rows")
        assert {span["job"] for span in timeline(daemon)["spans"]} >= set(ids[:3])


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="only root makes accounts")
@pytest.mark.parametrize("what", ["counts", "own"])
def test_others_are_hidden_where_the_configuration_says_so(place, ml1, ml2, what):  # noqa: F811
    job = int(ml1.gpusched("submit", "--name", "hidden-work", "--gpus", "1", "--", "true").stdout.split()[0])
    own = int(ml2.gpusched("submit", "--name", "own-work", "--gpus", "1", "--", "true").stdout.split()[0])
    for one in (job, own):
        place.ended(one)
    (place.directory / "config.yaml").write_text(f"host: {{cpus: 64}}\nisolation: {{visibility: {what}}}\n")
    place.run("config", "reload")
    token = json.loads(place.run("token", "create", "--user", ml2.name, "--json").stdout)
    shown = place.http("GET", "/v1/timeline", headers={"Authorization": f"Bearer {token['secret']}"})
    assert shown.status == 200, shown.body
    jobs = {span["job"] for span in shown.json()["spans"]}
    assert own in jobs and job not in jobs
    assert b"hidden-work" not in shown.body and ml1.name.encode() not in shown.body
    assert {job, own} <= {span["job"] for span in timeline(place)["spans"]}, "root sees all"
    (place.directory / "config.yaml").write_text("host: {cpus: 64}\n")
    place.run("config", "reload")


def moment(daemon, at, job=None):
    query = f"?at={at}" + (f"&job={job}" if job else "")
    said = daemon.http("GET", "/v1/moment" + query)
    assert said.status == 200, said.body
    return said.json()


def test_a_moment_of_the_past_is_told_in_the_words_of_then(programs):
    with LiveDaemon(programs, config=QUICK, sim="1x24G") as lab:
        words = ("--gpus", "1", "--exclusive", "--", "sleep", "600")
        first = lab.submit("--name", "holder", *words)
        lab.wait_for(first, "running")
        second = lab.submit("--name", "waiter", *words)
        explained = lab.http("GET", f"/v1/jobs/{second}/explain").json()
        then = timeline(lab)["now"]
        lab.run("cancel", first)
        lab.wait_for(second, "running")
        lab.run("drain", 0)

        def check():
            answer = moment(lab, then, second)
            assert [row["id"] for row in answer["running"]] == [first], answer
            assert answer["running"][0]["cards"] == [0] and answer["running"][0]["name"] == "holder"
            assert [row["id"] for row in answer["waiting"]] == [second]
            card = answer["cards"][0]
            assert card["jobs"] == [first] and card["drained"] is False and card["vram_bytes"] > 0
            why = answer["why"]
            assert why["state"] == "queued"
            assert why["reasons"][0]["code"] == explained["reasons"][0]["code"]
            assert why["reasons"][0]["jobs"] == explained["reasons"][0]["jobs"]
            assert answer["limits_of_this_answer"].endswith(".")

        check()
        lab.kill()
        lab.start()
        lab.wait_for(second, "running")
        check()
        now = moment(lab, "0s", first)
        assert now["why"]["state"] == "ended" and now["cards"][0]["drained"] is True
        assert wait_until(lambda: moment(lab, "0s")["cards"][0]["used_bytes"] is not None, what="figures")
        lab.run("undrain", 0)
