"""A TCP port on loopback that leads to another one over a wire that can be bad: it cuts a connection after so
many bytes, lets it fall silent without an end, or hands on what comes back only when it is complete."""

import select
import socket
import threading
import time


class BadWire:
    """Each new connection asks `plan()` what becomes of it: None, or a dictionary with one of
    `up`: cut after so many bytes of the client, `down`: after so many of the server, `silent`: nothing
    passes, and nothing ends, `whole`: what the server says is kept until it closes, `slow`: each piece takes
    so many seconds."""

    def __init__(self, port):
        self.port = port
        self.plan = lambda: None
        self.broken = False  # Whoever comes is sent away at once, as by a server that restarts.
        self.count = 0
        self.lock = threading.Lock()
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def first(self, plan):
        """Only the next connection is treated so."""
        plans = [plan]
        self.plan = lambda: plans.pop() if plans else None

    def cut(self):
        """Ends every connection that there is."""
        with self.lock:
            for one in list(self.open):
                shut(one)

    def close(self):
        self.listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                outer, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.count += 1
                plan = self.plan() or {}
                self.open.add(outer)
            threading.Thread(target=self._serve, args=(outer, plan), daemon=True).start()

    def _serve(self, outer, plan):
        inner = None
        try:
            if self.broken:
                return
            inner = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            inner.settimeout(None)
            if plan.get("silent"):
                outer.recv(1 << 16)
                # Until the client gives up.
                while outer.recv(1 << 16):
                    pass
                return
            self._carry(outer, inner, plan)
        except OSError:
            pass
        finally:
            with self.lock:
                self.open.discard(outer)
            shut(outer)
            outer.close()
            if inner is not None:
                inner.close()

    @staticmethod
    def _carry(outer, inner, plan):
        left = {outer: plan.get("up"), inner: plan.get("down")}
        kept = b""
        if left[outer] == 0:
            return
        while True:
            for source in select.select([outer, inner], [], [])[0]:
                piece = source.recv(1 << 16)
                time.sleep(plan.get("slow", 0))
                if not piece:
                    outer.sendall(kept)
                    return
                if left[source] is not None:
                    piece = piece[:left[source]]
                    left[source] -= len(piece)
                if source is inner and plan.get("whole"):
                    kept += piece
                else:
                    (inner if source is outer else outer).sendall(piece)
                if left[source] == 0:
                    return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
