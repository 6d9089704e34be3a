"""A client on a pseudo terminal of its own: what it is typed, how large it is, how it ends."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from live_daemon import wait_until


def set_size(descriptor, rows, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class ClientTerminal:
    """A subclass says with take() what becomes of the bytes that are shown."""

    def __init__(self, daemon, arguments, rows, columns, program="gpusched", **environment):
        self.near, self.far = pty.openpty()
        self.before = termios.tcgetattr(self.far)
        set_size(self.far, rows, columns)
        self.process = subprocess.Popen(
            [daemon.programs / program, *arguments], stdin=self.far, stdout=self.far, stderr=self.far,
            env={**daemon.environment(), **environment}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.set_blocking(self.near, False)
        self.shown = b""

    def take(self, part):
        self.shown += part

    def read(self):
        try:
            while part := os.read(self.near, 65536):
                self.take(part)
        except (BlockingIOError, OSError):
            pass  # Nothing more now, or the other side has closed.
        return self.shown

    def type(self, data):
        os.write(self.near, data)

    def resize(self, rows, columns):
        set_size(self.near, rows, columns)

    def code(self):
        wait_until(lambda: (self.read(), self.process.poll())[1] is not None, what="the client's end")
        self.read()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.near)
        if self.far is not None:
            os.close(self.far)
