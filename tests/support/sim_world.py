"""A simulated world in a directory of its own, with programs that use it."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from live_daemon import wait_until

SUPPORT = Path(__file__).resolve().parent


class NvmlClient:
    """A session of the management library that stays open."""

    def __init__(self, environment):
        self.process = subprocess.Popen([sys.executable, SUPPORT / "nvml_client.py"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        code, self.card_count = self.call("init")
        assert code == 0, code

    def ask(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def answers_within(self, seconds):
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def answer(self, seconds=30):
        assert self.answers_within(seconds), "no answer"
        return json.loads(self.process.stdout.readline())

    def call(self, *words):
        self.ask(*words)
        return self.answer()

    def value(self, *words):
        code, value = self.call(*words)
        assert code == 0, (words, code)
        return value

    def close(self):
        self.process.kill()
        self.process.communicate()


class SimWorld:
    def __init__(self, programs, directory, scenario):
        self.programs = Path(programs)
        self.libraries = self.programs.parent / "sim"
        self.directory = Path(directory)
        self.file = self.directory / "world"
        self.scenario = scenario
        self.started = []
        self.tool("create", self.file, scenario)

    def tool(self, *arguments, check=True):
        done = subprocess.run([self.programs / "gpusched-simworld", *map(str, arguments)],
                              capture_output=True, text=True, check=False, timeout=60)
        assert not check or done.returncode == 0, done.stderr
        return done

    def set(self, *words):
        self.tool("set", self.file, *words)

    def show(self):
        return json.loads(self.tool("show", self.file, "--json").stdout)

    def card(self, number=0):
        return self.show()["cards"][number]

    def add_process(self, *words):
        return int(self.tool("add-process", self.file, *words).stdout)

    def environment(self, **more):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
        return {**inherited, "LD_LIBRARY_PATH": str(self.libraries),
                "GPUSCHED_SIM_WORLD": str(self.file), **more}

    def nvml(self):
        client = NvmlClient(self.environment())
        self.started.append(client)
        return client

    def cuda(self, *words, **options):
        """What one call of cuda_client.py prints."""
        done = subprocess.run([sys.executable, SUPPORT / "cuda_client.py", *map(str, words)],
                              env=self.environment(**options.pop("variables", {})),
                              capture_output=True, text=True, timeout=60, check=False, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def start(self, command, **options):
        process = subprocess.Popen(command, text=True, **{"env": self.environment(), **options})
        self.started.append(process)
        return process

    def job(self, *arguments, card=0):
        """A job on that card; its output goes to pipes."""
        return self.start([self.programs / "gpusched-simjob", *map(str, arguments)],
                          env=self.environment(CUDA_VISIBLE_DEVICES=str(card)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def steps(self, name):
        path = self.directory / name
        text = path.read_text() if path.exists() else ""
        return int(text) if text.endswith("\n") else 0

    def wait_for_steps(self, name, count):
        wait_until(lambda: self.steps(name) >= count, what=f"step {count} in {name}")
        return self.steps(name)

    def wait_for_use(self, gib, card=0):
        wait_until(lambda: self.card(card)["used_bytes"] == gib << 30,
                   what=f"{gib} GiB in use on card {card}")

    def close(self):
        for each in self.started:
            if isinstance(each, NvmlClient):
                each.close()
            elif each.poll() is None:
                each.send_signal(signal.SIGCONT)
                each.kill()
                each.communicate()
