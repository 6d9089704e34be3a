"""Requests that no real client would send, to every route: an answer of the documented shape, nothing
changed, and the daemon goes on."""

import json
import socket
import threading
from pathlib import Path

import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until

STATUS_OF = {"invalid": (400, 405), "unauthenticated": (401,), "forbidden": (403,),
             "not_found": (404,), "conflict": (409,),
             "too_large": (413,), "never_fits": (422,), "unsupported": (501,), "busy": (503,),
             "unavailable": (503,)}
SUBMIT = {"command": ["true"], "working_directory": "/", "hold": True}


@pytest.fixture(scope="module")
def steady(programs):
    with LiveDaemon(programs) as daemon:
        daemon.submit("--hold", "--name", "steady", "--", "true")
        yield daemon


@pytest.fixture
def unchanged(steady):
    """Whatever the test sends, the queue is afterwards as it was before."""
    before = steady.jobs()
    yield steady
    assert steady.process.poll() is None, steady.log()
    assert steady.jobs() == before


def check_error(answer, *statuses):
    assert answer.status in statuses, (answer.status, answer.body[:500])
    error = answer.error()
    assert set(answer.json()) == {"error"} and set(error) == {"code", "message"}
    assert answer.status in STATUS_OF[error["code"]], error
    assert "\n" not in error["message"] and 5 < len(error["message"]) < 500
    assert "gpusched-version" in answer.headers
    return error["message"]


BODIES = [b"", b"{", b"[]", b"null", b"7", b'"x"', b'{"command":}', b"\xff\xfe{}", b'{"a":1}',
          b'{"command":["true"],"command":["false"]}', b"[" * 100_000, b'{"a":' * 5_000,
          b'{"command":["\\u0000"],"working_directory":"/"}',
          b'{"command":["a\\u0000b"],"working_directory":"/"}',
          b'{"command":["\\ud800"],"working_directory":"/"}',
          b'{"command":["\x00"],"working_directory":"/"}',
          b'{"command":["true"],"working_directory":"/"}{}',
          b'{"command":["true"],"working_directory":"/"} trailing']


@pytest.mark.parametrize("body", BODIES, ids=lambda b: repr(b[:40]))
def test_bodies_of_a_submit(unchanged, body):
    check_error(unchanged.http("POST", "/v1/jobs", body), 400)


# (field, value, word that the sentence has)
FIELDS = [
    ("command", [], "command"), ("command", "true", "command"), ("command", [7], "command"),
    ("command", [""], "command"), ("command", None, "command"), ("command", ["x" * 200_000], "200000"),
    ("shell", 1, "shell"), ("working_directory", "relative", "working_directory"),
    ("working_directory", "", "working_directory"), ("working_directory", "/" + "x" * 5000, "5001"),
    ("environment", ["NOEQUALS"], "environment"), ("environment", {"A": "b"}, "environment"),
    ("environment", ["=x"], "environment"), ("umask", -1, "umask"), ("umask", 4096, "umask"),
    ("resource_limits", [{"resource": 99, "soft": 1, "hard": 1}], "resource"),
    ("resource_limits", [{"resource": 7}], "resource"), ("name", "a\nb", "name"), ("name", 7, "name"),
    ("tags", [""], "tags"), ("tags", ["t"] * 100, "tags"), ("group", "x" * 256, "group"),
    ("key", "\x00", "key"), ("priority", 101, "priority"), ("priority", -1, "priority"),
    ("priority", 5.5, "priority"), ("priority", "high", "priority"), ("priority", 1e300, "priority"),
    ("gpus", -1, "gpus"), ("gpus", {"least": 3, "most": 1}, "gpus"), ("gpus", "some", "gpus"),
    ("gpus", 10**30, "gpus"), ("gpus", 1.5, "gpus"), ("vram_bytes", -1, "vram_bytes"),
    ("vram_bytes", 2**64, "vram_bytes"), ("share_percent", 101, "share_percent"),
    ("only_cards", [-1], "only_cards"), ("only_cards", 0, "only_cards"), ("cpus", -1, "cpus"),
    ("cpus", 2**31, "cpus"), ("ram_bytes", "1G", "ram_bytes"), ("cpu_use", "maybe", "cpu_use"),
    ("time_limit_s", -1, "time_limit_s"), ("time_limit_s", 2**63, "time_limit_s"),
    ("signal", {"number": 99, "before_s": 1}, "signal"), ("signal", 10, "signal"),
    ("grace_s", -1, "grace_s"), ("after", [{"job": 1, "kind": "never"}], "kind"),
    ("after", [{"job": -1, "kind": "ok"}], "job"), ("after", [1], "after"),
    ("retries", -1, "retries"), ("retries", 2**40, "retries"), ("retry_causes", ["fun"], "fun"),
    ("preempt", "sometimes", "preempt"), ("begin", "tomorrow", "begin"), ("expire", 5, "expire"),
    ("begin", "9999999-01-01T00:00:00Z", "begin"), ("hold", "yes", "hold"),
    ("attach", "tightly", "attach"), ("terminal", {"rows": -1, "columns": 80}, "rows"),
    ("array", {"indices": ""}, "indices"), ("array", {"indices": "5-1"}, "5-1"),
    ("array", {"indices": "0-5:0"}, "0-5:0"), ("array", {"indices": "0-4294967296"}, "ind"),
    ("array", {"indices": "0-99999999"}, ""), ("array", {"indices": "1,1"}, "1"),
    ("array", {"indices": "0-3", "limit": -1}, "limit"), ("tasks", [], "tasks"),
    ("tasks", [{"values": {"lr": 1}}], "lr"), ("tasks", ["x"], "tasks"), ("colour", "red", "colour"),
    ("output_path", 7, "output_path"), ("retry_back_off_s", -3, "retry_back_off_s"),
]


@pytest.mark.parametrize("field,value,word", FIELDS, ids=lambda v: str(v)[:40])
def test_fields_of_a_submit(unchanged, field, value, word):
    answer = unchanged.http("POST", "/v1/jobs", {**SUBMIT, field: value})
    assert word in check_error(answer, 400, 422, 413), answer.body


def test_an_array_and_tasks_together(unchanged):
    body = {**SUBMIT, "array": {"indices": "0-1"}, "tasks": [{"values": {}}]}
    check_error(unchanged.http("POST", "/v1/jobs", body), 400)


def test_lines_of_tasks(unchanged):
    headers = {"Content-Type": "application/x-ndjson"}
    head = json.dumps(SUBMIT).encode()
    for body in (b"", b"\n", head + b"\n{", head + b'\n{"values":{}}\n[]\n', b"[]\n{}",
                 head + b'\n{"values":{"a":"b"}}\n{"valuez":{}}\n', head + b"\n"):
        check_error(unchanged.http("POST", "/v1/jobs", body, headers=headers), 400)
    wrong = {"Content-Type": "text/plain"}
    assert unchanged.http("POST", "/v1/jobs?dry_run=1", SUBMIT, headers=wrong).status in (200, 400)


ROUTES = [
    ("POST", "/", 405), ("GET", "/index", 404), ("GET", "/v1", 404),
    ("GET", "/v2/version", 404), ("GET", "/v1/nothing", 404),
    ("GET", "/v1/jobs/0", 404), ("GET", "/v1/jobs/4711", 404),
    ("GET", "/v1/jobs/-1", 400), ("GET", "/v1/jobs/1.5", 400), ("GET", "/v1/jobs/1;2", 400),
    ("GET", "/v1/jobs/99999999999999999999", 400), ("GET", "/v1/jobs/1-", 400),
    ("GET", "/v1/jobs/9-3", 400), ("GET", "/v1/jobs/@~", 400), ("GET", "/v1/jobs/@~99999", 404),
    ("GET", "/v1/jobs/1,,2", 400), ("GET", "/v1/jobs/%00", 400), ("GET", "/v1/jobs/%zz", 400),
    ("GET", "/v1/jobs/..%2f..%2fetc", 400), ("GET", "/v1/jobs/1/nothing", 404),
    ("GET", "/v1/jobs/1-2/explain", 404), ("GET", "/v1/jobs/4711/explain", 404),
    ("GET", "/v1/jobs/4711/events", 404), ("GET", "/v1/jobs/1/events?after=-1", 400),
    ("GET", "/v1/jobs/4711/log", 404), ("GET", "/v1/jobs/1/log?attempt=x", 400),
    ("GET", "/v1/jobs/1/log?attempt=99", 404), ("GET", "/v1/jobs/1/log?stream=both", 400),
    ("GET", "/v1/jobs/1/log?offset=-4", 400), ("GET", "/v1/jobs/1/log?colour=1", 400),
    ("GET", "/v1/jobs/4711/wait", 404), ("GET", "/v1/jobs/1/wait?timeout_ms=soon", 400),
    ("GET", "/v1/jobs/1/wait?timeout_ms=-1", 400), ("GET", "/v1/jobs?state=flying", 400),
    ("GET", "/v1/jobs?limit=-1", 400), ("GET", "/v1/jobs?limit=x", 400), ("GET", "/v1/jobs?ids=x", 400),
    ("GET", "/v1/jobs?array=x", 400), ("GET", "/v1/jobs?unknown=1", 400),
    ("GET", "/v1/overview?waiting=x", 400), ("GET", "/v1/overview?waiting=-1", 400),
    ("GET", "/v1/events?after=x", 400), ("GET", "/v1/events?jobs=x", 400),
    ("GET", "/v1/events?jobs=4711", 404), ("GET", "/v1/groups/none", 405),
    ("DELETE", "/v1/groups/none", 404), ("POST", "/v1/version", 405), ("DELETE", "/v1/jobs/1", 405),
    ("PUT", "/v1/jobs/1", 405), ("GET", "/v1/jobs/1/cancel", 405), ("POST", "/v1/gpus", 405),
    ("POST", "/v1/backup", 405), ("POST", "/v1/config", 405), ("GET", "/v1/log-level", 405),
    ("BREW", "/v1/version", 405),
]


@pytest.mark.parametrize("method,target,status", ROUTES, ids=lambda v: str(v))
def test_routes(unchanged, method, target, status):
    answer = unchanged.http(method, target, b"" if method in ("POST", "PUT", "DELETE") else None)
    check_error(answer, status)
    if status == 405:
        assert answer.headers["allow"]


CHANGES = [
    ("POST", "/v1/jobs/1/cancel", b"{", 400), ("POST", "/v1/jobs/1/cancel", b"[]", 400),
    ("POST", "/v1/jobs/1/cancel", b'{"grace_s":-1}', 400),
    ("POST", "/v1/jobs/1/cancel", b'{"grace_s":"x"}', 400),
    ("POST", "/v1/jobs/1/cancel", b'{"mercy":1}', 400), ("POST", "/v1/jobs/1,4711/cancel", b"", 404),
    ("POST", "/v1/jobs/4711/hold", b"", 404), ("POST", "/v1/jobs/1/hold", b'{"x":1}', 400),
    ("POST", "/v1/jobs/1/release", b"nonsense", 400), ("POST", "/v1/jobs/4711/requeue", b"", 404),
    ("POST", "/v1/jobs/1/cancel?dry_run=maybe", b"", 400), ("PATCH", "/v1/jobs/1", b"", 400),
    ("PATCH", "/v1/jobs/1", b"[]", 400), ("PATCH", "/v1/jobs/1", b'{"priority":1000}', 400),
    ("PATCH", "/v1/jobs/1", b'{"command":[]}', 400), ("PATCH", "/v1/jobs/1", b'{"name":7}', 400),
    ("PATCH", "/v1/jobs/1", b'{"umask":7}', 400), ("PATCH", "/v1/jobs/1", b'{"variables":["=x"]}', 400),
    ("PATCH", "/v1/jobs/1", b'{"before":0}', 400), ("PATCH", "/v1/jobs/1", b'{"before":4711}', 404),
    ("PATCH", "/v1/jobs/1", b'{"before":1,"priority":3}', 400),
    ("PATCH", "/v1/jobs/1", b'{"working_directory":"x"}', 400),
    ("PATCH", "/v1/jobs/1", b'{"vram_bytes":999999999999999}', 422),
    ("PATCH", "/v1/jobs/4711", b'{"priority":3}', 404),
    ("PATCH", "/v1/jobs/1", b'{"priority":3,"colour":1}', 400),
    ("PUT", "/v1/groups/g", b"", 400), ("PUT", "/v1/groups/g", b'{"limit":-1}', 400),
    ("PUT", "/v1/groups/g", b'{"limit":"x"}', 400), ("PUT", "/v1/groups/%00", b'{"limit":1}', 400),
    ("PUT", "/v1/groups/" + "x" * 300, b'{"limit":1}', 400), ("PUT", "/v1/log-level", b"{}", 400),
    ("PUT", "/v1/log-level", b'{"level":"loud"}', 400),
]


@pytest.mark.parametrize("method,target,body,status", CHANGES, ids=lambda v: str(v)[:40])
def test_changes(unchanged, method, target, body, status):
    check_error(unchanged.http(method, target, body), status)


RAW = [
    (b"\r\n\r\n\r\n\r\n", 400), (b"GET\r\n\r\n", 400), (b"nonsense\r\n\r\n", 400),
    (b"GET /v1/version HTTP/9.9\r\n\r\n", 400), (b"GET /v1/version HTTP/1.1\r\nHost\r\n\r\n", 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", None), (b"\x00" * 64, 400),
    (b"GET /v1/version HTTP/1.1\r\nA: " + b"x" * 20_000 + b"\r\n\r\n", 413),
    (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", 413),
    (b"POST /v1/jobs HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
    (b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", 400),
    (b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    (b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n{", 413),
    (b"POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    (b"POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
]


@pytest.mark.parametrize("request_text,status", RAW, ids=lambda v: repr(v)[:50])
def test_what_is_hardly_http(unchanged, request_text, status):
    with raw_http.connect(unchanged.socket) as client:
        raw_http.send(client, request_text)
        if status is None:
            client.shutdown(socket.SHUT_WR)
        received = raw_http.read_until_closed(client)
    if status is not None:
        check_error(raw_http.parse(received), status)


def test_a_body_of_100_megabytes(unchanged):
    body = b'{"command":["' + b"x" * 100_000_000 + b'"]}'
    message = check_error(unchanged.http("POST", "/v1/jobs", body), 413)
    assert "67108864" in message
    # Also when it comes in pieces, without its length.
    head = b"POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    pieces = b"".join(b"100000\r\n" + b"x" * 0x100000 + b"\r\n" for _ in range(70))
    check_error(raw_http.parse(raw_http.exchange(unchanged.socket, head + pieces)), 413)
    resident = int([line for line in open(f"/proc/{unchanged.process.pid}/status")
                    if line.startswith("VmHWM")][0].split()[1])
    assert resident < 1_200_000, "bodies are not held several times"


def test_half_a_request_and_a_hang_up(unchanged):
    whole = raw_http.request_bytes("POST", "/v1/jobs", SUBMIT)
    for length in (1, 10, len(whole) // 2, len(whole) - 1):
        with raw_http.connect(unchanged.socket) as client:
            client.sendall(whole[:length])
    # A reader that leaves before the answer has been sent.
    with raw_http.connect(unchanged.socket) as client:
        client.sendall(raw_http.request_bytes("GET", "/v1/jobs/1/wait?timeout_ms=60000"))
    assert unchanged.http("GET", "/v1/version").status == 200


def test_two_requests_on_one_connection(unchanged):
    first = b"GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n"
    with raw_http.connect(unchanged.socket) as client:
        client.sendall(first + raw_http.request_bytes("GET", "/v1/jobs/4711"))
        received = raw_http.read_until_closed(client)
    assert received.count(b"HTTP/1.1 ") == 2 and b"404" in received


VERSIONS = [("1", 200), ("2", 501), ("0", 501), ("999999999999", 501), ("one", 400), ("", 400),
            ("-1", 400), ("1.0", 400)]


@pytest.mark.parametrize("number,status", VERSIONS)
def test_an_api_number_that_the_daemon_does_not_speak(unchanged, number, status):
    answer = unchanged.http("GET", "/v1/version", headers={"Gpusched-Api": number})
    if status == 200:
        assert answer.json()["api"] == {"least": 1, "most": 1}
        return
    message = check_error(answer, 400, 501)
    if status == 501:
        assert answer.status == 501 and number in message and "1" in message.replace(number, "")
    # Also where something would have been changed.
    assert unchanged.http("POST", "/v1/jobs", SUBMIT, headers={"Gpusched-Api": number}).status != 200


def test_a_client_tells_why_another_version_does_not_work(programs, tmp_path, steady):
    """A daemon of the future, played by a listener: the client passes its sentence on."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen()
    said = "this daemon speaks API 3 to 4, the client 1; install gpusched 3.0"

    def answer():
        client, _ = listener.accept()
        client.recv(65536)
        body = json.dumps({"error": {"code": "unsupported", "message": said, "new_field": 1}}).encode()
        client.sendall(b"HTTP/1.1 501 Not Implemented\r\nGpusched-Version: 3.0\r\nContent-Length: %d\r\n"
                       b"Connection: close\r\n\r\n" % len(body) + body)
        client.close()
    thread = threading.Thread(target=answer)
    thread.start()
    done = steady.run("status", "--socket", tmp_path / "s", check=False)
    thread.join()
    assert (done.returncode, done.stderr) == (69, f"gpusched: {said}\n")


def test_the_daemon_is_well_after_all_that(steady):
    assert wait_until(lambda: steady.http("GET", "/v1/version").status == 200)
    assert len(list(Path(f"/proc/{steady.process.pid}/fd").iterdir())) < 40
