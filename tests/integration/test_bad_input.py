"""Each mistake: one clear sentence, the documented exit code, and nothing has changed."""

import os
import socket
import subprocess
import threading

import pytest
from live_daemon import LiveDaemon, wait_until


def one_sentence(done, *words):
    """Exactly one line on stderr that names what is wrong; nothing on stdout."""
    assert done.stdout == "", done
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("gpusched: ") and len(done.stderr) < 600
    for word in words:
        assert word in done.stderr, done.stderr


# (arguments, exit code, words of the sentence)
REFUSED = [
    (["submit", "--vram", "48G", "--", "true"], 65, ["24"]),
    (["submit", "--gpus", "3", "--", "true"], 65, ["2"]),
    (["submit", "--gpu", "7", "--", "true"], 65, ["7"]),
    (["submit", "--gpu-type", "h900", "--", "true"], 65, ["h900"]),
    (["submit", "--gpus", "0", "--cpus", "4096", "--", "true"], 65, ["64"]),
    (["submit", "--gpus", "0", "--mem", "4000000G", "--", "true"], 65, []),
    (["submit", "--after", "4711", "--", "true"], 66, ["4711"]),
    (["submit", "--after", "fail:4711", "--", "true"], 66, ["4711"]),
    (["submit", "--array", "", "--", "true"], 64, []),
    (["submit", "--array", "5-3", "--", "true"], 64, ["5-3"]),
    (["submit", "--array", "0-99999999999", "--", "true"], 64, []),
    (["submit", "--param", "lr=", "--", "true"], 64, ["lr"]),
    (["submit"], 64, []),
    (["submit", "--"], 64, []),
    (["submit", "--", ""], 64, []),
    (["submit", "--gpus", "many", "--", "true"], 64, ["many"]),
    (["submit", "--vram", "8X", "--", "true"], 64, ["8X"]),
    (["submit", "--time", "-5", "--", "true"], 64, ["-5"]),
    (["submit", "--priority", "101", "--", "true"], 64, ["101"]),
    (["submit", "--signal", "NOSUCH@5", "--time", "9", "--", "true"], 64, ["NOSUCH"]),
    (["submit", "--signal", "USR1@60", "--", "true"], 64, []),
    (["submit", "--begin", "someday", "--", "true"], 64, ["someday"]),
    (["submit", "--expire", "+1s", "--begin", "+1h", "--", "true"], 64, ["expire"]),
    (["submit", "--after", "later:1", "--", "true"], 64, ["later"]),
    (["submit", "--retries", "2:boredom", "--", "true"], 64, ["boredom"]),
    (["submit", "--gpus", "0", "--vram", "1G", "--", "true"], 64, ["--gpus is 0"]),
    (["submit", "--file", "/nonexistent.yaml"], 66, ["/nonexistent.yaml"]),
    (["submit", "--name", "x" * 300, "--", "true"], 64, ["300"]),
    (["submit", "--env", "=x", "--", "true"], 64, []),
    (["submit", "--colour", "--", "true"], 64, ["--colour"]),
    (["show", "4711"], 66, ["4711"]),
    (["show", "none"], 64, ["none"]),
    (["explain", "4711"], 66, ["4711"]),
    (["events", "4711"], 66, ["4711"]),
    (["logs", "4711"], 66, ["4711"]),
    (["wait", "4711"], 66, ["4711"]),
    (["cancel", "4711"], 66, ["4711"]),
    (["cancel", "1-4711"], 66, ["there is no job"]),
    (["cancel", "9-3"], 64, ["9-3"]),
    (["cancel"], 64, []),
    (["hold", "4711"], 66, ["4711"]),
    (["release", "4711"], 66, ["4711"]),
    (["requeue", "4711"], 66, ["4711"]),
    (["set", "4711", "--priority", "3"], 66, ["4711"]),
    (["set", "1"], 64, []),
    (["set", "1", "--vram", "4000G"], 65, ["24"]),
    (["set", "1", "--priority", "never"], 64, ["never"]),
    (["group", "set", "g", "many"], 64, ["many"]),
    (["group", "remove", "unknown-group"], 66, ["unknown-group"]),
    (["frobnicate"], 64, ["frobnicate"]),
    (["status", "--state", "flying"], 64, ["flying"]),
    (["backup", "/nonexistent/place/file"], 66, ["/nonexistent/place/file"]),
    (["logs", "1", "--attempt", "9"], 66, ["has not started"]),
]


@pytest.fixture(scope="module")
def steady(programs):
    """A daemon with one held job whose state no mistake may change."""
    with LiveDaemon(programs, config="host: {cpus: 64}\n") as daemon:
        daemon.submit("--hold", "--name", "steady", "--", "true")
        yield daemon


@pytest.mark.parametrize("arguments,code,words", REFUSED, ids=lambda v: " ".join(v)[:60]
                         if isinstance(v, list) else str(v))
def test_refused(steady, arguments, code, words):
    before = steady.jobs()
    done = steady.run(*arguments, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done
    one_sentence(done, *words)
    assert steady.jobs() == before


def test_a_dependency_on_a_job_that_has_failed(steady):
    failed = steady.submit("--gpus", "0", "--cmd", "exit 3")
    steady.ended(failed)
    count = len(steady.jobs())
    refused = steady.run("submit", "--gpus", "0", "--after", failed, "--", "true", check=False)
    assert refused.returncode == 65
    one_sentence(refused, str(failed))
    assert len(steady.jobs()) == count
    # Those that can be met, are.
    assert steady.run("run", "--gpus", "0", "--after", f"fail:{failed}", "--", "true",
                      stdin=subprocess.DEVNULL).returncode == 0


def test_a_command_that_does_not_exist(steady):
    for words, code, said in ((("/no/such/program",), 127, "/no/such/program"),
                              (("no-such-program",), 127, "no-such-program"),
                              (("/etc/passwd",), 126, "permission denied"),
                              (("/tmp",), 126, "permission denied")):
        job = steady.submit("--gpus", "0", "--", *words)
        ended = steady.ended(job)
        assert (ended["state"], ended["cause"], ended["exit_code"]) == ("failed", "launch", code)
        assert said in ended["message"]
        done = steady.run("wait", job, check=False)
        assert done.returncode == code
        one_sentence(done, said)


def test_a_working_directory_that_vanished(steady, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    job = steady.submit("--gpus", "0", "--hold", "--cwd", place, "--", "true")
    place.rmdir()
    steady.run("release", job)
    ended = steady.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "launch")
    assert f"'{place}' does not exist" in ended["message"]


def test_no_daemon(steady, tmp_path):
    done = steady.run("status", "--socket", tmp_path / "none", check=False)
    assert done.returncode == 69
    one_sentence(done, "gpusched serve", str(tmp_path / "none"))
    long = tmp_path / ("x" * 120)
    done = steady.run("status", "--socket", long, check=False)
    assert done.returncode == 64
    one_sentence(done, "107")


def test_something_else_listens_there(steady, tmp_path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen()

    def answer():
        client, _ = listener.accept()
        client.recv(4096)
        client.sendall(b"220 mail.example.org ESMTP\r\n\r\n")
        client.close()
    thread = threading.Thread(target=answer)
    thread.start()
    done = steady.run("status", "--socket", tmp_path / "s", check=False)
    thread.join()
    assert done.returncode == 69
    one_sentence(done, "no gpusched daemon")


def test_job_files(steady, tmp_path):
    for number, (text, words) in enumerate([
            ("command: [true]\ngpuz: 1\n", ["gpuz"]), ("command: [", [":1:"]), ("", []), ("- a\n", []),
            ("command: true\ntime: soon\n", ["soon"]), ("command: {a: b}\n", ["command"])]):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text)
        done = steady.run("submit", "--file", file, check=False)
        assert done.returncode in (64, 65), (text, done)
        one_sentence(done, *words)


def test_a_script_with_wrong_directives(steady, tmp_path):
    script = tmp_path / "job.sh"
    for line, word in (("#GPUSCHED --colour red", "--colour"), ("#GPUSCHED --vram lots", "lots"),
                       ("#GPUSCHED --name 'open", "'")):
        script.write_text(f"#!/bin/sh\n{line}\ntrue\n")
        script.chmod(0o755)
        done = steady.run("submit", script, check=False)
        assert done.returncode == 64
        one_sentence(done, word, "job.sh")


def test_a_full_pipe_of_output_is_told(steady):
    """Output that cannot be written is an error, not silence."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([steady.programs / "gpusched", "status"], stdout=full,
                              stderr=subprocess.PIPE, text=True, env=steady.environment(), check=False)
    assert done.returncode == 74 and done.stderr.count("\n") == 1


def test_what_people_see_is_free_of_control_characters(steady):
    job = steady.submit("--gpus", "0", "--hold", "--", "echo", "\x1b[31mred\x07")
    for words in (("status", job), ("show", job), ("explain", job), ("events", job)):
        shown = steady.run(*words).stdout
        assert "\x1b" not in shown and "\x07" not in shown
    steady.run("cancel", job)
    assert wait_until(lambda: steady.job(job)["state"] == "cancelled")
    assert os.path.exists(steady.socket)
