"""A real daemon in a directory of its own: start it, talk to it, kill it, start it again."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def wait_until(condition, seconds=30.0, what="the condition"):
    """Returns what `condition` returns as soon as it is true; fails after the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s")
        time.sleep(0.02)


class LiveDaemon:
    def __init__(self, programs, sim="2x24G", config=None, extra=()):
        self.programs = Path(programs)
        # Short, because a socket's path may have 107 bytes.
        self._directory = tempfile.TemporaryDirectory(prefix="gs-", ignore_cleanup_errors=True)
        self.directory = Path(self._directory.name)
        self.state = self.directory / "state"
        self.socket = self.directory / "s"
        self.log_path = self.directory / "daemon.log"
        self.arguments = ["--state-dir", str(self.state), "--socket", str(self.socket)]
        if sim:
            self.arguments += ["--sim", sim]
        if config:
            (self.directory / "config.yaml").write_text(config)
            self.arguments += ["--config", str(self.directory / "config.yaml")]
        self.arguments += list(extra)
        self.process = None

    def environment(self):
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        return {**inherited, "HOME": str(home), "GPUSCHED_SOCKET": str(self.socket),
                "PATH": f"{self.programs}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "gpuschedd", *self.arguments], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env=self.environment(), start_new_session=True)
        wait_until(self._answers, what="the daemon's first answer")
        return self

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the daemon ended:\n{self.log()}")
        return self.run("status", check=False).returncode == 0

    def run(self, *arguments, check=True, text=True, **options):
        done = subprocess.run([self.programs / "gpusched", *map(str, arguments)],
                              capture_output=True, text=text, env=self.environment(),
                              timeout=options.pop("timeout", 120), check=False, **options)
        if check and done.returncode != 0:
            said = f"{done.stdout}{done.stderr}"
            raise AssertionError(f"gpusched {arguments}: {done.returncode}\n{said}")
        return done

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=30)

    def stop(self):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.run("cancel", "--all", check=False)
            self.run("wait", "--all", "--timeout", "20", check=False)
            self.process.terminate()
            self.process.wait(timeout=30)
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self._directory.cleanup()
