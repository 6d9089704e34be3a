"""What a queue must offer to be measured, and gpusched itself."""
import os
import shutil
import subprocess
import time

from parts.api import Api
from parts.timing import Stuck, spawn, timed_run, wait


RUNNING = set()  # Every queue that was begun and not stopped; compare ends what is left.


class System:
    """One queue with its private directory. A subclass says how to start it and how to submit."""

    name = ""
    durable = False     # Is an acknowledged job on disk?
    most_queued = 5000  # More than this it cannot hold, or not in bearable time.

    def __init__(self, directory, slots=1):
        self.directory = directory
        self.slots = slots
        self.env = {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8"}
        self.processes = []
        os.makedirs(directory, exist_ok=True)

    def begin(self):
        RUNNING.add(self)
        self.start()

    def end(self):
        """Whatever state it is in."""
        RUNNING.discard(self)
        try:
            self.stop()
        except (Stuck, OSError, subprocess.SubprocessError, AttributeError):
            System.stop(self)

    def start(self):
        raise NotImplementedError

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)
        self.processes = []

    def submit_argv(self, command):
        """The command line that queues `command`, with the program's full path."""
        raise NotImplementedError

    def submit(self, command):
        code = wait(spawn(self.submit_argv(command), self.env))
        if code != 0:
            raise Stuck(f"{self.name}: submit ended with {code}")

    def timed_submit(self, command):
        return timed_run(self.submit_argv(command), self.env)

    def close_gate(self):
        """Nothing starts from now on."""
        raise NotImplementedError

    def open_gate(self):
        raise NotImplementedError

    def fill(self, count, command):
        """Queues `count` jobs that wait behind the closed gate."""
        for _ in range(count):
            self.submit(command)

    def daemon(self, argv):
        log = open(os.path.join(self.directory, "daemon.log"), "ab")
        process = subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True)
        log.close()
        self.processes.append(process)
        return process

    def run(self, *argv, timeout=60, check=True):
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=timeout,
                              check=False)
        if check and done.returncode != 0:
            raise Stuck(f"{' '.join(argv)}: {(done.stderr or done.stdout).strip()[:300]}")
        return done.stdout

    def until(self, ready, what, timeout_s=20):
        deadline = time.monotonic() + timeout_s
        while not ready():
            if time.monotonic() > deadline:
                raise Stuck(f"{self.name}: {what} took more than {timeout_s} s")
            time.sleep(0.02)


class Gpusched(System):
    name = "gpusched"
    durable = True
    most_queued = 1_000_000

    def __init__(self, directory, slots=1, programs="", keep=None):
        super().__init__(directory, slots)
        self.programs = programs
        self.client = os.path.join(programs, "gpusched")
        self.socket = os.path.join(directory, "s")
        self.env["GPUSCHED_SOCKET"] = self.socket
        self.keep = keep

    def start(self):
        process = self.daemon([os.path.join(self.programs, "gpuschedd"),
                               "--state-dir", os.path.join(self.directory, "state"),
                               "--socket", self.socket, "--sim", f"{self.slots}x24G"])
        self.pid = process.pid
        self.until(lambda: os.path.exists(self.socket), "the start of the daemon")
        self.until(lambda: self.api_call("GET", "/v1/gpus")["cards"], "finding the cards")

    def stop(self):
        if self.processes and hasattr(self, "gate"):
            self.run(self.client, "cancel", "--all", "--grace", "0", check=False)
            self.run(self.client, "wait", self.gate, "--timeout", "10", check=False)
        super().stop()

    def api(self):
        return Api(self.socket)

    def api_call(self, method, target, body=None):
        api = self.api()
        try:
            return api.call(method, target, body)
        finally:
            api.close()

    def submit_argv(self, command):
        return [self.client, "submit", "--", *command]

    def close_gate(self):
        """One job holds every card."""
        gate = self.run(self.client, "submit", "--gpus", "all", "--grace", "0", "--",
                        shutil.which("sleep"), "100000")
        self.gate = gate.strip()
        self.until(lambda: '"state":"running"' in self.run(
            self.client, "show", self.gate, "--json").replace(" ", ""), "the first job")

    def open_gate(self):
        self.api_call("POST", f"/v1/jobs/{self.gate}/cancel", {"grace_s": 0})

    def fill(self, count, command):
        if count > 0:
            self.api_call("POST", "/v1/jobs", self.body(command, array={"indices": f"1-{count}"}))

    def body(self, command, **more):
        return {"command": command, "working_directory": "/", "gpus": 1,
                "environment": ["PATH=/usr/bin:/bin"], **more}

    def rss_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self):
        """That its process has computed, all threads together."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def version(self):
        return self.run(self.client, "--version").strip().removeprefix("gpusched ")


