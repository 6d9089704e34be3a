"""The scheduler library against a real daemon: applications and daemons that are killed."""

import os
import re
import subprocess

import pytest
from live_daemon import ROOMY, ROOT, LiveDaemon, wait_until

FAST = ROOMY.replace("cpus: 64", "cpus: 64, ram: 256G") + """
watch: {busy_period_ms: 200, idle_period_ms: 200, deadline_ms: 500}
"""
UNAVAILABLE, RESET, TIMEOUT, NOT_YET = "error 8 ", "error 4 ", "error 3 ", "error 2 "


class Application:
    def __init__(self, program, daemon, name="trainer"):
        self.process = subprocess.Popen([program, name], env=daemon.environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def begin(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def do(self, line):
        self.begin(line)
        return self.answer()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        yield daemon


@pytest.fixture
def start(programs, lab):
    program = programs.parent / "tests/scheduler_client"
    if not program.exists():
        pytest.skip("this build has no test programs")
    started = []

    def one(name="trainer", program=program):
        started.append(Application(program, lab, name))
        return started[-1]
    yield one
    for application in started:
        application.close()


def test_an_application_that_is_killed_loses_what_it_held(lab, start):
    first = start()
    assert first.do("ask 2") == "ok 1:0 2:1"
    other = start("other")
    assert other.do("ask 1") == "ok 3:waits"
    first.kill()
    assert other.do("wait 3 20000") == "ok 3:0"
    again = start()
    assert again.do("reset") == "ok"
    assert again.do("current") == "ok 0"
    assert other.do("check 3") == "ok"


def test_reset_frees_what_a_predecessor_holds_and_nobody_elses(lab, start):
    stuck, other = start(), start("other")
    assert stuck.do("ask 1") == "ok 1:0"
    assert other.do("ask 1") == "ok 2:1"
    assert stuck.do("ask 1") == "ok 3:waits"
    stuck.begin("wait 3 60000")
    successor = start()
    assert successor.do("current") == "ok 1"
    assert successor.do("waiting") == "ok 1"
    assert successor.do("reset") == "ok"
    assert stuck.answer().startswith(RESET)
    assert stuck.do("check 1").startswith(RESET)
    assert other.do("check 2") == "ok"
    assert successor.do("ask 1") == "ok 4:0"


def test_a_daemon_that_goes_away_is_an_error_and_grants_survive_it(lab, start):
    application = start()
    assert application.do("ask 1") == "ok 1:0"
    lab.kill()
    assert application.do("ask 1").startswith(UNAVAILABLE)
    assert application.do("check 1").startswith(UNAVAILABLE)
    assert application.do("reset").startswith(UNAVAILABLE)
    lab.start()
    assert application.do("check 1") == "ok"
    assert application.do("ask 1") == "ok 2:1"
    assert application.do("drop 1") == "ok"
    wait_until(lambda: lab.job(1)["state"] == "completed", what="its end")


def test_an_application_asks_for_its_own_return(lab, start):
    application = start()
    assert application.do("ask 1") == "ok 1:0"
    assert application.do("resume 1 20000") == "ok", "it is on its cards"
    lab.run("pause", 1)
    lab.wait_for(1, "paused")
    assert application.do("check 1") == "ok", "it has them still"
    assert application.do("current") == "ok 1"
    job = lab.submit("--gpu", "0", "--", "sleep", "600")
    lab.wait_for(job, "running")
    assert application.do("resume 1 100").startswith(NOT_YET), "there is no room"
    application.begin("resume 1 20000")
    lab.run("cancel", job)
    assert application.answer() == "ok"
    assert lab.job(1)["state"] == "running"


def test_jobs_and_applications_share_one_queue(lab, start):
    application = start()
    assert application.do("ask 1") == "ok 1:0"
    job = lab.submit("--gpus", "2", "--", "true")
    assert "job 1" in lab.job(job)["reason"]
    assert application.do("ask 1").endswith(":waits")  # Behind the job, which came first.
    assert application.do("drop 1") == "ok"
    lab.wait_for(job, "completed")
    assert application.do("wait 3 20000").startswith("ok 3:")


def test_the_example_runs_with_and_without_a_daemon(lab, programs, tmp_path):
    program = programs.parent / "tests/workers"
    if not program.exists():
        pytest.skip("this build has no test programs")
    for environment in (lab.environment(), {**os.environ, "GPUSCHED_SOCKET": str(tmp_path / "none")}):
        done = subprocess.run([program], cwd=tmp_path, env=environment, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(": on card ") == 8
        assert done.stdout.endswith("0 schedulings left\n")


def shown_programs():
    """The lines of the programs in the header and in the guide, without their indentation."""
    header = (ROOT / "include/gpusched/scheduler.h").read_text().split("#pragma once")[0]
    yield [line.removeprefix("//").strip() for line in header.splitlines() if line.startswith("//   ")]
    guide = (ROOT / "docs/library.md").read_text()
    yield [line.strip() for line in re.search(r"```cpp\n(.*?)```", guide, re.S)[1].splitlines()]


def test_the_programs_that_are_shown_are_those_that_run(lab, programs):
    program = programs.parent / "tests/scheduler_samples"
    if not program.exists():
        pytest.skip("this build has no test programs")
    source = [re.sub(r" +", " ", line.strip())
              for line in (ROOT / "tests/support/scheduler_samples.cc").read_text().splitlines()]
    for shown in shown_programs():
        shown = [re.sub(r" +", " ", line) for line in shown]
        assert len(shown) > 5
        begins = [i for i, line in enumerate(source) if source[i:i + len(shown)] == shown]
        assert begins, f"the samples lack: {shown}"
    done = subprocess.run([program], env=lab.environment(), capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "runs on [0]"
    assert done.stdout.count("works on [") == 3
    assert "works on []" in done.stdout, "the loader is on a CPU"


def test_lists_are_errors_while_the_daemon_is_away(lab, start):
    application = start()
    assert application.do("ask 3") == "ok 1:0 2:1 3:waits"
    lab.kill()
    assert application.do("current").startswith(UNAVAILABLE)
    assert application.do("waiting").startswith(UNAVAILABLE)
    lab.start()
    assert application.do("current") == "ok 2"
    assert application.do("waiting") == "ok 1"


def test_a_wait_that_a_restart_broke_can_be_taken_up_again(lab, start):
    application = start()
    assert application.do("ask 3") == "ok 1:0 2:1 3:waits"
    application.begin("wait 3 60000")
    wait_until(lambda: len(lab.http("GET", "/v1/leases?application=trainer").json()["leases"]) == 3)
    lab.kill()
    assert application.answer().startswith(UNAVAILABLE)
    lab.start()
    assert application.do("wait 3 50").startswith(NOT_YET)
    assert application.do("drop 1") == "ok"
    assert application.do("wait 3 20000") == "ok 3:0"


@pytest.fixture(scope="module")
def plain_client(release_programs, tmp_path_factory):
    """Without sanitizers: g++ 12's are not fit for a fork beside threads that allocate."""
    program = tmp_path_factory.mktemp("plain") / "scheduler_client"
    library = release_programs.parent / "src/scheduler/libgpusched-scheduler.a"
    subprocess.run(["g++", "-std=c++20", "-I", ROOT / "include", "-I", ROOT,
                    ROOT / "tests/support/scheduler_client.cc", library, "-ldl", "-lpthread",
                    "-o", program], check=True)
    return program


def test_threads_and_children_live_through_restarts_of_the_daemon(lab, start, plain_client):
    application = start(program=plain_client)

    def newest():
        return max((lease["id"] for lease in lab.http("GET", "/v1/leases").json()["leases"]), default=0)
    application.begin("storm 16 25")
    for number in (60, 180):
        wait_until(lambda number=number: newest() > number, 60, f"lease {number}")
        lab.kill()
        lab.start()
    assert application.answer() == "ok"
    assert application.do("current") == "ok 0"
    wait_until(lambda: not lab.http("GET", "/v1/leases").json()["leases"], what="the end of the children's")


def test_a_child_has_what_it_asks_for_and_gives_nothing_of_its_parent_back(start, plain_client):
    assert start(program=plain_client).do("child") == "ok"


def test_answers_of_parent_and_child_do_not_mix(start, plain_client):
    assert start(program=plain_client).do("children 20") == "ok"
