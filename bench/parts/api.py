"""A client of the HTTP API on one kept-open Unix socket."""
import json
import socket


class ApiError(Exception):
    pass


class Api:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(300)
        self.socket.connect(path)
        self.rest = b""

    def close(self):
        self.socket.close()

    def _more(self):
        got = self.socket.recv(1 << 18)
        if not got:
            raise ApiError("the daemon closed the connection")
        self.rest += got

    def _take(self, size):
        while len(self.rest) < size:
            self._more()
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def _line(self):
        while b"\r\n" not in self.rest:
            self._more()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def raw(self, method, target, body=b"", kind="application/json"):
        """The body of the answer as bytes."""
        head = (f"{method} {target} HTTP/1.1\r\nHost: gpusched\r\nContent-Type: {kind}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n")
        self.socket.sendall(head.encode() + body)
        status = int(self._line().split()[1])
        length, chunked = 0, False
        while line := self._line():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if name.lower() == b"transfer-encoding":
                chunked = b"chunked" in value.lower()
        answer = self._chunks() if chunked else self._take(length)
        if status >= 400:
            raise ApiError(f"{method} {target}: {status} {answer[:300].decode(errors='replace')}")
        return answer

    def _chunks(self):
        parts = []
        while size := int(self._line().split(b";")[0], 16):
            parts.append(self._take(size))
            self._line()
        self._line()
        return b"".join(parts)

    def call(self, method, target, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        return json.loads(self.raw(method, target, data))
