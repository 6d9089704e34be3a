"""Words that would be something else where they are shown: line ends, HTML, keys that others have used."""

import os

import pytest
import raw_http
from live_daemon import ROOMY, LiveDaemon

HTML = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def raw(box, head):
    client = raw_http.connect(box.socket)
    raw_http.send(client, head + b"Host: x\r\nConnection: close\r\n\r\n")
    return raw_http.read_until_closed(client)


def test_line_ends_make_no_headers_and_no_log_lines(box):
    forged = "\r\nX-Forged: 1\r\n\r\nlevel=error forged"
    for field in ("name", "group", "project", "comment"):
        body = {"command": ["true"], "working_directory": "/tmp", "gpus": 0, field: "a" + forged}
        refused = box.http("POST", "/v1/jobs", body)
        assert refused.status == 400 and field in refused.json()["error"]["message"], (field, refused.body)
    code = b"%0d%0aX-Forged:%201%0d%0a%0d%0aforged"
    for target in (b"/v1/jobs?limit=2&name=" + code, b"/v1/jobs?sort=" + code, b"/v1/" + code,
                   b"/v1/tokens/" + code, b"/v1/groups/" + code, b"/v1/jobs?limit=1&cursor=" + code):
        answer = raw(box, b"GET " + target + b" HTTP/1.1\r\n")
        head = answer.split(b"\r\n\r\n")[0]
        assert head.startswith(b"HTTP/1.1 ") and b"\r\nx-forged" not in head.lower(), answer
    # A folded header is one header, or none.
    answer = raw(box, b"GET /v1/version HTTP/1.1\r\nIdempotency-Key: a\r\n X-Forged: 1\r\n")
    assert b"\r\nx-forged" not in answer.lower(), answer
    drained = box.http("POST", "/v1/gpus/0/drain", {"reason": "a\nlevel=error forged"})
    box.http("POST", "/v1/gpus/0/undrain")
    assert drained.status in (200, 400)
    assert not [line for line in box.log().splitlines() if line.startswith("level=error forged")]


def test_html_stays_text(box):
    body = {"command": ["echo", HTML], "working_directory": "/tmp", "gpus": 0, "name": HTML}
    job = box.http("POST", "/v1/jobs", body).json()["first"]
    box.ended(job)
    kinds = {f"/v1/jobs/{job}": "application/json", "/v1/jobs": "application/json",
             f"/v1/jobs/{job}/log": "application/octet-stream", f"/v1/jobs/{job}/events": "application/json",
             "/v1/overview": "application/json"}
    for target, kind in kinds.items():
        answer = box.http("GET", target)
        assert answer.status == 200 and answer.headers["content-type"].split(";")[0] == kind, target
    refused = box.http("GET", "/v1/jobs?sort=%3Cscript%3E")
    assert refused.status == 400 and refused.headers["content-type"] == "application/json"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's daemon takes tokens of others")
def test_a_key_of_others_is_another_key(box):
    body = {"command": ["true"], "working_directory": "/tmp", "gpus": 0, "hold": True}

    def proof(*flags):
        return {"Authorization": "Bearer " + box.run("token", "create", *flags).stdout.strip()}

    key = {"Idempotency-Key": "one-key"}
    first = box.http("POST", "/v1/jobs", body, headers=key).json()
    again = box.http("POST", "/v1/jobs", body, headers=key).json()
    assert (again["first"], again["repeated"]) == (first["first"], True)
    other = box.http("POST", "/v1/jobs", body, headers={**key, **proof("--user", "nobody")}).json()
    assert other["repeated"] is False and other["first"] != first["first"]
    cancel = f"/v1/jobs/{first['first']}/cancel"
    assert box.http("POST", cancel, {}, headers=key).status == 200
    for flags in (("--user", "nobody"), ("--read-only",)):
        refused = box.http("POST", cancel, {}, headers={**key, **proof(*flags)})
        assert refused.status == 403 and "idempotency-replayed" not in refused.headers, flags
