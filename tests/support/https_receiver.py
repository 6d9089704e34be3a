"""An HTTPS server that takes messages, and misbehaves where its path says so."""

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        try:
            self._post()
        except (OSError, ssl.SSLError):
            pass  # Who asked has gone.

    def _post(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.split("?")[0]
        self.server.note(path, self.path, dict(self.headers), body)
        behave = getattr(self, "answer_" + path.rsplit("/", 1)[1].replace("-", "_"), self.answer_ok)
        behave()

    def _answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_ok(self):
        self._answer(200, b'{"errcode":0,"errmsg":"ok","code":0,"msg":"success"}')

    def answer_error_inside(self):
        self._answer(200, b'{"errcode":93000,"errmsg":"invalid webhook url"}')

    def answer_forbidden(self):
        self._answer(403, b"no such token: " + self.path.encode())

    def answer_broken(self):
        self._answer(500, b"out of order")

    def answer_redirect(self):
        self._answer(302, headers=[("Location", self.server.url("/redirected/ok"))])

    def answer_too_often(self):
        self._answer(429, headers=[("Retry-After", "17")])

    def answer_huge(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(4096):
            self.wfile.write(b"x" * 65536)

    def answer_slow(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Words: ")
        while not self.server.ends.wait(0.05):
            self.wfile.write(b"x")

    def answer_torn_body(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x")
        self.close_connection = True

    def answer_hang(self):
        self.server.ends.wait(90)

    def answer_held(self):
        """Until the test lets it go."""
        self.server.release.wait(90)
        self.answer_ok()

    def answer_no_http(self):
        self.wfile.write(b"220 mail.example ESMTP\r\n")
        self.close_connection = True


class HttpsReceiver(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, certificate=None, key=None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self._tls = certificate is not None
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            # In the thread of the connection: a handshake that hangs holds up nobody.
            self.socket = context.wrap_socket(self.socket, server_side=True,
                                              do_handshake_on_connect=False)
        self.ends, self.release = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._taken = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *unused):
        pass

    def url(self, path):
        return f"{'https' if self._tls else 'http'}://localhost:{self.server_address[1]}{path}"

    def note(self, path, target, headers, body):
        with self._lock:
            self._taken.append({"path": path, "target": target, "headers": headers, "body": body,
                                "json": json.loads(body)})

    def taken(self, path):
        with self._lock:
            return [one for one in self._taken if one["path"] == path]

    def close(self):
        self.ends.set()
        self.release.set()
        self.shutdown()
        self.server_close()
