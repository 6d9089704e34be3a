"""A TCP port on loopback that leads to a Unix socket, for clients that know only TCP."""

import socket
import threading


def pump(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    except OSError:
        pass
    for end, how in ((source, socket.SHUT_RD), (target, socket.SHUT_WR)):
        try:
            end.shutdown(how)
        except OSError:
            pass


class TcpDoor:
    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                outer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(outer,), daemon=True).start()

    def serve(self, outer):
        with outer, socket.socket(socket.AF_UNIX) as inner:
            try:
                inner.connect(self.path)
            except OSError:
                return
            back = threading.Thread(target=pump, args=(inner, outer), daemon=True)
            back.start()
            pump(outer, inner)
            back.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
