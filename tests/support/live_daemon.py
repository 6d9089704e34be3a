"""A real daemon in a directory of its own: start it, talk to it, kill it, start it again."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import processes
import raw_http

ROOT = Path(__file__).resolve().parent.parent.parent
# A configuration with room for many jobs at once, whatever machine this is; quick ends and retries.
ROOMY = """
jobs: {grace: 2s, retry_back_off: 1s}
host: {cpus: 64}
"""


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


def remove_tree(path):
    """Removes a directory into which others may still write."""
    def gone():
        shutil.rmtree(path, ignore_errors=True)
        return not path.exists()
    wait_until(gone, what=f"the end of {path}")


class LiveDaemon:
    """`prefix` stands before the daemon's own words, such as a program that drops privileges."""

    def __init__(self, programs, sim="2x24G", config=None, extra=(), prefix=()):
        self.programs = Path(programs)
        self.prefix = list(prefix)
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
        self.extra_environment = {}
        self.process = None
        counted = re.match(r"\d+(?=x)", sim or "")
        self._cards = int(counted.group()) if counted else 0

    def environment(self):
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        return {**inherited, "HOME": str(home), "GPUSCHED_SOCKET": str(self.socket),
                "PATH": f"{self.programs}:{os.environ['PATH']}", "NO_COLOR": "1", **self.extra_environment}

    def start(self, wait=True):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, self.programs / "gpuschedd", *self.arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment(),
                start_new_session=True)
        if wait:
            wait_until(self.answers, what="the daemon's first answer")
            self._hear_of_cards()
        return self

    def _hear_of_cards(self):
        """Cards are heard of one after the other. Where a test keeps one silent, that is its business."""
        deadline = time.monotonic() + 2
        while self._cards and time.monotonic() < deadline:
            if len(self.http("GET", "/v1/gpus").json().get("cards", [])) >= self._cards:
                break
            time.sleep(0.02)
        self._cards = 0  # A restart is looked at as it is.

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the daemon ended:\n{self.log()}")
        try:
            return self.http("GET", "/v1/version").status == 200
        except OSError:
            return False

    def run(self, *arguments, check=True, text=True, **options):
        done = subprocess.run([self.programs / "gpusched", *map(str, arguments)],
                              capture_output=True, text=text, env=self.environment(),
                              timeout=options.pop("timeout", 120), check=False, **options)
        if check and done.returncode != 0:
            said = f"{done.stdout}{done.stderr}"
            raise AssertionError(f"gpusched {arguments}: {done.returncode}\n{said}")
        return done

    def http(self, method, target, body=None, **options):
        return raw_http.call(self.socket, method, target, body, **options)

    def submit(self, *arguments, **options):
        """The id, or the first one of several."""
        said = self.run("submit", *arguments, **options).stdout
        return int(re.match(r"\d+", said).group())

    # Asked often, so without a program of its own each time.
    def job(self, job):
        return self.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]

    def jobs(self):
        return self.http("GET", "/v1/jobs").json()["jobs"]

    def wait_for(self, job, *states, seconds=30.0):
        """The job, once it is in one of these states."""
        def look():
            found = self.job(job)
            return found if found["state"] in states else None
        return wait_until(look, seconds, f"job {job} in state {' or '.join(states)}")

    def ended(self, job, seconds=30.0):
        return self.wait_for(job, "completed", "failed", "cancelled", seconds=seconds)

    def logs(self, job, *arguments):
        return self.run("logs", job, *arguments, text=False).stdout

    def launcher(self):
        return processes.launcher_of(self.process.pid)

    def shim_of(self, job, attempt=1):
        claim = (self.state / "jobs" / str(job) / str(attempt) / "claim").read_text()
        return int(re.search(r"^pid=(\d+)$", claim, re.M).group(1))

    def cgroup(self):
        """Where the jobs' groups are; None where there are none."""
        said = re.findall(r" ready .*cgroup=(\S+)", self.log())
        return Path(said[-1]) if said and said[-1] != "none" else None

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=30)

    def stop(self):
        if self.process is None:
            return
        died = self.process.poll()
        if died is None:
            self.run("cancel", "--all", "--grace", "0", check=False)
            self.run("wait", "--all", "--everybody", "--timeout", "20", check=False)
            self.process.terminate()
            self.process.wait(timeout=30)
        self.process = None
        self._remove_groups()
        assert died is None, f"the daemon ended before the test, with {died}:\n{self.log()}"
        bad = re.search(r"^.*(Sanitizer|runtime error:).*$", self.log(), re.M)
        assert not bad, f"{bad.group()}\n{self.log()}"

    def _remove_groups(self):
        """Daemons leave theirs for the next start; those of tests have none."""
        base = self.cgroup()
        if base is not None and base.name.startswith("gpusched-"):
            for path in sorted(base.glob("**/"), key=lambda p: len(p.parts), reverse=True):
                try:
                    path.rmdir()
                except OSError:
                    pass  # Something still lives there; who needs to know looks for it.

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self._directory.cleanup()
