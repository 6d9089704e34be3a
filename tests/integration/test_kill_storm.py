"""Daemon and launcher are killed at random points while clients submit, cancel and wait.

Nothing that was acknowledged may be lost, nothing may run twice, every exit code must arrive and
no process may be left over. GPUSCHED_STORM_SEED=N repeats the choices of a run (not its timing).
"""

import json
import os
import random
import signal
import subprocess
import threading
import time
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import processes
import pytest
import raw_http
from live_daemon import LiveDaemon, wait_until

KILLS, KILLS_LONG = 200, 1000
CLIENTS = 3
# One line per attempt into the job's own file; sometimes with a child that tries to get away.
JOB = ("echo $GPUSCHED_JOB_ID $GPUSCHED_ATTEMPT >>{marks}/$GPUSCHED_JOB_ID; {stray} "
       "sleep {seconds}; exit {code}")
STRAY = "(setsid sleep 900 </dev/null >/dev/null 2>&1 &);"
CONFIG = """
jobs: {grace: 1s, crash_guard_count: 0}
host: {cpus: 8}
"""


@dataclass
class Book:
    """What clients were told. Names carry what is to be expected of a job: KIND-CODE-NUMBER."""

    acknowledged: dict = field(default_factory=dict)  # id -> name
    cancelled: set = field(default_factory=set)  # acknowledged as changed
    cancel_tried: set = field(default_factory=set)
    keys: dict = field(default_factory=dict)  # name -> id
    runs_cut_off: set = field(default_factory=set)  # names; the shim ends what has no client
    waits: dict = field(default_factory=dict)  # id -> exit code of `gpusched wait`
    problems: list = field(default_factory=list)
    tally: Counter = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


def is_listening(path):
    try:
        raw_http.connect(path).close()
    except OSError:
        return False
    return True


def ids_of(printed):
    first, _, last = printed.strip().partition("-")
    return range(int(first), int(last or first) + 1)


class Client(threading.Thread):
    def __init__(self, number, seed, daemon, marks, book, over):
        super().__init__(name=f"client-{number}")
        self.random = random.Random(f"{seed}/{number}")
        self.daemon, self.marks, self.book, self.over = daemon, marks, book, over
        self.number, self.count = number, 0

    def run(self):
        try:
            while not self.over.is_set():
                self.act()
                # Knocking at a closed door would only take the processor from the others.
                wait_until(lambda: self.over.is_set() or is_listening(self.daemon.socket),
                           what="a daemon to talk to")
        except Exception as problem:  # Told by the test, which a thread cannot fail.
            with self.book.lock:
                self.book.problems.append(f"{self.name}: {problem!r}")

    def act(self):
        action = self.random.choices(["single", "array", "key", "retry", "cancel", "wait", "run"],
                                     [8, 2, 3, 2, 3, 1, 1])[0]
        if action == "cancel":
            self.cancel()
        elif action == "wait":
            self.wait()
        elif action == "run":
            self.run_in_foreground()
        else:
            self.submit(action)

    def submit(self, kind):
        self.count += 1
        code = self.random.choice([0, 0, 0, 3, 17, 41, 255]) if kind != "retry" else 9
        name = f"{kind}-{code}-{self.number}.{self.count}"
        seconds = self.random.choice([0, 0, 0.01, 0.05, 0.2, 0.5])
        stray = STRAY if self.random.random() < 0.2 else ""
        flags = ["--gpus", "0", "--name", name]
        if kind == "array":
            flags += ["--array", f"0-{self.random.randint(1, 5)}%{self.random.randint(1, 3)}"]
        if kind == "retry":
            flags += ["--retries", "2:exit", "--back-off", "0"]
        if kind == "key":
            flags += ["--key", name]
        line = JOB.format(marks=self.marks, stray=stray, seconds=seconds, code=code)
        # With a key a submission that was not answered is simply made again.
        tries = 200 if kind == "key" else 1
        for _ in range(tries):
            done = self.daemon.run("submit", *flags, "--cmd", line, check=False)
            self.note_submit(kind, name, done)
            if done.returncode == 0:
                return

    def note_submit(self, kind, name, done):
        with self.book.lock:
            self.book.tally["submits" if done.returncode == 0 else "submits cut off"] += 1
            if done.returncode not in (0, 69, 74):
                self.book.problems.append(f"submit: {done.returncode} {done.stderr}")
            if done.returncode != 0:
                return
            ids = ids_of(done.stdout)
            for job in ids:
                if job in self.book.acknowledged:
                    self.book.problems.append(f"id {job} was given to two submissions")
                self.book.acknowledged[job] = name
            if kind == "key":
                self.book.keys[name] = ids[0]

    def pick(self):
        with self.book.lock:
            known = list(self.book.acknowledged)
        return self.random.choice(known[-30:]) if known else None

    def cancel(self):
        job = self.pick()
        if job is None:
            return
        with self.book.lock:
            self.book.cancel_tried.add(job)
        done = self.daemon.run("cancel", job, "--grace", "0", "--json", check=False)
        with self.book.lock:
            self.book.tally["cancels" if done.returncode == 0 else "cancels cut off"] += 1
            if done.returncode not in (0, 69, 74):
                self.book.problems.append(f"cancel: {done.returncode} {done.stderr}")
            if done.returncode == 0 and job in json.loads(done.stdout)["changed"]:
                self.book.cancelled.add(job)

    def wait(self):
        job = self.pick()
        if job is None:
            return
        done = self.daemon.run("wait", job, "--quiet", check=False)
        # Refused at its first word is an answer; once it waits, it has to come back by itself.
        cut_off = done.returncode == 69 and "is away" not in done.stderr
        with self.book.lock:
            self.book.tally["waits cut off" if cut_off else "waits"] += 1
            if not cut_off:
                self.book.waits[job] = done.returncode

    def run_in_foreground(self):
        self.count += 1
        code = self.random.choice([0, 3, 17])
        name = f"run-{code}-{self.number}.{self.count}"
        line = JOB.format(marks=self.marks, stray="", seconds=self.random.choice([0, 0.1, 0.3]),
                          code=code)
        done = self.daemon.run("run", "--gpus", "0", "--name", name, "--cmd", line, check=False,
                               stdin=subprocess.DEVNULL)
        with self.book.lock:
            self.book.tally["runs cut off" if done.returncode == 69 else "runs"] += 1
            if done.returncode == 69:
                self.book.runs_cut_off.add(name)
            elif done.returncode != code:
                self.book.problems.append(f"{name} answered {done.returncode}: {done.stderr}")


class Killer:
    """Kills and starts again, at points drawn anew each time: also while the daemon starts."""

    def __init__(self, daemon, seed):
        self.daemon = daemon
        self.random = random.Random(f"{seed}/killer")
        self.tally = Counter()

    def kill_once(self):
        # A random point in time is what is wanted here, so there is nothing to wait for.
        moment = self.random.choice([0, 0.005, 0.02, 0.05, 0.1, 0.3]) * self.random.random() * 2
        threading.Event().wait(moment)
        target = self.random.choices(["daemon", "launcher", "both"], [6, 3, 2])[0]
        if target != "daemon":
            self.kill_launcher()
        if target != "launcher":
            self.kill_daemon()

    def kill_launcher(self):
        launcher = self.daemon.launcher()
        if launcher is None:
            return
        try:
            os.kill(launcher, signal.SIGKILL)
            self.tally["launcher"] += 1
        except ProcessLookupError:
            pass

    def kill_daemon(self):
        assert self.daemon.process.poll() is None, f"the daemon died:\n{self.daemon.log()}"
        self.daemon.kill()
        self.tally["daemon"] += 1
        self.daemon.start(wait=False)
        # Mostly it gets somewhere; sometimes it is killed while it still recovers.
        if self.random.random() < 0.8:
            wait_until(self.daemon.answers, what="an answer after a kill")


def run_storm(daemon, marks, seed, kills):
    book, over = Book(), threading.Event()
    clients = [Client(n, seed, daemon, marks, book, over) for n in range(CLIENTS)]
    killer = Killer(daemon, seed)
    for client in clients:
        client.start()
    try:
        while killer.tally.total() < kills and not book.problems:
            killer.kill_once()
    finally:
        over.set()
        wait_until(daemon.answers, what="the daemon after the last kill")
        for client in clients:
            client.join(timeout=60)
    return book, killer.tally


def read_marks(marks):
    """job -> attempts that ran, in order."""
    ran = defaultdict(list)
    for path in marks.iterdir():
        for line in path.read_text().splitlines():
            job, attempt = map(int, line.split())
            ran[job].append(attempt)
    return ran


def check_job(job, ran, book):
    """What is wrong with this job, in words."""
    kind, code = job["name"].split("-")[:2]
    number, state, runs = job["id"], job["state"], len(ran)
    if len(set(ran)) != runs:
        yield f"double run: job {number} ran attempts {ran}"
    if state == "cancelled":
        if number not in book.cancel_tried:
            yield f"job {number} is cancelled, and nobody asked for it"
        return
    if number in book.cancelled:
        yield f"lost acknowledgement: the cancel of job {number} was confirmed, it is {state}"
    if job["name"] in book.runs_cut_off:
        return
    wanted = 3 if kind == "retry" else 1
    if runs != wanted:
        yield f"{'lost' if runs < wanted else 'double'} run: job {number} ran {runs} times"
    if job["exit_code"] != int(code) or state != ("completed" if code == "0" else "failed"):
        yield (f"lost exit code: job {number} should have ended with {code}, is {state} with "
               f"{job['exit_code']}, cause {job['cause']}, {job['message']}")


def verdict(book, jobs, ran):
    known = {job["id"]: job for job in jobs}
    wrong = list(book.problems)
    for number, name in book.acknowledged.items():
        if number not in known or known[number]["name"] != name:
            wrong.append(f"lost acknowledgement: job {number} {name}")
    names = Counter(job["name"] for job in jobs if job["name"].startswith("key-"))
    wrong += [f"key {name} made {count} jobs" for name, count in names.items() if count != 1]
    for number in ran.keys() - known.keys():
        wrong.append(f"job {number} ran and is not known")
    for job in jobs:
        wrong += check_job(job, ran.get(job["id"], []), book)
    for number, code in book.waits.items():
        job = known[number]
        wanted = 130 if job["state"] == "cancelled" else job["exit_code"]
        if code != wanted:
            wrong.append(f"wait for job {number} answered {code} instead of {wanted}")
    return wrong


def leftovers(daemon, mark):
    """Processes and control groups of jobs, all of which have ended."""
    # Its own programs, the launcher and the sampler, and the shim that waits for its turn.
    ours = {daemon.process.pid, *processes.children_of(daemon.process.pid),
            *processes.named("gpusched-spare")}
    found = [f"process {pid}: {processes.words_of(pid)}"
             for pid in processes.with_environment(mark) if pid not in ours]
    found += [f"supervisor {pid}" for pid in processes.with_word(daemon.state) if pid not in ours]
    if daemon.cgroup() is not None:
        found += [f"group {path}" for path in (daemon.cgroup() / "jobs").iterdir() if path.is_dir()]
    return found


def test_kill_storm(release_programs, long_run, tmp_path, capsys):
    seed = int(os.environ.get("GPUSCHED_STORM_SEED", random.SystemRandom().randrange(1 << 32)))
    kills = KILLS_LONG if long_run else KILLS
    marks, mark = tmp_path / "marks", f"GPUSCHED_STORM={uuid.uuid4()}"
    marks.mkdir()
    begin = time.monotonic()
    daemon = LiveDaemon(release_programs, sim="1x8G", config=CONFIG)
    daemon.extra_environment = dict([mark.split("=")])
    with daemon:
        book, killed = run_storm(daemon, marks, seed, kills)
        stormed = time.monotonic() - begin
        daemon.run("wait", "--all", "--quiet", "--timeout", "120", check=False)
        jobs = daemon.jobs()
        open_jobs = [j for j in jobs if j["state"] not in ("completed", "failed", "cancelled")]
        wrong = [f"job {j['id']} never ended: {j['state']}" for j in open_jobs]
        wrong += verdict(book, [j for j in jobs if j not in open_jobs], read_marks(marks))
        with capsys.disabled():
            print(f"\nkill storm, seed {seed}: {stormed:.0f} s, killed {dict(killed)}, "
                  f"{len(jobs)} jobs, {Counter(j['state'] for j in jobs)}, {dict(book.tally)}, "
                  f"{len(wrong)} wrong")
        assert not wrong, f"seed {seed}\n" + "\n".join(wrong[:40]) + f"\n{daemon.log()[-4000:]}"
        try:
            # The shim of a `run` whose client never came waits 30 s for it.
            wait_until(lambda: not leftovers(daemon, mark), 45, "an empty machine")
        except AssertionError:
            pytest.fail(f"seed {seed}: left over: {leftovers(daemon, mark)}")
