"""POST /v1/whatif on the real daemon: its own short past with other cards, nothing of which is kept."""

import json

import pytest
from live_daemon import LiveDaemon

FIGURES = {"average_wait_s", "median_wait_s", "p90_wait_s", "p99_wait_s", "average_completion_s",
           "utilisation_percent", "preemptions", "makespan_s"}


@pytest.fixture(scope="module")
def box(programs):
    """One card, and three jobs of a second that came at once."""
    with LiveDaemon(programs, sim="1x24G", config="host: {cpus: 8}\njobs: {grace: 0s}\n") as daemon:
        daemon.first = daemon.submit("--name", "train", "--array", "0-2", "--cmd", "sleep 1")
        for job in range(daemon.first, daemon.first + 3):
            daemon.ended(job)
        yield daemon


def what_if(box, status=200, **body):
    answer = box.http("POST", "/v1/whatif", body)
    assert answer.status == status, answer.body
    return answer.json()


def test_two_cards_more_would_have_spared_all_waiting(box):
    before = box.http("GET", "/v1/jobs").json()
    said = what_if(box, add_cards=["24G", "24G"])
    assert said["jobs"] == 3 and said["left_out"] == 0
    for name in ("was", "as_configured", "would"):
        assert set(said[name]) == FIGURES, name
    # Each runs for a second at least, whatever else this machine does.
    assert said["was"]["average_wait_s"] >= 1 and said["as_configured"]["average_wait_s"] >= 1
    assert said["would"]["average_wait_s"] == 0
    waits = said["waits"]
    assert len({len(waits[name]) for name in ("edges_s", "was", "as_configured", "would")}) == 1
    assert waits["would"][0] == sum(waits["was"]) == 3
    assert [one["jobs"] for one in said["by_tenant"]] == [3]
    moved = [one["job"] for one in said["moved_most"]]
    assert moved == [box.first + 2, box.first + 1]
    assert {one["name"] for one in said["moved_most"]} == {"train"} and said["notes"]
    assert box.http("GET", "/v1/jobs").json() == before, "nothing is kept"
    assert len(box.http("GET", "/v1/gpus").json()["cards"]) == 1


def test_the_command_line_replays_the_same(box):
    said = what_if(box, policy="sjf", since_s=86400)
    done = box.run("simulate", "--from-history", "1d", "--policy", "sjf", "--json")
    theirs = json.loads(done.stdout)
    assert theirs["simulated"]["avg_wait_s"] == pytest.approx(said["would"]["average_wait_s"], abs=0.01)
    assert theirs["as_it_was"]["avg_wait_s"] == pytest.approx(said["was"]["average_wait_s"], abs=0.01)


@pytest.mark.parametrize("body, status, words", [
    ({"policy": "fastest"}, 400, "policy: there is no 'fastest'"),
    ({"add_cards": ["huge"]}, 400, "add_cards: 'huge'"),
    ({"remove_cards": [7]}, 404, "remove_cards: there is no card '7'"),
    ({"remove_cards": [0]}, 400, "the only card"),
    ({"without_tenant": "nobody-here"}, 404, "no job of tenant 'nobody-here'"),
    ({"cap_percent": 101}, 400, "cap_percent"), ({"since": 5}, 400, "since"),
])
def test_mistakes_are_one_sentence(box, body, status, words):
    said = what_if(box, status=status, **body)["error"]
    assert words in said["message"] and "\n" not in said["message"]


def test_without_a_past_there_is_nothing_to_replay(programs):
    with LiveDaemon(programs) as young:
        said = what_if(young, status=409)["error"]
    assert said["code"] == "conflict" and said["message"].endswith("there is nothing to replay")
