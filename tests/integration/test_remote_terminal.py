"""`run` and `attach` over the network: this terminal is that of a job on another machine, also when the
connection breaks. The daemon carries it, and whoever stalls or asks for too much harms nobody."""

import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess

import pytest
import raw_http
from client_terminal import ClientTerminal
from far_desk import Desk, Wire
from live_daemon import LiveDaemon, wait_until
from users import MAY_MAKE_USERS, User, programs_for_everybody

CONFIG = """host: {{cpus: 64}}
jobs: {{grace: 0s}}
network: {{listen: ["127.0.0.1:0"], certificate: {place}/gpusched.crt, key: {place}/gpusched.key}}
"""
# Kinds of packets, by their numbers (src/jobdir/control_protocol.h).
SET_TIME, INPUT, REFUSED, ATTACHED, FROM_AFAR = 1, 7, 11, 12, 18


class FarTerminal(ClientTerminal):
    def __init__(self, desk, *words, rows=30, columns=100):
        super().__init__(desk, [*words], rows, columns)
        os.close(self.far)
        self.far = None

    def shows(self, words):
        wait_until(lambda: words in self.read(), what=f"{words} on {self.shown}")


def run_words(*words):
    return ("run", "--gpus", "0", "--cwd", "/tmp", *words)


@pytest.fixture(scope="module")
def box(programs, tmp_path_factory):
    if MAY_MAKE_USERS:
        programs = programs_for_everybody(programs, tmp_path_factory.mktemp("gpusched"))
    daemon = LiveDaemon(programs, sim="1x24G", config="host: {cpus: 64}\n")
    daemon.directory.chmod(0o755)
    daemon.run("cert", "localhost", "127.0.0.1", "--out", daemon.directory)
    (daemon.directory / "config.yaml").write_text(CONFIG.format(place=daemon.directory))

    def port():
        said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', daemon.log())
        return int(said[-1].rsplit(":", 1)[1])
    daemon.port = port
    with daemon:
        daemon.token = daemon.run("token", "create").stdout.strip()
        yield daemon


@pytest.fixture
def desk(box):
    return Desk(box, box.port(), box.token)


def newest(box):
    return max(job["id"] for job in box.jobs())


def test_pipes_and_exit_code(desk):
    done = desk.run(*run_words("--cmd", "read a; echo out $a; echo err >&2; exit 6"), input="in\n")
    assert (done.returncode, done.stdout, done.stderr) == (6, "out in\n", "err\n")


def test_a_lot_through_pipes_both_ways(desk):
    data = os.urandom(1 << 20)
    done = desk.run(*run_words("--", "cat"), input=data, text=False)
    assert done.stdout == data, done.stderr


def test_a_terminal(desk):
    with FarTerminal(desk, *run_words("--cmd", "tty; stty size; read a; echo got:$a; "
                                      "trap 'stty size; exit 4' WINCH; echo ready; "
                                      "while :; do sleep 0.05; done")) as terminal:
        terminal.shows(b"/dev/pts/")
        terminal.shows(b"30 100\r\n")
        terminal.type(b"hello\r")
        terminal.shows(b"got:hello\r\n")
        terminal.shows(b"ready\r\n")
        terminal.resize(44, 77)
        terminal.shows(b"44 77\r\n")
        assert terminal.code() == 4


def test_control_c_reaches_the_job(desk):
    with FarTerminal(desk, *run_words("--cmd", "trap 'echo interrupted; exit 9' INT; echo ready; "
                                      "while :; do sleep 0.05; done")) as terminal:
        terminal.shows(b"ready")
        terminal.type(b"\x03")
        terminal.shows(b"interrupted")
        assert terminal.code() == 9


def test_control_c_of_a_pipe_line_reaches_the_job(desk):
    client = desk.start(*run_words("--cmd", "trap 'echo told; exit 12' INT; echo up; "
                                   "while :; do sleep 0.05; done"), start_new_session=True)
    assert client.stdout.readline() == "up\n"
    os.killpg(client.pid, signal.SIGINT)  # As a terminal does: to all of the line, gpusched-tls, too.
    said, _ = client.communicate(timeout=60)
    assert (client.returncode, said.splitlines()[-1]) == (12, "told")


def test_control_c_while_it_waits_cancels_it(box, desk):
    with FarTerminal(desk, *run_words("--begin", "+1h", "--", "true")) as terminal:
        terminal.shows(b"waits:")
        job = newest(box)
        terminal.type(b"\x03")
        assert terminal.code() == 130
    assert box.ended(job)["state"] == "cancelled"


def test_detach_and_come_back(box, desk):
    with FarTerminal(desk, *run_words("--cmd", "echo one; read a; echo two:$a; exit 5")) as terminal:
        terminal.shows(b"one\r\n")
        job = newest(box)
        second = desk.run("attach", job)
        assert second.returncode == 77 and "somebody is attached" in second.stderr, second
        terminal.type(b"\x1dd")
        terminal.shows(b"detached from job")
        assert terminal.code() == 0
    assert box.job(job)["state"] == "running"
    with FarTerminal(desk, "attach", str(job)) as terminal:
        terminal.shows(b"one\r\n")
        terminal.type(b"again\r")
        terminal.shows(b"two:again\r\n")
        assert terminal.code() == 5


def test_a_connection_that_breaks_is_made_again(box):
    wire = Wire(box)
    desk = Desk(box, wire.port, box.token)
    with FarTerminal(desk, *run_words("--cmd", "echo one; read a; echo two:$a; exit 5")) as terminal:
        terminal.shows(b"one\r\n")
        wire.cut()
        terminal.shows(b"trying to attach again")
        terminal.shows(b"attached again")
        terminal.type(b"again\r")
        terminal.shows(b"two:again\r\n")
        assert terminal.code() == 5


def test_the_daemon_restarts_meanwhile(box):
    desk = Desk(box, Wire(box).port, box.token)
    with FarTerminal(desk, *run_words("--cmd", "echo one; read a; echo two:$a; exit 5")) as terminal:
        terminal.shows(b"one\r\n")
        box.kill()
        terminal.shows(b"trying to attach again")
        box.start()
        terminal.shows(b"attached again")
        terminal.type(b"again\r")
        terminal.shows(b"two:again\r\n")
        assert terminal.code() == 5


def test_a_lost_connection_holds_nobody(box):
    wire = Wire(box)
    desk = Desk(box, wire.port, box.token)
    with FarTerminal(desk, *run_words("--cmd", "echo one; read a")) as terminal:
        terminal.shows(b"one\r\n")
        job = newest(box)
        wire.listener.close()
        wire.cut()
        terminal.shows(b"trying to attach again")
        wait_until(lambda: (terminal.type(b"\x1dd"), terminal.process.poll())[1] is not None,
                   what="the end of the client")
    assert box.job(job)["state"] == "running"
    box.run("cancel", job)


def test_a_terminal_that_goes_away_takes_the_job_along(box, desk):
    terminal = FarTerminal(desk, *run_words("--cmd", "echo one; read a"))
    with terminal:
        terminal.shows(b"one\r\n")
        job = newest(box)
        terminal.process.send_signal(signal.SIGHUP)
        terminal.code()
    assert box.ended(job)["state"] != "completed"


def test_a_directory_is_needed(desk):
    done = desk.run("run", "--gpus", "0", "--", "true")
    assert done.returncode == 64 and "--cwd" in done.stderr and done.stderr.count("\n") == 1, done


def running_job(box):
    """The id of a job with a terminal that nobody is attached to, and that goes on by itself."""
    client = subprocess.Popen([box.programs / "gpusched", "run", "--gpus", "0", "--", "cat"],
                              env=box.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client.stdin.write(b"here\n")
    client.stdin.flush()
    assert client.stdout.readline() == b"here\n"
    return newest(box), client


@pytest.fixture(scope="module")
def attached(box):
    """Of the daemon's machine; somebody is attached to it."""
    job, client = running_job(box)
    yield job
    client.communicate()


def frame(kind, rest=b""):
    packet = bytes([1, kind]) + rest
    return struct.pack(">I", len(packet)) + packet


def read_frame(client):
    def exactly(size):
        got = b""
        while len(got) < size:
            part = client.recv(size - len(got))
            assert part, "the connection has ended"
            got += part
        return got
    while True:
        packet = exactly(struct.unpack(">I", exactly(4))[0])
        if packet:
            return packet[1], packet[2:]


def ask_terminal(box, job, token=None):
    client = raw_http.connect(box.socket)
    said = f"Authorization: Bearer {token}\r\n" if token else ""
    client.sendall(f"GET /v1/jobs/{job}/terminal HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                   f"Upgrade: gpusched-terminal\r\n{said}\r\n".encode())
    return client


def refused_terminal(box, job, token):
    with ask_terminal(box, job, token) as client:
        client.shutdown(socket.SHUT_WR)
        return raw_http.parse(raw_http.read_until_closed(client))


def open_terminal(box, job, token=None):
    client = ask_terminal(box, job, token)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += client.recv(1)
    assert head.startswith(b"HTTP/1.1 101 "), head
    return client


def test_without_an_upgrade_it_says_so(box, attached):
    answer = box.http("GET", f"/v1/jobs/{attached}/terminal")
    assert answer.status == 426 and answer.headers["upgrade"] == "gpusched-terminal"
    assert "gpusched attach" in answer.error()["message"]


def test_who_only_looks_gets_no_terminal(box, attached):
    token = box.run("token", "create", "--read-only").stdout.strip()
    answer = refused_terminal(box, attached, token)
    assert answer.status == 403 and "viewer" in answer.error()["message"]
    done = Desk(box, box.port(), token).run("attach", attached)
    assert done.returncode == 77, done


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root to make users")
def test_somebody_elses_terminal_is_refused(box, attached):
    user = User(box, 1)
    try:
        made = user.gpusched("token", "create")
        assert made.returncode == 0, made
        answer = refused_terminal(box, attached, made.stdout.strip())
        assert answer.status == 403 and "only its owner" in answer.error()["message"]
        done = Desk(box, box.port(), made.stdout.strip()).run("attach", attached)
        assert done.returncode == 77 and done.stderr.count("\n") == 1, done
    finally:
        user.remove()


def test_the_supervisor_hears_nothing_that_is_the_daemons_to_say(box, attached):
    with open_terminal(box, attached) as client:
        client.sendall(frame(SET_TIME, struct.pack("<qIqq", 99999, 0, 0, 0)))
        assert read_frame(client) == (REFUSED, b"this is not passed on to a supervisor")
        client.sendall(frame(INPUT, b"x"))
        kind, words = read_frame(client)
        assert kind == REFUSED, "who is not attached types nothing"
        client.sendall(frame(FROM_AFAR, struct.pack("<IIQ", 24, 80, 7)))
        assert read_frame(client) == (REFUSED, b"somebody is attached to this job already")
        client.sendall(struct.pack(">I", 1 << 30))
        assert raw_http.read_until_closed(client) == b""


def test_who_never_reads_harms_nobody(box):
    body = {"command": ["sh", "-c", "yes"], "working_directory": "/tmp", "gpus": 0, "attach": "pipes"}
    job = box.http("POST", "/v1/jobs", body).json()["first"]
    box.wait_for(job, "running")
    client = wait_until(lambda: try_open(box, job), what="the terminal")
    client.sendall(frame(FROM_AFAR, struct.pack("<IIQ", 24, 80, 7)))
    assert read_frame(client)[0] == ATTACHED

    def memory():
        with open(f"/proc/{box.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) << 10
    before = memory()
    # It writes without end; what is held does not grow.
    for _ in range(20):
        assert box.http("GET", "/v1/jobs").status == 200
    assert box.run("run", "--gpus", "0", "--", "true").returncode == 0
    assert memory() - before < 32 << 20
    assert box.run("cancel", job).returncode == 0
    box.ended(job)
    client.close()


def try_open(box, job):
    try:
        return open_terminal(box, job)
    except AssertionError:
        return None


def test_who_opened_a_terminal_is_in_the_audit(box):
    body = {"command": ["cat"], "working_directory": "/tmp", "gpus": 0, "attach": "pipes"}
    job = box.http("POST", "/v1/jobs", body).json()["first"]
    box.wait_for(job, "running")
    made = json.loads(box.run("token", "create", "--json").stdout)
    wait_until(lambda: (lambda one: one and one.close() is None)(try_open(box, job)), what="the terminal")
    with open_terminal(box, job, made["secret"]):
        def told():
            rows = json.loads(box.run("audit", "--what", "open_terminal", "--json").stdout)["entries"]
            return any(row["target"] == str(job) and row["token"] == made["token"]["id"]
                       and row["result"] == "done" for row in rows)
        wait_until(told, what="the entry")
    box.run("cancel", job)


def test_a_revoked_token_ends_its_terminal(box):
    body = {"command": ["cat"], "working_directory": "/tmp", "gpus": 0, "attach": "pipes"}
    job = box.http("POST", "/v1/jobs", body).json()["first"]
    made = json.loads(box.run("token", "create", "--json").stdout)
    box.wait_for(job, "running")
    wait_until(lambda: (lambda one: one and one.close() is None)(try_open(box, job)), what="the terminal")
    with open_terminal(box, job, made["secret"]) as client:
        client.sendall(frame(FROM_AFAR, struct.pack("<IIQ", 24, 80, 7)) + frame(INPUT, b"one\n"))
        assert read_frame(client)[0] == ATTACHED
        assert read_frame(client)[1] == b"one\n"
        box.run("token", "revoke", made["token"]["id"])
        with contextlib.suppress(OSError):  # It may be closed by now.
            client.sendall(frame(INPUT, b"two\n"))
        assert b"two" not in raw_http.read_until_closed(client)
    assert box.job(job)["state"] == "running"
    box.run("cancel", job)
