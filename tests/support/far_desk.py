"""Somebody at another machine: a token, TLS, and a wire to the daemon that can be cut."""

import socket
import subprocess
import threading


class Wire:
    """A way to the daemon that can be cut."""

    def __init__(self, box):
        self.box = box
        self.open = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.box.port()), timeout=30)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            self.open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(source, target):
        try:
            while piece := source.recv(1 << 16):
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        for end in self.open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open.clear()


class Desk:
    """Somebody at another machine, with a token."""

    def __init__(self, box, port, token):
        self.box, self.programs, self.port, self.token = box, box.programs, port, token

    def environment(self):
        env = {**self.box.environment(), "GPUSCHED_SERVER": f"https://localhost:{self.port}",
               "GPUSCHED_TOKEN": self.token, "SSL_CERT_FILE": str(self.box.directory / "gpusched.crt")}
        del env["GPUSCHED_SOCKET"]
        return env

    def run(self, *words, **options):
        return subprocess.run([self.programs / "gpusched", *map(str, words)], capture_output=True,
                              timeout=120, check=False, env=self.environment(),
                              **{"text": True, **options})

    def start(self, *words, **options):
        return subprocess.Popen([self.programs / "gpusched", *map(str, words)], env=self.environment(),
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, "text": True, **options})
