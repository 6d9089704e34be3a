"""What people do all day: submit, wait, change, retry, chain, sweep."""

import json
import os
import subprocess
import time

import pytest
from live_daemon import wait_until


def test_submit_prints_the_id_alone(running):
    done = running.run("submit", "--gpus", "0", "--", "true")
    assert done.stdout.strip().isdigit() and done.stderr == ""
    assert running.run("wait", done.stdout.strip()).returncode == 0


EXITS = [("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -9 $$", 137), ("kill -SEGV $$", 139)]


@pytest.mark.parametrize("line,code", EXITS)
def test_wait_answers_with_the_jobs_exit_code(running, line, code):
    job = running.submit("--gpus", "0", "--cmd", line)
    assert running.run("wait", job, check=False).returncode == code
    ended = running.job(job)
    assert (ended["exit_code"], ended["signal"]) == ((None, code - 128) if "kill" in line
                                                    else (code, None))


def test_wait_for_several_is_the_first_that_failed(running):
    jobs = [running.submit("--gpus", "0", "--cmd", f"exit {code}") for code in (0, 4, 5)]
    assert running.run("wait", f"{jobs[0]}-{jobs[2]}", check=False).returncode == 4
    assert running.run("wait", jobs[0], jobs[2], check=False).returncode == 5
    assert running.run("wait", 4711, check=False).returncode == 66


def test_wait_gives_up_after_its_time(running):
    job = running.submit("--gpus", "0", "--hold", "--", "true")
    begin = time.monotonic()
    done = running.run("wait", job, "--timeout", "1", check=False)
    assert done.returncode == 75 and time.monotonic() - begin > 0.9
    assert done.stderr.count("\n") == 1
    running.run("cancel", job)
    assert running.run("wait", job, check=False).returncode == 130


def test_arguments_that_are_not_utf8_arrive_byte_for_byte(running, tmp_path):
    odd = [b"\xff\xfe", b"caf\xe9", b"", b" ", b"new\nline", b"q\"'\\$", "ü".encode(), bytes(range(1, 256))]
    show = tmp_path / "show"
    show.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"; printf '%s' \"$ODD\"\n")
    show.chmod(0o755)
    directory = os.fsencode(tmp_path) + b"/d\xe9\xff"
    os.mkdir(directory)
    environment = {**{os.fsencode(k): os.fsencode(v) for k, v in running.environment().items()},
                   b"ODD": b"\x80\xff end"}
    done = subprocess.run([os.fsencode(running.programs) + b"/gpusched", b"submit", b"--gpus", b"0",
                           b"--cwd", directory, b"--output", directory + b"/out\xfe", b"--name",
                           "straße".encode(), b"--", os.fsencode(show), *odd],
                          env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    job = int(done.stdout)
    assert running.ended(job)["exit_code"] == 0
    with open(directory + b"/out\xfe", "rb") as out:
        assert out.read() == b"\0".join(odd) + b"\0" + b"\x80\xff end"
    assert running.logs(job) == b"\0".join(odd) + b"\0" + b"\x80\xff end"
    assert running.run("status", job).returncode == 0


def test_a_megabyte_of_arguments_and_environment(running):
    big = "x" * 120_000
    variables = [word for n in range(8) for word in ("--env", f"BIG{n}={big}{n}")]
    job = running.submit("--gpus", "0", *variables, "--", "sh", "-c",
                         "echo $# ${#1} ${#8} ${#BIG0} ${#BIG7}", "sh", *[big] * 8)
    assert running.ended(job)["exit_code"] == 0
    assert running.logs(job) == b"8 120000 120000 120001 120001\n"
    # It survives a restart, where it comes from the store.
    held = running.submit("--gpus", "0", "--hold", *variables, "--", "sh", "-c", "echo ${#BIG7} ${#1}",
                          "sh", big)
    running.kill()
    running.start()
    running.run("release", held)
    assert running.ended(held)["exit_code"] == 0
    assert running.logs(held) == b"120001 120000\n"


def test_the_environment_of_a_job(running):
    job = running.submit("--gpus", "2", "--no-env", "--env", "ONLY=this", "--", "/usr/bin/env")
    running.ended(job)
    seen = dict(line.split("=", 1) for line in running.logs(job).decode().splitlines())
    assert (seen["CUDA_VISIBLE_DEVICES"], seen["CUDA_DEVICE_ORDER"]) == ("0,1", "PCI_BUS_ID")
    assert (seen["GPUSCHED_JOB_ID"], seen["GPUSCHED_ATTEMPT"]) == (str(job), "1")
    assert seen["ONLY"] == "this" and "GPUSCHED_RESUME" not in seen
    assert "HOME" not in seen and "PATH" not in seen
    none = running.submit("--gpus", "0", "--cmd", 'echo "[$CUDA_VISIBLE_DEVICES]"')
    running.ended(none)
    assert running.logs(none) == b"[]\n"


def test_retries_with_back_off(running):
    job = running.submit("--gpus", "0", "--retries", "2", "--back-off", "1", "--cmd",
                         "date +%s.%N; test $GPUSCHED_ATTEMPT = 3")
    ended = running.ended(job)
    assert (ended["state"], ended["attempt"]) == ("completed", 3)
    begun = [float(running.logs(job, "--attempt", n)) for n in (1, 2, 3)]
    assert begun[1] - begun[0] >= 0.9 and begun[2] - begun[1] >= 1.9
    assert running.logs(job) == running.logs(job, "--attempt", 3)


def test_retries_are_for_the_causes_that_were_named(running):
    job = running.submit("--gpus", "0", "--retries", "3:signal", "--back-off", "0", "--cmd",
                         "test $GPUSCHED_ATTEMPT = 1 && kill -9 $$; exit 3")
    ended = running.ended(job)
    assert (ended["state"], ended["attempt"], ended["exit_code"]) == ("failed", 2, 3)


@pytest.mark.parametrize("kind,code,state", [
    ("ok", 0, "completed"), ("ok", 1, "cancelled"), ("any", 0, "completed"), ("any", 1, "completed"),
    ("fail", 0, "cancelled"), ("fail", 1, "completed")])
def test_dependencies(running, kind, code, state):
    first = running.submit("--gpus", "0", "--hold", "--cmd", f"exit {code}")
    second = running.submit("--gpus", "0", "--after", f"{kind}:{first}", "--", "true")
    third = running.submit("--gpus", "0", "--after", second, "--", "true")
    assert str(first) in running.run("explain", second).stdout
    running.run("release", first)
    ended = running.ended(second)
    assert ended["state"] == state
    if state == "cancelled":
        assert ended["cause"] == "dependency" and str(first) in ended["message"]
        assert running.ended(third)["cause"] == "dependency"
    else:
        assert running.ended(third)["state"] == "completed"


def test_begin_and_expire(running):
    begin = time.time()
    late = running.submit("--gpus", "0", "--begin", "+2s", "--", "date", "+%s.%N")
    never = running.submit("--gpus", "0", "--hold", "--expire", "+1s", "--", "true")
    assert running.job(late)["state"] == "queued"
    assert running.ended(never)["cause"] == "expired"
    assert running.ended(late)["state"] == "completed"
    assert float(running.logs(late)) >= begin + 1.9


def test_a_deadline_that_cannot_be_met_is_said_at_once(running):
    never_run = ("sh", "-c", ": nobody has run this")  # Nothing is known of how long it takes.
    flags = ("--gpus", "0", "--hold", "--time", "1h", "--deadline")
    late = running.run("submit", *flags, "+5m", "--", *never_run)
    assert "its deadline cannot be met" in late.stderr
    job = late.stdout.strip()
    assert "deadline cannot be met" in running.run("explain", job).stdout
    assert "deadline cannot be met" in running.run("show", job).stdout
    assert "deadline" in running.run("events", job).stdout
    assert running.run("submit", *flags, "+5h", "--", *never_run).stderr == ""
    running.run("set", job, "--deadline", "+5h")
    assert "cannot be met" not in running.run("explain", job).stdout
    refused = running.run("submit", *flags, "-5m", "--", *never_run, check=False)
    assert refused.returncode == 64


def most_at_once(log):
    most = now = 0
    for line in log.read_text().splitlines():
        now += 1 if line == "in" else -1
        most = max(most, now)
    assert now == 0
    return most


def test_nothing_of_a_paused_group_starts(running):
    running.run("group", "set", "later", "2")
    running.run("group", "pause", "later")
    job = running.submit("--gpus", "0", "--group", "later", "--", "true")
    assert "group 'later' is paused" in running.run("explain", job).stdout
    assert "paused" in running.run("group").stdout
    running.run("group", "resume", "later")
    running.wait_for(job, "completed")
    assert [g["limit"] for g in json.loads(running.run("group", "--json").stdout)["groups"]
            if g["name"] == "later"] == [2]
    running.run("group", "remove", "later")
    for verb in ("pause", "resume"):
        assert running.run("group", verb, "later", check=False).returncode == 66, "it would be made"
    warned = running.run("submit", "--gpus", "0", "--group", "nihgt", "--", "true")
    assert "there is no group 'nihgt'" in warned.stderr
    assert running.run("submit", "--gpus", "0", "--", "true").stderr == ""


def test_a_group_limits_how_many_run(running, tmp_path):
    log = tmp_path / "log"
    running.run("group", "set", "two", "2")
    for _ in range(5):
        running.run("submit", "--gpus", "0", "--group", "two", "--cmd",
                    f"echo in >>{log}; sleep 0.2; echo out >>{log}")
    running.run("wait", "--group", "two")
    assert most_at_once(log) <= 2
    shown = json.loads(running.run("group", "--json").stdout)["groups"]
    assert {"name": "two", "limit": 2, "paused": False, "owner": None, "running": 0, "waiting": 0} in shown
    running.run("group", "remove", "two")


def test_an_array_limits_how_many_run(running, tmp_path):
    log = tmp_path / "log"
    said = running.run("submit", "--gpus", "0", "--array", "0-6:2%2", "--cmd",
                       f"echo in >>{log}; sleep 0.2; echo out >>{log}; "
                       "test {index} = $GPUSCHED_ARRAY_INDEX && exit {index}").stdout.strip()
    first, last = map(int, said.split("-"))
    assert last - first == 3
    assert running.run("wait", said, check=False).returncode == 2
    assert most_at_once(log) <= 2
    rows = [running.job(job) for job in range(first, last + 1)]
    assert [(row["array"], row["array_index"], row["exit_code"]) for row in rows] == [
        (first, 0, 0), (first, 2, 2), (first, 4, 4), (first, 6, 6)]


def test_sweeps(running):
    said = running.run("submit", "--gpus", "0", "--param", "lr=0.1,0.01", "--param", "seed=1:3", "--",
                       "echo", "{lr}/{seed}").stdout.strip()
    first, last = map(int, said.split("-"))
    running.run("wait", said)
    printed = {running.logs(job).decode().strip() for job in range(first, last + 1)}
    assert printed == {f"{lr}/{seed}" for lr in ("0.1", "0.01") for seed in (1, 2, 3)}
    lines = running.run("submit", "--gpus", "0", "--each-line", "-", "--", "echo", "<{line}>",
                        input="one\ntwo words\n").stdout.strip()
    running.run("wait", lines)
    assert running.logs(int(lines.split("-")[1])) == b"<two words>\n"


def test_the_crash_guard_holds_a_sweep_that_dies(running):
    said = running.run("submit", "--gpus", "0", "--array", "0-19%1", "--cmd", "exit 9").stdout.strip()
    first = int(said.split("-")[0])

    def held():
        rows = json.loads(running.run("status", "--array", first, "--state", "held", "--json").stdout)
        return rows["jobs"]
    rows = wait_until(held, what="the guard")
    assert len(rows) == 15
    assert running.job(first + 19)["hold_reason"] is not None
    assert "guard" in running.run("explain", first + 19).stdout or \
           "failed" in running.run("explain", first + 19).stdout
    running.run("cancel", "--array", first)


def test_keys(running):
    first = running.run("submit", "--gpus", "0", "--key", "once", "--", "echo", "1").stdout
    assert running.run("submit", "--gpus", "0", "--key", "once", "--", "echo", "1").stdout == first
    conflict = running.run("submit", "--gpus", "0", "--key", "once", "--", "echo", "2", check=False)
    assert conflict.returncode == 65 and conflict.stderr.count("\n") == 1
    assert first.strip() in conflict.stderr
    swept = running.run("submit", "--gpus", "0", "--key", "many", "--array", "0-3", "--", "true").stdout
    assert running.run("submit", "--gpus", "0", "--key", "many", "--array", "0-3", "--",
                       "true").stdout == swept
    running.kill()
    running.start()
    assert running.run("submit", "--gpus", "0", "--key", "once", "--", "echo", "1").stdout == first


def test_hold_release_requeue_set(running):
    job = running.submit("--gpus", "0", "--hold", "--", "sh", "-c", "exit 2")
    running.run("set", job, "--priority", "high", "--name", "other", "--time", "1h", "--tag", "a,b")
    changed = running.job(job)
    assert (changed["name"], changed["time_limit_s"], changed["tags"]) == ("other", 3600, ["a", "b"])
    assert changed["priority"] > 50
    running.run("release", job)
    assert running.ended(job)["exit_code"] == 2
    running.run("requeue", job)
    again = wait_until(lambda: running.job(job)["attempt"] == 2 and running.ended(job), what="attempt 2")
    assert again["exit_code"] == 2
    refused = running.run("hold", job, check=False)
    assert refused.returncode == 65 and refused.stderr.count("\n") == 1
    assert running.job(job)["state"] == "failed"


def test_a_comment_goes_with_a_job_until_it_ends(running, tmp_path):
    job = running.submit("--gpus", "0", "--comment", "with the new loss", "--cmd", "sleep 600")
    wait_until(lambda: running.job(job)["state"] == "running")
    assert "Comment:      with the new loss\n" in running.run("show", job).stdout
    running.run("set", job, "--comment", "the loss was wrong")
    assert running.job(job)["comment"] == "the loss was wrong"
    running.run("set", job, "--comment", "")
    assert running.job(job)["comment"] is None
    running.run("cancel", job)
    running.run("wait", job, check=False)
    assert "has already ended" in running.run("set", job, "--comment", "late", check=False).stderr

    file = tmp_path / "job.yaml"
    file.write_text("gpus: 0\nhold: true\ncomment: from a file\ncommand: 'true'\n")
    assert running.job(running.submit("--file", file))["comment"] == "from a file"
    refused = running.run("submit", "--comment", "x" * 1001, "--", "true", check=False)
    assert refused.returncode == 64
    assert refused.stderr == "gpusched: --comment has 1001 bytes; at most 1000 are kept\n"


def test_requeue_of_a_running_job_starts_it_over(running, tmp_path):
    job = running.submit("--gpus", "0", "--grace", "0", "--cmd",
                         f"test $GPUSCHED_ATTEMPT = 2 || sleep 600; touch {tmp_path}/second")
    running.wait_for(job, "running")
    running.run("requeue", job)
    ended = wait_until(lambda: running.job(job)["attempt"] == 2 and running.ended(job), what="attempt 2")
    assert ended["state"] == "completed" and (tmp_path / "second").exists()


def test_dry_run_changes_nothing(running):
    job = running.submit("--gpus", "0", "--hold", "--", "true")
    before, count = running.job(job), len(running.jobs())
    for verb, *words in (("cancel", job), ("release", job), ("set", job, "--priority", "90"),
                         ("submit", "--", "true"), ("group", "set", "none", "3")):
        assert running.run(verb, "--dry-run", *words).returncode == 0
    assert running.job(job) == before and len(running.jobs()) == count
    running.run("cancel", job)


def test_cards_are_never_given_twice(running, tmp_path):
    log = tmp_path / "log"
    script = ("for c in $(echo $CUDA_VISIBLE_DEVICES | tr , ' '); do mkdir {0}/card$c || echo two >>{0}/bad;"
              " done; sleep 0.05; for c in $(echo $CUDA_VISIBLE_DEVICES | tr , ' ');"
              " do rmdir {0}/card$c; done;"
              " echo done >>{1}").format(tmp_path, log)
    ids = [running.submit("--gpus", gpus, "--cmd", script) for gpus in (1, 2, 1, 1, 2, 1)]
    running.run("wait", f"{ids[0]}-{ids[-1]}")
    assert not (tmp_path / "bad").exists()
    assert log.read_text() == "done\n" * 6


def test_events_are_a_durable_trail(running):
    job = running.submit("--gpus", "0", "--cmd", "exit 3")
    running.ended(job)
    kinds = [e["kind"] for e in json.loads(running.run("events", job, "--json").stdout)["events"]]
    assert kinds == ["submitted", "starting", "running", "failed"]
    before = running.run("events", job).stdout
    running.kill()
    running.start()
    assert running.run("events", job).stdout == before
    sequences = [e["sequence"] for e in json.loads(running.run("events", job, "--json").stdout)["events"]]
    assert sequences == sorted(set(sequences))
