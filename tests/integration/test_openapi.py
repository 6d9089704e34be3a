"""docs/openapi.json is valid, is what the daemon serves, and the daemon keeps to it.

schemathesis makes up requests by the description, sends them to a real daemon, and compares each
answer with what is described: its status, its content type, its headers, its schema.
"""

import os
import subprocess
from pathlib import Path

import pypi_tools
import pytest
from api_description import DESCRIPTION, PLACE, answer_of, unknown_fields
from live_daemon import ROOMY, LiveDaemon
from tcp_door import TcpDoor

CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance", "unsupported_method",
          "negative_data_rejection")
# They go on until somebody leaves.
ENDLESS = ("stream_events", "follow_leases", "hold_lease")


@pytest.fixture(scope="module")
def tools():
    try:
        return pypi_tools.install("api-tools", "requirements-api.txt")
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no schemathesis here: {error}")


@pytest.fixture(scope="module")
def busy(programs):
    """A daemon with something of everything."""
    with LiveDaemon(programs, config=ROOMY) as daemon:
        daemon.run("submit", "--gpus", "0", "--hold", "--", "true")
        daemon.run("submit", "--gpus", "0", "--", "echo", "hello")
        daemon.run("submit", "--gpus", "0", "--hold", "--array", "0-1", "--", "true")
        assert daemon.http("POST", "/v1/leases", {"vram_bytes": 1 << 30}).status == 200
        assert daemon.http("PUT", "/v1/groups/night", {"limit": 4}).status == 200
        assert daemon.http("PATCH", "/v1/tenants/lab", {"weight": 2}).status == 200
        assert daemon.http("POST", "/v1/reservations", {"cards": [1], "for_s": 60}).status == 200
        daemon.ended(2)
        yield daemon


def test_the_description_is_valid(tools):
    done = subprocess.run([tools / "openapi-spec-validator", PLACE], capture_output=True,
                          text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert DESCRIPTION["openapi"].startswith("3.1.")


def test_the_description_is_served_as_it_is_kept(busy):
    assert busy.http("GET", "/v1/openapi.json").body.decode() == PLACE.read_text()


# A client may get more than is described, but this daemon says nothing that it does not describe.
# What is written by hand (rows of jobs, details, history) is compared with its list here.
READ = {"selector": "all", "id": "2", "name": "night", "number": "0"}
WITHOUT_SCHEMA = ("get_log", "open_terminal", "get_backup", "get_config", "get_metrics", *ENDLESS)


@pytest.mark.parametrize("path", sorted(path for path, methods in DESCRIPTION["paths"].items()
                                        if methods.get("get", {}).get("operationId", "get_log")
                                        not in WITHOUT_SCHEMA))
def test_no_answer_has_a_field_that_is_not_described(busy, path):
    target = path
    for name, real in READ.items():
        target = target.replace("{%s}" % name, real)
    if path.startswith("/v1/leases/"):
        target = path.replace("{id}", "5")
    if path.startswith("/v1/sweeps/"):
        target = path.replace("{id}", "3")
    if path.endswith("/search"):
        target += "?text=hello"
    if path == "/v1/moment":
        target += "?at=1s"
    if path.endswith("/wait"):
        target += "?timeout_ms=1&sweeps=1"
    answer = busy.http("GET", target)
    assert answer.status == 200, answer.body
    assert list(unknown_fields(answer.json(), answer_of("GET", path), "")) == []


def test_the_daemon_keeps_to_its_description(tools, busy, tmp_path, long_run):
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        with TcpDoor(busy.socket) as door:
            done = subprocess.run(
                [tools / "schemathesis", "run", PLACE, "--url", door.url, "--seed", "1",
                 "--phases", "coverage,fuzzing" if long_run else "fuzzing",
                 "--max-examples", "100" if long_run else "6", "--workers", "1",
                 "--checks", ",".join(CHECKS), "--request-timeout", "30", "--no-color",
                 "--generation-database", "none", "--suppress-health-check", "all",
                 "--warnings", "off",
                 *(word for name in ENDLESS for word in ("--exclude-operation-id", name))],
                capture_output=True, text=True, check=False, timeout=3000 if long_run else 500, cwd=tmp_path,
                env={**os.environ, "SCHEMATHESIS_HOOKS": "api_guard", "NO_COLOR": "1",
                     "PYTHONPATH": str(Path(pypi_tools.__file__).parent),
                     "API_GUARD_SLEEPER": str(sleeper.pid)})
    finally:
        sleeper.kill()
        sleeper.wait()
    assert done.returncode == 0, f"{done.stdout[-12000:]}{done.stderr[-2000:]}"
    assert busy.process.poll() is None, busy.log()
