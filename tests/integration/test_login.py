"""What a browser does: it logs in with a token and keeps a cookie, says where its requests come from and whom
they are meant for; and streams that end with the right by which they began."""

import json
import re
import socket
import ssl
import subprocess

import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until

BASE = "host: {cpus: 8}\njobs: {grace: 0s}\n"
JOB = {"command": ["true"], "working_directory": "/tmp", "gpus": 0}


def network(box, *names):
    files = f"certificate: {box.directory}/gpusched.crt, key: {box.directory}/gpusched.key"
    return f'{BASE}network: {{listen: ["127.0.0.1:0"], {files}, names: [{", ".join(names)}]}}\n'


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE) as daemon:
        daemon.run("cert", "cards.lab.example", "localhost", "127.0.0.1", "--out", daemon.directory)
        reload(daemon, network(daemon))
        yield daemon


def reload(box, text):
    (box.directory / "config.yaml").write_text(text)
    return box.run("config", "reload")


def port(box):
    said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', box.log())
    return int(said[-1].rsplit(":", 1)[1])


def connect(box):
    context = ssl.create_default_context(cafile=box.directory / "gpusched.crt")
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port(box)), timeout=60),
                               server_hostname="localhost")


def call(box, method, target, body=None, host="localhost", **headers):
    """As a browser asks; underscores in the names of headers stand for dashes."""
    with connect(box) as client:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        request = raw_http.request_bytes(method, target, body, given)
        client.sendall(request.replace(b"Host: gpusched\r\n", f"Host: {host}\r\n".encode(), 1))
        return raw_http.parse(raw_http.read_until_closed(client))


def make(box, *flags):
    return box.run("token", "create", *flags).stdout.strip()


def log_in(box, secret):
    answer = call(box, "POST", "/v1/login", {"token": secret}, Origin="https://localhost")
    assert answer.status == 200, answer.body
    return answer.headers["set-cookie"].split(";")[0]


ORIGIN = "https://localhost"


def test_a_page_logs_in_and_out(box):
    secret = make(box, "--name", "page")
    answer = call(box, "POST", "/v1/login", {"token": secret}, Origin=ORIGIN)
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(r"__Host-gpusched=[\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+",
                        cookie), cookie
    cookie = cookie.split(";")[0]
    who = call(box, "GET", "/v1/whoami", Cookie=cookie).json()
    assert who["proof"] == "cookie" and who["token_name"] == "page" and who["role"] == "user"
    made = call(box, "POST", "/v1/jobs", JOB, Cookie=cookie, Origin=ORIGIN)
    assert made.status == 200, made.body
    box.ended(made.json()["first"])
    # It outlives the daemon, however that ends; of its secret nothing is kept.
    box.kill()
    box.start()
    assert call(box, "GET", "/v1/whoami", Cookie=cookie).status == 200
    kept = box.state / "logins"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert cookie.split("=")[1] not in kept.read_text() and cookie.split("=")[1] not in box.log()
    out = call(box, "POST", "/v1/logout", Cookie=cookie, Origin=ORIGIN)
    assert out.status == 200 and "Max-Age=0" in out.headers["set-cookie"]
    assert call(box, "GET", "/v1/jobs", Cookie=cookie).status == 401
    box.kill()
    box.start()
    assert call(box, "GET", "/v1/jobs", Cookie=cookie).status == 401, "what has ended does not come back"


def test_a_foreign_page_changes_nothing_with_a_cookie(box):
    cookie = log_in(box, make(box))
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"},
                    {"Origin": "http://localhost"},
                    {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
        refused = call(box, "POST", "/v1/jobs", JOB, Cookie=cookie, **headers)
        assert refused.status == 403 and "our own page" in refused.error()["message"], headers
    taken = call(box, "POST", "/v1/jobs", JOB, Cookie=cookie, Sec_Fetch_Site="same-origin")
    assert taken.status == 200, taken.body
    box.ended(taken.json()["first"])
    preflight = call(box, "OPTIONS", "/v1/jobs", Origin="https://evil.example",
                     Access_Control_Request_Method="POST")
    assert preflight.status >= 400
    assert not [name for name in preflight.headers if name.startswith("access-control")]


def test_a_foreign_name_leads_nowhere(box):
    secret = make(box)
    token = {"Authorization": f"Bearer {secret}"}
    own = socket.gethostname().lower()
    for host in ("localhost", f"localhost:{port(box)}", "127.0.0.1", "[::1]:7340", "cards.lab.example", own):
        assert call(box, "GET", "/v1/version", host=host, **token).status == 200, host
    for host in ("evil.example", "other.lab.example", "10.1.2.3", "localhost.evil.example"):
        refused = call(box, "GET", "/v1/version", host=host, **token)
        assert refused.status == 421 and "network.names" in refused.error()["message"], host
    reload(box, network(box, "other.lab.example"))
    assert call(box, "GET", "/v1/version", host="other.lab.example", **token).status == 200
    reload(box, network(box))


def test_a_browser_stores_frames_and_guesses_nothing(box):
    token = {"Authorization": f"Bearer {make(box)}"}
    for answer in (call(box, "GET", "/v1/jobs", **token), call(box, "GET", "/v1/jobs"),
                   call(box, "GET", "/v1/none", **token), call(box, "GET", "/v1/version", host="evil")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "strict-transport-security" not in answer.headers
    assert "x-frame-options" not in box.http("GET", "/v1/jobs").headers, "on the socket is no browser"


def test_a_wrong_login_is_counted_as_a_guess(programs):
    with LiveDaemon(programs, sim="1x24G", config=f'{BASE}network: {{listen: ["127.0.0.1:0"]}}\n') as small:
        def guess(token="gpst_abcdefgh_" + "a" * 43):
            with socket.create_connection(("127.0.0.1", port(small)), timeout=60) as client:
                request = raw_http.request_bytes("POST", "/v1/login", {"token": token})
                client.sendall(request.replace(b"Host: gpusched", b"Host: localhost", 1))
                return raw_http.parse(raw_http.read_until_closed(client))
        assert [guess().status for _ in range(11)] == [401] * 10 + [503]
        # Over plain HTTP on loopback a browser would not keep a secure cookie.
        answer = guess(make(small))
        assert answer.status == 200 and answer.headers["set-cookie"].startswith("gpusched=")
        assert "Secure" not in answer.headers["set-cookie"]


def begin(box, target, **headers):
    """A connection that asks for something that lasts."""
    client = connect(box)
    request = raw_http.request_bytes("GET", target, None, headers)
    client.sendall(request.replace(b"Host: gpusched\r\n", b"Host: localhost\r\n", 1))
    return client


def read_for(client, what):
    read = b""
    while what not in read:
        piece = client.recv(4096)
        assert piece, (what, read)
        read += piece
    return read


def test_what_lasts_ends_with_its_token(box):
    secret = make(box)
    job = box.submit("--hold", "--", "true")
    token = {"Authorization": f"Bearer {secret}"}
    with begin(box, "/v1/events", **token) as stream, begin(box, f"/v1/jobs/{job}/wait", **token) as wait:
        read_for(stream, b": alive")
        box.run("token", "revoke", secret.split("_")[1])
        assert b"event: bye" in read_for(stream, b"the token was revoked")
        assert raw_http.parse(raw_http.read_until_closed(wait)).status == 401
    box.run("cancel", str(job))


def test_what_lasts_ends_with_its_port(box):
    token = {"Authorization": f"Bearer {make(box)}"}
    with begin(box, "/v1/events", **token) as stream:
        read_for(stream, b": alive")
        reload(box, BASE)
        assert b"no longer listens" in read_for(stream, b"event: bye") + raw_http.read_until_closed(stream)
    reload(box, network(box))
    wait_until(lambda: call(box, "GET", "/v1/version", **token).status == 200, what="the port")


def test_the_command_line_says_why_it_stops_following(box):
    secret = make(box)
    environment = {**box.environment(), "GPUSCHED_TOKEN": secret,
                   "GPUSCHED_SERVER": f"https://localhost:{port(box)}"}
    del environment["GPUSCHED_SOCKET"]
    job = str(box.submit("--hold", "--", "true"))
    follower = subprocess.Popen([box.programs / "gpusched", "wait", job], env=environment,
                                stderr=subprocess.PIPE, text=True)
    token = secret.split("_")[1]

    def row():
        return next(one for one in json.loads(box.run("token", "list", "--json").stdout)["tokens"]
                    if one["id"] == token)
    wait_until(lambda: row()["used_at"], what="the follower")
    box.run("token", "revoke", token)
    _, said = follower.communicate(timeout=60)
    assert follower.returncode == 77 and "token" in said, said
    box.run("cancel", job)
