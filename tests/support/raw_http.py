"""HTTP over a Unix socket, as plain as it gets: for requests that no real client would send."""

import json
import socket
from dataclasses import dataclass


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def error(self):
        return self.json()["error"]


def connect(path, seconds=30.0):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(seconds)
    client.connect(str(path))
    return client


def send(client, request):
    """Sends what the daemon takes: one that refuses early has answered and hung up by then."""
    try:
        client.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        pass


def read_until_closed(client):
    received = b""
    while True:
        try:
            part = client.recv(1 << 16)
        except ConnectionResetError:
            part = b""
        if not part:
            return received
        received += part


def unchunked(body):
    whole = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        if length == 0:
            break
        whole += rest[:length]
        body = rest[length + 2:]
    return whole


def parse(received):
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (l.partition(":") for l in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = unchunked(body)
    return Answer(int(first.split()[1]), headers, body)


def exchange(path, request, seconds=30.0):
    """Sends these bytes and returns whatever comes back until the daemon hangs up."""
    with connect(path, seconds) as client:
        send(client, request)
        return read_until_closed(client)


def request_bytes(method, target, body=None, headers=()):
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    head = f"{method} {target} HTTP/1.1\r\nHost: gpusched\r\nConnection: close\r\n"
    if body is not None or method != "GET":
        head += f"Content-Length: {len(data)}\r\n"
    for name, value in dict(headers).items():
        head += f"{name}: {value}\r\n"
    return head.encode("latin-1") + b"\r\n" + data


def call(path, method, target, body=None, headers=(), seconds=30.0):
    received = exchange(path, request_bytes(method, target, body, headers), seconds)
    if not received:
        raise ConnectionError("the daemon hung up without an answer")
    return parse(received)
