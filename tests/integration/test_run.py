"""`gpusched run`: the caller's terminal or pipes are the job's, whatever the daemon does meanwhile."""

import os
import re
import signal
import subprocess
import termios

import pytest
from client_terminal import ClientTerminal
from live_daemon import wait_until


class Terminal(ClientTerminal):
    """`gpusched run`, and what it has shown so far."""

    def __init__(self, daemon, *arguments, verb="run", rows=30, columns=100):
        super().__init__(daemon, [verb, *arguments], rows, columns)
        os.close(self.far)  # Its end is to be seen.
        self.far = None

    def shows(self, words):
        wait_until(lambda: words in self.read(), what=f"{words} on {self.shown}")


def test_pipes_and_exit_code(running):
    done = running.run("run", "--gpus", "0", "--cmd", "read a; echo out $a; echo err >&2; exit 6",
                       input="in\n", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (6, "out in\n", "err\n")


def test_a_lot_through_pipes_both_ways(running):
    data = os.urandom(3 << 20)
    done = running.run("run", "--gpus", "0", "--", "cat", input=data, text=False)
    assert done.stdout == data


def test_end_of_input_and_bytes_as_they_are(running):
    done = running.run("run", "--gpus", "0", "--", "od", "-An", "-tx1", input=b"\x00\xff\r\n", text=False)
    assert done.stdout.split() == [b"00", b"ff", b"0d", b"0a"]


@pytest.mark.parametrize("line,code", [("kill -9 $$", 137), ("exit 255", 255), ("kill -INT $$", 130)])
def test_signals_of_the_job_itself(running, line, code):
    done = running.run("run", "--gpus", "0", "--cmd", line, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code


def test_a_command_that_does_not_exist(running):
    done = running.run("run", "--gpus", "0", "--", "/nonexistent/program", check=False,
                       stdin=subprocess.DEVNULL)
    assert done.returncode == 127
    assert "cannot run '/nonexistent/program'" in done.stderr and done.stderr.count("\n") == 1


def test_a_terminal(running):
    with Terminal(running, "--gpus", "0", "--cmd",
                  "tty; stty size; read a; echo got:$a; trap 'stty size; exit 4' WINCH; "
                  "while :; do sleep 0.05; done") as terminal:
        terminal.shows(b"/dev/pts/")
        terminal.shows(b"30 100\r\n")
        terminal.type(b"hello\r")
        terminal.shows(b"got:hello\r\n")
        terminal.resize(44, 77)
        terminal.shows(b"44 77\r\n")
        assert terminal.code() == 4
        # The terminal is as it was.
        assert termios.tcgetattr(terminal.near)[3] & termios.ECHO


def test_control_c_reaches_the_job(running):
    with Terminal(running, "--gpus", "0", "--cmd",
                  "trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.05; done"
                  ) as terminal:
        terminal.shows(b"ready")
        terminal.type(b"\x03")
        terminal.shows(b"interrupted")
        assert terminal.code() == 9


def test_control_c_while_it_waits_cancels_it(running):
    with Terminal(running, "--gpus", "0", "--begin", "+1h", "--name", "waits", "--", "true") as terminal:
        terminal.shows(b"waits:")
        terminal.type(b"\x03")
        assert terminal.code() == 130
    job = [j for j in running.jobs() if j["name"] == "waits"][-1]
    assert running.ended(job["id"])["state"] == "cancelled"


def test_a_signal_to_a_client_without_a_terminal_is_the_jobs(running):
    client = subprocess.Popen([running.programs / "gpusched", "run", "--gpus", "0", "--cmd",
                               "trap 'echo told; exit 12' TERM; echo up; while :; do sleep 0.05; done"],
                              env=running.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "up\n"
    client.send_signal(signal.SIGTERM)
    said, _ = client.communicate(timeout=30)
    assert (client.returncode, said.splitlines()[-1]) == (12, "told")


def test_a_client_whom_nobody_hears_takes_the_job_along(running):
    """As of an ssh without a terminal that was ended: no signal tells of that."""
    pipe = subprocess.PIPE
    with subprocess.Popen([running.programs / "gpusched", "run", "--gpus", "0", "--name", "unheard", "--cmd",
                           "echo up; sleep 600"], env=running.environment(), stdin=pipe, stdout=pipe,
                          stderr=pipe) as client:
        assert client.stdout.readline() == b"up\n"
        for end in (client.stdin, client.stdout, client.stderr):
            end.close()
        job = [j for j in running.jobs() if j["name"] == "unheard"][-1]
        assert running.ended(job["id"])["state"] == "failed"


def test_a_client_whom_nobody_hears_cancels_what_waits(running):
    pipe = subprocess.PIPE
    with subprocess.Popen([running.programs / "gpusched", "run", "--gpus", "0", "--name", "unheard",
                           "--begin", "+1h", "--", "true"], env=running.environment(), stdin=pipe,
                          stdout=pipe, stderr=pipe) as client:
        assert b"waits:" in client.stderr.readline()
        for end in (client.stdin, client.stdout, client.stderr):
            end.close()
        job = [j for j in running.jobs() if j["name"] == "unheard"][-1]
        assert running.ended(job["id"])["state"] == "cancelled"


def test_a_restart_does_not_disturb_it(own):
    with Terminal(own, "--gpus", "0", "--cmd",
                  "echo one; read a; echo two:$a; read b; echo three:$b; exit 21") as terminal:
        terminal.shows(b"one\r\n")
        own.kill()
        terminal.type(b"while away\r")
        terminal.shows(b"two:while away\r\n")
        own.start()
        terminal.type(b"again\r")
        terminal.shows(b"three:again\r\n")
        assert terminal.code() == 21
    assert own.ended(1)["exit_code"] == 21
    assert b"two:while away" in own.logs(1)


def test_it_can_end_while_the_daemon_is_away(own):
    with Terminal(own, "--gpus", "0", "--cmd", "echo one; read a; exit 22") as terminal:
        terminal.shows(b"one\r\n")
        own.kill()
        terminal.type(b"x\r")
        own.start()
        assert terminal.code() == 22


def test_a_client_that_vanishes_takes_its_job_with_it(running):
    client = subprocess.Popen([running.programs / "gpusched", "run", "--gpus", "0", "--name", "orphan",
                               "--grace", "0", "--cmd", "echo up; sleep 600"],
                              env=running.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert client.stdout.readline() == b"up\n"
    client.kill()
    client.communicate()
    job = [j for j in running.jobs() if j["name"] == "orphan"][-1]["id"]
    ended = running.ended(job)
    assert ended["state"] == "failed" and "client" in (ended["message"] or "")


def test_the_output_is_kept_as_a_log_too(running):
    running.run("run", "--gpus", "0", "--name", "kept", "--cmd", "echo out; echo err >&2",
                stdin=subprocess.DEVNULL)
    job = [j for j in running.jobs() if j["name"] == "kept"][-1]["id"]
    assert sorted(running.logs(job).splitlines()) == [b"err", b"out"]


COUNTS = "echo ready; while read a; do echo got:$a; stty size; done; exit 4"


def detached(daemon, *flags):
    """A job that was left with Ctrl-] d; its number."""
    with Terminal(daemon, "--gpus", "0", *flags, "--cmd", COUNTS) as terminal:
        terminal.shows(b"ready")
        terminal.type(b"one\r")
        terminal.shows(b"got:one\r\n")
        terminal.type(b"\x1d")
        terminal.type(b"d")
        assert terminal.code() == 0
        said = re.search(rb"detached from job (\d+); back to it with: gpusched attach (\d+)", terminal.shown)
        assert said and said.group(1) == said.group(2), terminal.shown
        # The terminal is as it was.
        assert termios.tcgetattr(terminal.near)[3] & termios.ECHO
    return int(said.group(1))


def test_who_detaches_from_a_picture_gets_the_screen_back(own):
    draws = r"printf '\033[?1049h\033[?25lpicture'; read a"
    with Terminal(own, "--gpus", "0", "--cmd", draws) as terminal:
        terminal.shows(b"picture")
        terminal.type(b"\x1dd")
        assert terminal.code() == 0
        shown = terminal.shown
    said = re.search(rb"detached from job (\d+)", shown)
    assert said and b"\x1b[?1049l\x1b[?25h\x1b[0m\r\n" in shown[:said.start()], shown
    own.run("cancel", said.group(1).decode())


def test_detach_and_attach_again(own):
    job = detached(own)
    assert own.job(job)["state"] == "running"
    for word in (b"two", b"three"):
        with Terminal(own, str(job), verb="attach") as terminal:
            terminal.shows(b"got:one\r\n")  # What was there before.
            terminal.type(b"%s\r" % word)
            terminal.shows(b"got:%s\r\n" % word)
            if word == b"two":
                terminal.type(b"\x1d\x1d\r")  # One of it is the job's.
                terminal.shows(b"got:\x1d\r\n")
                own.kill()
                own.start()
                terminal.type(b"\x1dd")
                assert terminal.code() == 0
            else:
                second = own.run("attach", job, check=False, stdin=subprocess.DEVNULL)
                assert second.returncode == 77 and "somebody is attached to this job already" in second.stderr
                terminal.resize(44, 77)
                wait_until(lambda: (terminal.type(b"size\r"), b"44 77\r\n" in terminal.read())[1],
                           what="the new size")
                terminal.type(b"\x04")
                assert terminal.code() == 4
    assert own.ended(job)["exit_code"] == 4


def test_a_detached_job_outlives_its_client_and_runs_again_without_one(own):
    job = detached(own)
    with Terminal(own, str(job), verb="attach") as terminal:
        terminal.shows(b"got:one\r\n")
        terminal.type(b"two\r")
        terminal.shows(b"got:two\r\n")
        terminal.process.kill()
    # Nobody waits for a client of its next attempt, either.
    own.run("requeue", job)
    wait_until(lambda: own.job(job)["attempt"] == 2 and own.job(job)["state"] == "running",
               what="the next attempt")
    with Terminal(own, str(job), verb="attach") as terminal:
        terminal.shows(b"ready")
        terminal.type(b"again\r")
        terminal.shows(b"got:again\r\n")
        terminal.type(b"\x04")
        assert terminal.code() == 4
    assert own.ended(job)["exit_code"] == 4


def leave_by_closing(terminal):
    os.close(terminal.near)
    terminal.near = os.open("/dev/null", os.O_RDWR)


@pytest.mark.parametrize("leave,code", [
    (lambda terminal: terminal.process.terminate(), 143),
    (lambda terminal: terminal.process.send_signal(signal.SIGHUP), 129),
    (leave_by_closing, 129)], ids=["TERM", "HUP", "closed terminal"])
def test_who_ends_an_attached_client_only_detaches(running, leave, code):
    job = detached(running)
    with Terminal(running, str(job), verb="attach") as terminal:
        terminal.type(b"two\r")
        terminal.shows(b"got:two\r\n")
        leave(terminal)
        assert terminal.code() == code
    with Terminal(running, str(job), verb="attach") as terminal:
        terminal.type(b"three\r")
        terminal.shows(b"got:three\r\n")  # It has got neither a signal nor an end of input.
        terminal.type(b"\x04")
        assert terminal.code() == 4
    assert running.ended(job)["exit_code"] == 4


def test_a_client_without_input_does_not_end_that_of_the_job(running):
    job = detached(running)
    with subprocess.Popen([running.programs / "gpusched", "attach", str(job)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, env=running.environment()) as deaf:
        shown = b""
        while b"got:one" not in shown:
            shown += deaf.stdout.read(1)
        deaf.terminate()
        deaf.stdout.read()
    with Terminal(running, str(job), verb="attach") as terminal:
        terminal.type(b"two\r")
        terminal.shows(b"got:two\r\n")
        terminal.type(b"\x04")
        assert terminal.code() == 4
    assert running.ended(job)["exit_code"] == 4


def held(daemon):
    """`run` of a job that waits; its terminal and number."""
    terminal = Terminal(daemon, "--gpus", "0", "--hold", "--cmd", COUNTS)
    terminal.shows(b"waits:")
    return terminal, int(re.search(rb"job (\d+) waits:", terminal.shown).group(1))


def test_detach_while_it_waits_for_its_start(running):
    with (waiting := held(running))[0] as terminal:
        job = waiting[1]
        terminal.type(b"\x1dd")
        assert terminal.code() == 0
        words = f"detached from job {job}, which still waits; back to it with: gpusched attach {job}"
        assert words.encode() in terminal.shown
        assert termios.tcgetattr(terminal.near)[3] & (termios.ECHO | termios.ICANON)
    assert running.job(job)["state"] == "held"
    with Terminal(running, str(job), verb="attach") as terminal:
        terminal.shows(b"waits:")
        terminal.process.terminate()
        assert terminal.code() == 143
    # It starts without a client, and one may come.
    running.run("release", job)
    wait_until(lambda: b"ready" in running.logs(job), what="its first words")
    with Terminal(running, str(job), verb="attach") as terminal:
        terminal.shows(b"ready")
        # Before its answer nobody knows that the terminal is the job's, and the end the job's own.
        terminal.type(b"one\r")
        terminal.shows(b"got:one\r\n")
        terminal.type(b"\x04")
        assert terminal.code() == 4


def test_what_is_typed_while_it_waits_is_the_jobs(running):
    with (waiting := held(running))[0] as terminal:
        terminal.type(b"early\r")
        terminal.type(b"\x1d\x1d\r")
        running.run("release", waiting[1])
        terminal.shows(b"got:early\r\n")
        terminal.shows(b"got:\x1d\r\n")
        terminal.type(b"\x04")
        assert terminal.code() == 4


def test_a_signal_to_run_while_it_waits_cancels_the_job(running):
    with (waiting := held(running))[0] as terminal:
        terminal.process.terminate()
        assert terminal.code() == 143
    assert running.ended(waiting[1])["state"] == "cancelled"


def test_attach_to_a_job_without_a_terminal(running):
    job = running.submit("--gpus", "0", "--hold", "--", "true")
    done = running.run("attach", job, check=False)
    assert done.returncode == 65 and f"gpusched logs -f {job}" in done.stderr
    running.run("cancel", job)
