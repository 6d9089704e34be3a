"""Changing a job that waits: what it runs, what it waits for, its place in the queue."""

import json


def trail(daemon, job):
    return [e["text"] for e in json.loads(daemon.run("events", job, "--json").stdout)["events"]
            if e["kind"] == "changed"]


def test_what_a_waiting_job_runs_can_change(running, tmp_path):
    job = running.submit("--gpus", "0", "--hold", "--env", "A=old", "--env", "SECRET=s", "--", "false")
    running.run("set", job, "--cwd", tmp_path, "--env", "A=new", "--", "sh", "-c", "echo $PWD $A $SECRET")
    said = trail(running, job)[0]
    assert said.startswith("command false → sh -c echo $PWD $A $SECRET; directory ")
    assert said.endswith(f" → {tmp_path}; environment: A") and "new" not in said
    running.run("release", job)
    assert running.ended(job)["state"] == "completed"
    assert running.logs(job) == f"{tmp_path} new s\n".encode()


def test_a_line_and_its_shell_can_change(running):
    job = running.submit("--gpus", "0", "--hold", "--", "false")
    running.run("set", job, "--cmd", "a=(x y); echo ${a[1]}", "--shell", "bash")
    running.run("release", job)
    running.ended(job)
    assert running.logs(job) == b"y\n"
    done = running.run("set", job, "--cmd", "true", check=False)
    assert done.returncode == 65 and "has already ended" in done.stderr


def test_dependencies_can_change(running):
    first = running.submit("--gpus", "0", "--hold", "--", "true")
    second = running.submit("--gpus", "0", "--after", first, "--", "true")
    third = running.submit("--gpus", "0", "--hold", "--", "true")
    done = running.run("set", first, "--after", second, check=False)
    assert done.returncode == 65
    assert done.stderr == f"gpusched: job {first} cannot wait for jobs that wait for it themselves\n"
    running.run("set", second, "--after", f"any:{third}")
    assert trail(running, second) == [f"after {first} → any:{third}"]
    running.run("set", second, "--after", "none")
    assert running.ended(second)["state"] == "completed"
    running.run("cancel", first, third)


def test_times_can_be_cleared(running):
    job = running.submit("--gpus", "0", "--hold", "--deadline", "+2h", "--expire", "+3h", "--begin", "+1h",
                         "--time", "1h", "--", "true")
    running.run("set", job, "--deadline", "none", "--expire", "none", "--begin", "none", "--time", "90m")
    details = running.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]
    assert [details[name] for name in ("deadline", "expire", "begin")] == [None, None, None]
    said = trail(running, job)[0]
    assert said.startswith("time limit 1h → 1h 30m; begin 20") and said.count(" → none") == 3
    running.run("cancel", job)


def test_messages_name_the_flag_that_was_typed(running):
    job = running.submit("--gpus", "0", "--hold", "--", "true")
    done = running.run("set", job, "--comment", "x" * 1001, check=False)
    assert done.stderr == "gpusched: --comment has 1001 bytes; at most 1000 are kept\n"
    done = running.run("set", job, "--cpus", "99999999", check=False)
    assert done.stderr == "gpusched: --cpus must be from 0 to 1000000\n"
    answer = running.http("PATCH", f"/v1/jobs/{job}", {"cpus": 99999999})
    assert answer.error()["message"] == "cpus must be from 0 to 1000000"
    running.run("cancel", job)


def test_waiting_jobs_change_places(own):
    blockers = [own.submit("--", "sleep", "3600") for _ in range(2)]
    for job in blockers:
        own.wait_for(job, "running")
    a, b, c = (own.submit("--", "true") for _ in range(3))
    own.run("move", c, "--before", a)

    def order():
        return [job["id"] for job in own.http("GET", "/v1/overview").json()["waiting"]]

    assert order() == [c, a, b]
    own.kill()
    own.start()
    assert order() == [c, a, b], "also after a crash"
    done = own.run("move", c, "--before", blockers[0], check=False)
    assert done.returncode == 65 and f"job {blockers[0]} does not wait; it is running" in done.stderr
    assert own.run("move", b, "--before", c, "--dry-run").stderr.startswith("gpusched: would be moved 1 job")
    assert order() == [c, a, b]
    assert trail(own, c) == [f"moved before job {a}"]


def test_explain_names_the_whole_sweep_and_when_it_is_given_up(running):
    made = json.loads(running.run("submit", "--json", "--hold", "--gpus", "0", "--expire", "+3h", "--param",
                                  "lr=1,2", "--", "echo", "{lr}").stdout)
    told = running.http("GET", f"/v1/jobs/{made['first']}-{made['last']}/explain").json()["groups"]
    helps = [one["first"]["reasons"][0]["helps"] for one in told]
    assert helps == [f"gpusched release --array {made['first']}"]
    one = running.run("explain", made["first"]).stdout
    assert f"gpusched release {made['first']}" in one, one
    assert "given up if it has not started by" in " ".join(one.split()), one
    running.run("cancel", "--array", made["first"])


def test_a_program_that_is_not_there_is_noted(running):
    done = running.run("submit", "--hold", "--gpus", "0", "--", "no-such-program-here")
    assert "there is no program no-such-program-here in PATH" in done.stderr, done
    assert "program" not in running.run("submit", "--hold", "--gpus", "0", "--", "true").stderr

