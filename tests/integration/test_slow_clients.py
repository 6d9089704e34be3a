"""Clients that do not read, do not write, or come in crowds: the others do not notice."""

import re
import subprocess
import threading

import pytest
import raw_http
from live_daemon import ROOMY, LiveDaemon, wait_until

CROWDED = "limits: {clients: 12, clients_per_user: 8}\nhost: {cpus: 64}\n"


def resident(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024


def drain(client, limit=1 << 30):
    received = 0
    while received < limit:
        part = client.recv(1 << 20)
        if not part:
            break
        received += len(part)
    return received


def test_an_event_stream_that_is_never_read(release_programs):
    # Sanitizers keep what is given back.
    with LiveDaemon(release_programs, config=ROOMY) as own:
        never_read(own)


def never_read(own):
    with raw_http.connect(own.socket) as deaf:
        deaf.sendall(raw_http.request_bytes("GET", "/v1/events"))
        wait_until(lambda: b"alive" in deaf.recv(4096), what="the stream's first word")
        before = resident(own)
        for _ in range(5):
            own.run("submit", "--hold", "--array", "0-4999", "--name", "n" * 200, "--", "true")
        for _ in range(20):
            assert own.http("GET", "/v1/version").status == 200
        # 25,000 changes of more than 500 bytes each would be 12 MB; the jobs themselves are more.
        assert resident(own) - before < 200 << 20
        # Once it reads, it gets everything that there was to say, or is told to come back.
        left = {job["id"] for job in own.jobs()}
        shown = b""
        while left and (part := deaf.recv(1 << 20)):
            shown += part
            whole, _, shown = shown.rpartition(b"\n")
            left -= {int(n) for n in re.findall(rb'^data: {"id":(\d+)', whole, re.M)}
    own.run("cancel", "--all")


def test_an_event_stream_opened_after_a_restart(own):
    """Nothing has happened in this daemon's life; the numbers of what happens go on all the same."""
    own.run("run", "--gpus", "0", "--", "true", stdin=subprocess.DEVNULL)
    own.kill()
    own.start()
    with raw_http.connect(own.socket) as client:
        client.sendall(raw_http.request_bytes("GET", "/v1/events"))
        shown = client.recv(4096)
        own.run("submit", "--gpus", "0", "--hold", "--name", "first-news", "--", "true")
        while b"first-news" not in shown:
            part = client.recv(1 << 16)
            assert part, "the stream ended instead"
            shown += part
    own.run("cancel", "--all")


def test_a_log_that_is_never_read(own):
    job = own.submit("--gpus", "0", "--", "head", "-c", "50000000", "/dev/zero")
    assert own.ended(job)["exit_code"] == 0
    before = resident(own)
    deaf = [raw_http.connect(own.socket) for _ in range(8)]
    for client in deaf:
        client.sendall(raw_http.request_bytes("GET", f"/v1/jobs/{job}/log"))
        client.recv(100)
    assert own.run("run", "--gpus", "0", "--", "echo", "ok", stdin=subprocess.DEVNULL).stdout == "ok\n"
    assert resident(own) - before < 60 << 20
    assert drain(deaf[0]) >= 49_999_900
    for client in deaf:
        client.close()


def test_a_list_that_is_never_read(own):
    own.run("submit", "--hold", "--array", "0-19999", "--", "true")
    deaf = [raw_http.connect(own.socket) for _ in range(8)]
    before = resident(own)
    for client in deaf:
        client.sendall(raw_http.request_bytes("GET", "/v1/jobs"))
        client.recv(100)
    assert own.run("run", "--gpus", "0", "--", "echo", "ok", stdin=subprocess.DEVNULL).stdout == "ok\n"
    assert resident(own) - before < 60 << 20
    for client in deaf:
        client.close()
    own.run("cancel", "--all")


def test_a_request_that_comes_byte_by_byte(own):
    """Others are served between its bytes."""
    whole = raw_http.request_bytes("GET", "/v1/version")
    with raw_http.connect(own.socket) as slow:
        for byte in whole:
            slow.sendall(bytes([byte]))
            if byte == ord("\n"):
                assert own.http("GET", "/v1/version").status == 200
        assert raw_http.parse(raw_http.read_until_closed(slow)).status == 200


def test_too_many_clients(programs):
    with LiveDaemon(programs, config=CROWDED) as daemon:
        places = []
        refused = None
        for _ in range(40):
            client = raw_http.connect(daemon.socket)
            # Whoever is one too many is refused before it has said anything.
            raw_http.send(client, raw_http.request_bytes("GET", "/v1/events"))
            answer = client.recv(65536)
            if b" 503 " in answer:
                refused = raw_http.parse(answer + raw_http.read_until_closed(client))
                client.close()
                break
            places.append(client)
        assert refused is not None and refused.error()["code"] == "busy"
        assert 8 <= len(places) <= 20
        done = daemon.run("status", check=False)
        assert done.returncode == 75 and done.stderr.count("\n") == 1
        places.pop().close()
        wait_until(lambda: daemon.run("status", check=False).returncode == 0, what="a free place")
        for client in places:
            client.close()


@pytest.mark.parametrize("clients", [40])
def test_many_clients_at_once(programs, clients):
    """Each of them gets its own answer, and every job its own id."""
    with LiveDaemon(programs, config=ROOMY) as daemon:
        ids, wrong = [], []

        def work():
            for _ in range(5):
                answer = daemon.http("POST", "/v1/jobs", {"command": ["true"], "working_directory": "/",
                                                          "gpus": 0})
                (ids if answer.status == 200 else wrong).append(answer)
        threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[0].body
        assert sorted(a.json()["first"] for a in ids) == list(range(1, clients * 5 + 1))
        daemon.run("wait", "--all")
        assert {job["state"] for job in daemon.jobs()} == {"completed"}


def test_a_large_submission_lets_others_through(own):
    """Others are answered while 50,000 jobs come in. How soon is for bench/ to say."""
    over = threading.Event()
    answers = []

    def ask():
        while not over.is_set():
            answers.append(own.http("GET", "/v1/version").status)
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        said = own.run("submit", "--hold", "--array", "0-49999", "--", "true").stdout.strip()
    finally:
        over.set()
        thread.join()
    first, last = map(int, said.split("-"))
    assert last - first == 49_999
    assert set(answers) == {200}
    own.run("cancel", "--all")
