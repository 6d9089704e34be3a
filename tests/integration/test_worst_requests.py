"""The most expensive requests to every route: each is answered, and so is everybody else meanwhile. How soon
is for bench/worst_waits to say."""

import threading

import pytest
import raw_http
import worst_requests
from live_daemon import ROOMY, LiveDaemon, wait_until

ROUTES = worst_requests.routes()
# Streams and waits end when the client goes; that they began is what can be seen here.
STREAMS = {"/v1/events", "/v1/leases/changes", "/v1/leases/{}/hold"}


@pytest.fixture(scope="module")
def crowded(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        daemon.submit("--hold", "--array", "0-1999", "--name", "a" * 60, "--", "true")
        yield daemon


def test_every_route_is_known(programs):
    """What is asked here is what the daemon has: the served description is made from its table."""
    with LiveDaemon(programs) as daemon:
        served = daemon.http("GET", "/v1/openapi.json").json()["paths"]
    assert sum(len(methods) for methods in served.values()) == len(worst_requests.routes()) > 50


class Other:
    """Somebody else, who asks for something small all the time."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.over = threading.Event()
        self.statuses = []
        self.thread = threading.Thread(target=self.ask)

    def ask(self):
        while not self.over.is_set():
            self.statuses.append(self.daemon.http("GET", "/v1/version").status)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def answer_to(daemon, route, target, body, headers):
    request = raw_http.request_bytes(route.method, target, body, headers)
    with raw_http.connect(daemon.socket, 60) as client:
        raw_http.send(client, request)
        if route.pattern in STREAMS:
            received = client.recv(1 << 16)
            if b": chunked" not in received:
                return raw_http.parse(received + raw_http.read_until_closed(client))
            head = received.partition(b"\r\n\r\n")[0]  # The rest may never end.
            return raw_http.parse(head.replace(b": chunked", b": unread") + b"\r\n\r\n")
        return raw_http.parse(raw_http.read_until_closed(client))


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_the_worst_of_each_route(crowded, route):
    jobs = crowded.http("GET", "/v1/overview").json()["counts"]
    with Other(crowded) as other:
        for name, target, body, headers in worst_requests.requests(route, body_most=4 << 20):
            answer = answer_to(crowded, route, target, body, headers)
            assert answer.status < 500 or answer.status in (501, 503), (name, answer.body[:300])
            if answer.status >= 400:
                assert set(answer.json()) == {"error"}, name
                assert len(answer.error()["message"]) < 1000, name
        seen = len(other.statuses)
        wait_until(lambda: len(other.statuses) > seen, what="an answer to somebody else")
    assert set(other.statuses) == {200}
    assert crowded.process.poll() is None, crowded.log()
    assert crowded.http("GET", "/v1/overview").json()["counts"] == jobs, "dry runs change nothing"
