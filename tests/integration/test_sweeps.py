"""Sweeps: what differs from job to job, and where it may stand."""

import os
import re

import pytest


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("sweep")


def test_placeholders_stand_wherever_a_job_is_described(running, place):
    for lr in ("0.1", "0.01"):
        (place / f"run-{lr}").mkdir()
    ids = running.run("submit", "--gpus", "0", "--param", "lr=0.1,0.01", "--name", "run-{lr}",
                      "--tag", "lr={lr},plain", "--cwd", place / "run-{lr}", "--output", "{index}.out",
                      "--error", "{lr}.err", "--env", "RATE=x{lr}", "--cmd",
                      "echo $PWD $RATE $GPUSCHED_PARAM_LR $GPUSCHED_ARRAY_INDEX; echo bad >&2").stdout.strip()
    first, last = map(int, ids.split("-"))
    for index, (job, lr) in enumerate(zip((first, last), ("0.1", "0.01"))):
        ended = running.ended(job)
        assert ended["state"] == "completed", ended
        directory = place / f"run-{lr}"
        assert (directory / f"{index}.out").read_text() == f"{directory} x{lr} {lr} {index}\n"
        assert (directory / f"{lr}.err").read_text() == "bad\n"
        assert ended["name"] == f"run-{lr}" and ended["tags"] == [f"lr={lr}", "plain"]
        details = running.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]
        assert details["working_directory"] == str(directory)
        assert details["log_path"] == str(directory / f"{index}.out")
        assert f"RATE=x{lr}" in details["environment"]
        assert running.logs(job) == f"{directory} x{lr} {lr} {index}\n".encode()
        assert running.logs(job, "--stderr") == b"bad\n"
        found = running.run("status", "--name", f"run-{lr}", "--json").stdout
        assert f'"id":{job},' in found.replace(" ", "")


def test_odd_names_of_parameters_are_plain_variables(running):
    ids = running.run("submit", "--gpus", "0", "--param", "batch-size.x=7", "--cmd",
                      "env | grep ^GPUSCHED_PARAM").stdout.strip()
    running.ended(int(ids))
    assert running.logs(int(ids)) == b"GPUSCHED_PARAM_BATCH_SIZE_X=7\n"


def test_a_job_does_not_hand_its_parameters_on(running):
    inner = f"{running.programs}/gpusched submit --gpus 0 --cmd 'env | grep ^GPUSCHED_PARAM || true'"
    job = running.submit("--gpus", "0", "--param", "lr=1", "--cmd", inner)
    running.ended(job)
    child = int(running.logs(job))
    running.ended(child)
    assert running.logs(child) == b""


def test_two_jobs_that_would_write_to_one_file_are_refused(running, place):
    done = running.run("submit", "--array", "0-9", "--output", place / "x.log", "--", "true", check=False)
    assert done.returncode == 64
    assert done.stderr == (f"gpusched: jobs 0 and 1 of the sweep would both write to {place}/x.log; "
                           "put {index} or a parameter into --output\n")
    answer = running.http("POST", "/v1/jobs", {"command": ["true"], "working_directory": "/",
                                               "array": {"indices": "0-9"}, "error_path": "/tmp/x"})
    assert answer.status == 400 and "into error_path" in answer.error()["message"]
    assert running.run("submit", "--gpus", "0", "--array", "0-1", "--output", "/dev/null", "--",
                       "true").stdout


def test_a_parameter_that_stands_nowhere_is_noted(running):
    done = running.run("submit", "--gpus", "0", "--param", "lr=1,2", "--", "true")
    assert done.stderr == ("gpusched: nothing in the job uses {lr}; only the variable GPUSCHED_PARAM_LR "
                           "tells its value\n")


def test_a_size_without_a_unit_is_a_forgotten_letter(running):
    done = running.run("submit", "--vram", "8", "--", "true", check=False)
    assert done.returncode == 64
    assert done.stderr == "gpusched: --vram: '8' is 8 bytes, less than 1 MiB; did you mean 8G?\n"


def test_a_line_runs_in_the_shell_of_ones_choice(running):
    job = running.submit("--gpus", "0", "--shell", "bash", "--cmd", "a=(x y); echo ${a[1]}")
    assert running.ended(job)["state"] == "completed"
    assert running.logs(job) == b"y\n"
    assert "Shell:" in running.run("show", job).stdout
    job = running.submit("--gpus", "0", "--shell", "nosuchshell", "--cmd", "true")
    assert running.ended(job)["cause"] == "launch"


def test_lines_for_slurm_get_a_hint(running, place):
    script = place / "train.sh"
    script.write_text("#!/bin/sh\n#SBATCH --gres=gpu:1\ntrue\n")
    done = running.run("submit", "--gpus", "0", script)
    assert done.stderr.startswith(f"gpusched: {script}:2: #SBATCH lines are not read here; write '#GPUSCHED ")


def test_a_dry_run_shows_commands_cards_and_the_start(own):
    # The only test here that needs cards of its own.
    done = own.run("submit", "--dry-run", "--param", "lr=1:5", "--", "echo", "{lr}")
    assert done.stderr == "gpusched: would submit 5 jobs; nothing was changed\n"
    here = f"          in {os.getcwd()}\n"
    assert done.stdout == (f"Runs:   echo 1\n{here}        echo 2\n        echo 3\n        and 2 more\n"
                           "Cards:  0\nStarts: at once\n")
    assert own.jobs() == []
    held = own.run("submit", "--dry-run", "--hold", "--", "true").stdout
    assert re.match(f"Runs:   true\n{re.escape(here)}Starts: unknown.*\nWaits:  ", held), held
    busy = [own.submit("--time", "1h", "--", "sleep", "3600") for _ in range(2)]
    for job in busy:
        own.wait_for(job, "running")
    shown = own.run("submit", "--dry-run", "--", "true").stdout
    assert re.search(r"^Starts: 20.*, in (1h|5\dm)", shown, re.M) and "\nWaits:  needs 1 card" in shown, shown
    preview = own.http("POST", "/v1/jobs?dry_run=1", {"command": ["true"], "working_directory": "/"}).json()
    assert preview["dry_run"] is True and preview["preview"]["starts_now"] is False
    assert preview["preview"]["reasons"][0]["code"] == "cards"
    assert own.run("run", "--dry-run", "--gpus", "0", "--", "true").stdout.endswith("Starts: at once\n")
    assert len(own.jobs()) == 2
