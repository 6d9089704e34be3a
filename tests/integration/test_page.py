"""The page, from the daemon to the browser: over TCP, TLS and a tunnel to the socket, to whoever asks; and
the links that log in. Skipped where this build has no page."""

import gzip
import json
import os
import re
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until
from tcp_door import TcpDoor

BASE = "host: {cpus: 8}\njobs: {grace: 0s}\n"


def reload(box, text):
    (box.directory / "config.yaml").write_text(BASE + text)
    box.run("config", "reload")


def listen(box, tls=False):
    files = f", certificate: {box.directory}/gpusched.crt, key: {box.directory}/gpusched.key" if tls else ""
    reload(box, f'network: {{listen: ["127.0.0.1:0"]{files}}}\n')


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE) as daemon:
        daemon.run("cert", "localhost", "127.0.0.1", "--out", daemon.directory)
        listen(daemon)
        if b"built without its page" in daemon.http("GET", "/").body:
            pytest.skip("this build has no page")
        yield daemon


def port(box):
    said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', box.log())
    return int(said[-1].rsplit(":", 1)[1])


def call(client, method, target, body=None, host="localhost", **headers):
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    request = raw_http.request_bytes(method, target, body, given)
    with client:
        client.sendall(request.replace(b"Host: gpusched\r\n", f"Host: {host}\r\n".encode(), 1))
        return raw_http.parse(raw_http.read_until_closed(client))


def plain(box):
    return socket.create_connection(("127.0.0.1", port(box)), timeout=60)


def over_tls(box):
    context = ssl.create_default_context(cafile=box.directory / "gpusched.crt")
    return context.wrap_socket(plain(box), server_hostname="localhost")


def expect_page(connect, **headers):
    """What a browser does that comes for the first time, and then again."""
    index = call(connect(), "GET", "/", Accept_Encoding="gzip", **headers)
    assert index.status == 200 and index.headers["content-type"] == "text/html; charset=utf-8"
    assert index.headers["cache-control"] == "no-cache" and index.headers["content-encoding"] == "gzip"
    policy = index.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';") and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy and "require-trusted-types-for 'script'" in policy
    assert index.headers["x-content-type-options"] == "nosniff"
    assert index.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in index.headers
    text = gzip.decompress(index.body).decode()
    assets = re.findall(r'(?:src|href)="\./(assets/[^"]+)"', text)
    assert assets, text
    for asset in assets:
        packed = call(connect(), "GET", f"/{asset}", Accept_Encoding="gzip", **headers)
        assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert packed.headers["content-type"].startswith(("text/javascript", "text/css"))
        whole = call(connect(), "GET", f"/{asset}", **headers)
        assert "content-encoding" not in whole.headers and gzip.decompress(packed.body) == whole.body
    again = call(connect(), "GET", "/", If_None_Match=index.headers["etag"], **headers)
    assert again.status == 304 and again.body == b""
    head = call(connect(), "HEAD", "/", **headers)
    assert head.status == 200 and head.body == b""
    assert int(head.headers["content-length"]) == len(gzip.decompress(index.body))
    wrong = call(connect(), "POST", "/", {}, **headers)
    assert wrong.status == 405 and wrong.headers["allow"] == "GET, HEAD"


def test_over_plain_http_on_loopback(box):
    listen(box)
    expect_page(lambda: plain(box))


def test_over_tls(box):
    listen(box, tls=True)
    expect_page(lambda: over_tls(box))
    listen(box)


def test_through_a_tunnel_to_the_socket(box):
    with TcpDoor(box.socket) as door:
        def connect():
            return socket.create_connection(("127.0.0.1", int(door.url.rsplit(":", 1)[1])), timeout=60)
        expect_page(connect)
        # There the kernel says who it is, and no login is needed.
        who = call(connect(), "GET", "/v1/whoami").json()
        assert who["proof"] == "peer" and who["role"] == "admin"


def test_the_page_alone_needs_no_token(box):
    listen(box)
    for target in ("/v1/whoami", "/v1/jobs", "/metrics", "/none", "/index.htm", "/assets"):
        assert call(plain(box), "GET", target).status == 401, target
    gone = call(plain(box), "GET", "/assets/none-00000000.js")
    assert gone.status == 404 and gone.headers["cache-control"] == "no-store"
    for way_out in ("/assets/../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd",
                    "/assets/..%5c..%5cetc", "/assets//etc/passwd", "/%00", "/assets/%00"):
        answer = call(plain(box), "GET", way_out)
        assert answer.status in (400, 401, 404) and b"root" not in answer.body, way_out


def test_a_foreign_name_gets_no_page(box):
    listen(box)
    assert call(plain(box), "GET", "/", host="evil.example").status == 421
    with TcpDoor(box.socket) as door:
        def connect():
            return socket.create_connection(("127.0.0.1", int(door.url.rsplit(":", 1)[1])), timeout=60)
        assert call(connect(), "GET", "/", host="evil.example").status == 421


def link_of(box, *flags, **options):
    done = box.run("page", *flags, **options)
    return done.stdout.strip(), done.stderr


def log_in(box, link):
    """What the page does with its link; the cookie."""
    address, _, secret = link.partition("#login=")
    origin = address.rstrip("/")
    host = origin.split("//")[1]
    answer = call(plain(box), "POST", "/v1/login", {"token": secret}, host=host, Origin=origin)
    assert answer.status == 200, answer.body
    return answer.headers["set-cookie"].split(";")[0]


def test_a_link_logs_in_until_it_is_revoked(box):
    listen(box)
    link, said = link_of(box)
    assert re.fullmatch(rf"http://127\.0\.0\.1:{port(box)}/#login=gpst_[\w-]+", link), link
    token = link.split("_")[1]
    assert f"gpusched token revoke {token}" in said and "role admin" in said
    assert f"ssh -N -L {port(box)}:127.0.0.1:{port(box)} " in said and link not in said
    cookie = log_in(box, link)
    who = call(plain(box), "GET", "/v1/whoami", Cookie=cookie).json()
    assert who["proof"] == "cookie" and who["token_name"] == "page" and who["role"] == "admin"
    assert who["expires_at"] is not None
    secret = link.split("=")[1]
    assert secret not in box.log() and secret.split("_")[2] not in box.log()
    box.run("token", "revoke", token)
    assert call(plain(box), "GET", "/v1/whoami", Cookie=cookie).status == 401


def test_a_link_can_be_to_look_only_and_short(box):
    listen(box)
    link, _ = link_of(box, "--read-only", "--expires", "1h")
    who = call(plain(box), "GET", "/v1/whoami", Cookie=log_in(box, link)).json()
    assert who["role"] == "viewer"
    said = json.loads(link_of(box, "--read-only", "--json")[0])
    assert said["link"].startswith(said["address"] + "#login=gpst_") and said["role"] == "viewer"
    assert said["addresses"] == [said["address"]] and said["token"] in said["link"] and said["expires_at"]
    refused = box.run("page", "--expires", "never", check=False)
    assert refused.returncode == 64 and "--expires" in refused.stderr


def test_without_login_nothing_is_made(box):
    listen(box)
    before = len(json.loads(box.run("token", "list", "--json").stdout)["tokens"])
    assert link_of(box, "--no-login")[0] == f"http://127.0.0.1:{port(box)}/"
    alone = json.loads(link_of(box, "--no-login", "--json")[0])
    assert alone["link"] is None and alone["token"] is None
    link, said = link_of(box, "--dry-run")
    assert "#" not in link and "would make" in said
    assert len(json.loads(box.run("token", "list", "--json").stdout)["tokens"]) == before


def test_the_address_has_a_name_of_the_certificate(box):
    listen(box, tls=True)
    link, _ = link_of(box)
    assert link.startswith(f"https://localhost:{port(box)}/#login="), link
    version = box.http("GET", "/v1/version").json()
    assert version["addresses"] == [f"https://localhost:{port(box)}/"] and version["page"] is True
    assert version["socket"] == str(box.socket)
    listen(box)


def test_over_the_network_a_token_makes_no_link(box):
    listen(box)
    environment = {**box.environment(), "GPUSCHED_TOKEN": box.run("token", "create").stdout.strip(),
                   "GPUSCHED_SERVER": f"http://127.0.0.1:{port(box)}"}
    del environment["GPUSCHED_SOCKET"]
    done = subprocess.run([box.programs / "gpusched", "page"], env=environment, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout == f"http://127.0.0.1:{port(box)}/\n", done
    assert "a token makes no other" in done.stderr


def test_a_daemon_on_its_socket_alone_says_how_to_reach_it(box):
    reload(box, "")
    done = box.run("page", check=False)
    assert done.returncode == 69 and done.stdout == ""
    assert "network: {listen:" in done.stderr and f"ssh -N -L 7340:{box.socket} " in done.stderr
    listen(box)


def test_a_browser_is_not_told_the_secret_by_an_argument(box, tmp_path):
    listen(box)
    seen = tmp_path / "seen"
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$@" >{seen}.part; mv {seen}.part {seen}\n')
    opener.chmod(0o755)
    box.extra_environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path)}
    try:
        link, _ = link_of(box, "--open")
        wait_until(seen.exists, what="the browser's start")
        file = Path(seen.read_text().strip())
        assert file.parent == tmp_path / "gpusched" and "gpst_" not in seen.read_text()
        assert file.stat().st_mode & 0o777 == 0o600 and link in file.read_text()
        opener.unlink()
        box.extra_environment["PATH"] = str(tmp_path)
        done = box.run("page", "--open", check=False)
        assert done.returncode == 69 and "xdg-open" in done.stderr and "#login=" in done.stdout
    finally:
        box.extra_environment = {}
