"""What fingers that know another tool type, and what a person expects of the answer."""

import pytest


@pytest.mark.parametrize("word, here", [("kill", "cancel"), ("add", "submit"), ("restart", "requeue"),
                                        ("edit", "set"), ("list", "status"), ("sbatch", "submit")])
def test_a_verb_of_another_tool_is_translated(daemon, word, here):
    done = daemon.run(word, "7", check=False)
    assert done.returncode == 64
    assert done.stderr == f"gpusched: there is no verb '{word}'; here it is: gpusched {here}\n"


def test_a_flag_of_another_tool_is_translated(daemon):
    done = daemon.run("status", "--jobId", "7", check=False)
    assert done.returncode == 64
    assert done.stderr == "gpusched: status has no flag --jobId; write the job's number alone: 7\n"


def test_a_time_as_slurm_writes_it(own):
    job = own.submit("--gpus", "0", "--hold", "--time", "1-00:00:00", "--", "true")
    assert own.job(job)["time_limit_s"] == 86400


def test_explain_says_how_a_job_ended_and_where_its_output_is(own):
    job = own.submit("--gpus", "0", "--cmd", "exit 3")
    own.ended(job)
    said = own.run("explain", job).stdout
    assert said.startswith(f"Job {job} is failed: exit 3.\n") and "It ran for 0s, until " in said
    assert f"Its output: gpusched logs {job}" in said
    cancelled = own.submit("--gpus", "0", "--hold", "--", "true")
    own.run("cancel", cancelled)
    own.ended(cancelled)
    assert "It never ran." in own.run("explain", cancelled).stdout


def test_a_script_that_lies_here_needs_no_dot(own, tmp_path, monkeypatch):
    script = tmp_path / "train.sh"
    script.write_text("#!/bin/sh\necho from here\n")
    monkeypatch.chdir(tmp_path)
    for mode in (0o755, 0o644):
        script.chmod(mode)
        job = own.submit("--gpus", "0", "train.sh")
        assert own.ended(job)["state"] == "completed"
        assert own.logs(job) == b"from here\n"
    # What PATH knows goes before a file of that name.
    named = tmp_path / "true"
    named.write_text("#!/bin/sh\nexit 9\n")
    named.chmod(0o755)
    assert own.ended(own.submit("--gpus", "0", "true"))["exit_code"] == 0


def test_logs_of_several_jobs_keep_their_headers_in_a_pipe(own):
    jobs = [own.submit("--gpus", "0", "--cmd", f"echo words {i}") for i in range(3)]
    for job in jobs:
        own.ended(job)
    first, _, last = jobs
    shown = own.run("logs", f"{first}-{last}").stdout
    assert shown == "\n".join(f"==> job {job} <==\nwords {i}\n" for i, job in enumerate(jobs))
