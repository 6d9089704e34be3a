"""`gpusched simulate` as a user calls it: its contract, its mistakes."""

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

BIN = Path(os.environ.get("GPUSCHED_BIN", "build/dev/bin"))
TRACES = Path(os.environ.get("GPUSCHED_TRACES",
                             Path(__file__).resolve().parents[2].parent / "shared/data/traces"))

QUEUE = "submit_s,gpus,duration_s,user\n0,2,100,a\n1,4,50,b\n2,1,40,a\n2,1,300,a\n"


def simulate(*words):
    return subprocess.run([BIN / "gpusched", "simulate", *map(str, words)],
                          capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def queue(tmp_path):
    path = tmp_path / "queue.csv"
    path.write_text(QUEUE)
    return path


@pytest.mark.parametrize("policy, average", [
    ("fifo-strict", (100 + 149 + 188 + 448) / 4),
    ("fifo-greedy", (100 + 351 + 40 + 300) / 4),
    ("easy", (100 + 149 + 40 + 448) / 4),
    ("srtf", (150 + 90 + 40 + 349) / 4),
])
def test_policies_give_their_average(queue, policy, average):
    done = simulate(queue, "--machine", "1x4", "--policy", policy, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["schema"] == 1 and said["jobs"] == 4 and said["policy"] == policy
    assert said["avg_jct_s"] == pytest.approx(average)
    for name in ("p99_jct_s", "avg_wait_s", "makespan_s", "preemptions", "utilisation_percent", "jain"):
        assert name in said


def test_default_is_a_table_for_people(queue):
    done = simulate(queue, "--machine", "1x4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 jobs, 4 cards in 1 nodes, policy default")
    assert "completion" in done.stdout and "tenant" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("words, status, sentence", [
    (["--policy", "fastest"], 64, "there is no policy 'fastest'"),
    (["--format", "xml"], 64, "--format: there are native, muri"),
    (["--machine", "0x8"], 64, "a machine has 1 to"),
    (["--limits", "2"], 64, "--limits: write 2x, 1.5x or none"),
    (["--queues", "10,5"], 64, "--queues: each limit must be larger"),
    (["--from", "monday"], 64, "--from: 'monday' is not a date"),
    (["--machine", "1x2", "--policy", "sjf"], 65, "line 3: the job asks for 4 cards"),
    (["--tenant", "c"], 64, "no job of the trace is selected"),
    (["--format", "muri"], 64, "line 1: the column 'num_gpu' is missing"),
])
def test_mistakes_are_one_sentence(queue, words, status, sentence):
    done = simulate(queue, *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr and done.stderr.count("\n") == 1


def test_the_page_with_plots_is_whole_and_loads_nothing(queue, tmp_path):
    page = tmp_path / "report.html"
    done = simulate(queue, "--machine", "2x4", "--policy", "srtf", "--html", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    for title in ("Jobs that wait", "Cards in use, by tenant", "Completion and waiting", "Cards"):
        assert f"<h2>{title}" in text
    assert text.count("<svg") == 4 and "http" not in text and "<script" not in text
    for picture in text.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + picture.split("</svg>")[0] + "</svg>")
    again = simulate(queue, "--machine", "2x4", "--html", page)
    assert again.returncode != 0 and page.read_text() == text


def test_what_each_job_waited_as_csv(queue, tmp_path):
    jobs = tmp_path / "jobs.csv"
    done = simulate(queue, "--machine", "1x4", "--policy", "fifo-strict", "--jobs", jobs)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in jobs.read_text().splitlines()]
    assert rows[0] == ["line", "tenant", "gpus", "submit_s", "wait_s", "jct_s", "preemptions"]
    assert [float(row[4]) for row in rows[1:]] == [0, 99, 148, 148]


def test_a_published_figure_through_the_command_line():
    trace = TRACES / "muri/trace3.csv"
    if not trace.exists():
        pytest.skip(f"no traces in {TRACES}; GPUSCHED_TRACES names their folder")
    done = simulate(trace, "--format", "muri", "--machine", "8x8", "--policy", "srtf", "--json")
    said = json.loads(done.stdout)
    assert said["cost"] == "muri" and said["jobs"] == 992
    assert said["avg_jct_s"] == pytest.approx(193081.796, abs=0.001)
    assert said["p99_jct_s"] == pytest.approx(4538890.607, abs=0.001)


def test_ones_own_history_with_a_card_more(own):
    jobs = [own.submit("--gpus", "2", "--time", "1m", "--", "sleep", "0.3") for _ in range(3)]
    for job in jobs:
        assert own.ended(job)["state"] == "completed"
    table = own.run("simulate", "--from-history", "1h", "--add-gpu", "H100:80G").stdout
    assert "as it was" in table and "3 cards" in table
    both = json.loads(own.run("simulate", "--from-history", "1h", "--add-gpu", "24G",
                              "--add-gpu", "24G", "--json").stdout)
    assert both["as_it_was"]["jobs"] == both["simulated"]["jobs"] == 3
    assert both["simulated"]["max_wait_s"] < both["as_it_was"]["max_wait_s"]
    fewer = own.run("simulate", "--from-history", "1h", "--remove-gpu", "0", check=False)
    assert fewer.returncode == 65 or "job" in fewer.stderr
    own.kill()
    nonsense = own.run("simulate", "--from-history", "1h", "--add-gpu", "bogus", check=False)
    assert nonsense.returncode == 64 and "'bogus' is not like 24G" in nonsense.stderr
    own.start()
    wrong = own.run("simulate", "--from-history", "1h", "--remove-gpu", "9", check=False)
    assert wrong.returncode == 64 and "there is no card '9'" in wrong.stderr
