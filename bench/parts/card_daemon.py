"""The daemon on the machine's own card, for the stages of bench/make_room."""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "support"))
import raw_http  # noqa: E402


class CardDaemon:
    def __init__(self, programs, directory, making_room="", settings="", words=()):
        self.programs, self.directory = os.path.abspath(programs), directory
        self.socket = os.path.join(directory, "s")
        self.config = os.path.join(directory, "config.yaml")
        self.words = list(words)  # Of the daemon, beside its places.
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("making_room: {run_least: 0, cool_down: 0" + making_room + "}\n" + settings)
        self.start()

    def start(self):
        self.log = open(os.path.join(self.directory, "log"), "a+", encoding="utf-8")
        self.process = subprocess.Popen(
            [f"{self.programs}/gpuschedd", "--config", self.config, "--state-dir", f"{self.directory}/state",
             "--socket", self.socket, *self.words], stdout=self.log, stderr=self.log)
        self.until(lambda: os.path.exists(self.socket) and self.get("/v1/gpus")["cards"], "cards", 60)

    def get(self, path):
        return raw_http.call(self.socket, "GET", path).json()

    def run(self, *words, user=None, check=True):
        done = subprocess.run([f"{self.programs}/gpusched", *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, "GPUSCHED_SOCKET": self.socket}, check=False,
                              user=user, group=user, extra_groups=[] if user else None, cwd="/")
        if check and done.returncode != 0:
            raise SystemExit(f"gpusched {' '.join(map(str, words))[:200]}: {done.stderr}")
        return done.stdout.strip() if check else (done.stdout + done.stderr).strip()

    def job(self, job):
        return self.get(f"/v1/jobs/{job}")["jobs"][0]

    def state(self, job):
        try:
            return self.job(job)["state"]
        except OSError:
            return "?"

    def ended(self, *jobs, seconds=300):
        """Waits until all have ended, gives their rows."""
        wanted = ",".join(map(str, jobs))
        ended = f"/v1/jobs?state=ended&ids={wanted}"
        self.until(lambda: len(self.get(ended)["jobs"]) == len(jobs), "jobs", seconds)
        return [self.job(job) for job in jobs]

    def until(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = condition()
            except (OSError, KeyError, ValueError):
                value = None
            if value:
                return value
            time.sleep(0.01)
        with open(os.path.join(self.directory, "log"), encoding="utf-8") as log:
            raise SystemExit(f"waited {seconds} s for {what}\n{self.run(check=False)}\n{log.read()[-3000:]}")

    def trail(self, job):
        lines = self.get(f"/v1/jobs/{job}/events")["events"]
        return [(line["at"], line["kind"], line["text"]) for line in lines]

    def close(self):
        """Nothing stays on the card: what runs is cancelled and waited for."""
        if self.process.poll() is None:
            self.run("cancel", "--all", check=False)
            try:
                self.until(lambda: not self.get("/v1/jobs?state=active")["jobs"], "the end", 60)
            finally:
                self.process.terminate()
                self.process.wait(30)
