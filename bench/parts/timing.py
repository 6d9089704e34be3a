"""Starting processes and reading clocks with as little of Python in between as possible."""
import fcntl
import os
import select
import signal
import statistics
import time

QUIET = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
         (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
         (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
LONGEST_WAIT_S = 30


class Stuck(Exception):
    """Something did not happen within its time; the measure is given up, not the run."""


def spawn(argv, env):
    """Starts a program with a resolved path, quietly."""
    return os.posix_spawn(argv[0], argv, env, file_actions=QUIET)


def wait(pid, timeout_s=LONGEST_WAIT_S):
    """Its exit code. A client that does not end by itself is ended: some block when they are full."""
    with os.fdopen(os.pidfd_open(pid)) as ended:
        if not select.select([ended], [], [], timeout_s)[0]:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise Stuck(f"a client did not end within {timeout_s} s")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def timed_run(argv, env):
    """Milliseconds from before the start of a program until its end was seen."""
    start = time.monotonic_ns()
    code = wait(spawn(argv, env))
    taken = (time.monotonic_ns() - start) / 1e6
    if code != 0:
        raise Stuck(f"{' '.join(argv[:3])} … ended with {code}")
    return taken


def median(values):
    return statistics.median(values) if values else None


def share(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Stamps:
    """A pipe with a name to which jobs write when their first instruction ran and when they ended."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "stamps")
        os.mkfifo(self.path)
        os.chmod(self.path, 0o666)
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        fcntl.fcntl(self.descriptor, 1031, 1 << 20)  # F_SETPIPE_SZ
        self.rest = b""

    def next(self, timeout_s=LONGEST_WAIT_S):
        """(first instruction, end) in nanoseconds of CLOCK_MONOTONIC."""
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise Stuck(f"no job reported within {timeout_s} s")
            self.rest += os.read(self.descriptor, 1 << 16)
        line, self.rest = self.rest.split(b"\n", 1)
        first, end = line.split()
        return int(first), int(end)

    def clear(self):
        self.rest = b""
        while select.select([self.descriptor], [], [], 0)[0]:
            os.read(self.descriptor, 1 << 16)

    def close(self):
        os.close(self.descriptor)
