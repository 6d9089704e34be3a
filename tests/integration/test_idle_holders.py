"""Idle holders on the real daemon with the simulated driver: a notebook-like process that holds VRAM
without using it leaves for whoever waits, and comes back when it is asked for, or wants to go on."""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime, timezone

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

IDLE = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M, idle_after: 1s}
"""
GIB = 1 << 30

# A notebook in small: it has memory on a card, ticks twenty times a second, and does as its lines say.
NOTEBOOK = """
import ctypes, mmap, os, select, sys, time
# It looks like PyTorch, which is known to live on while it is aside.
library = os.memfd_create("libtorch_cuda.so")
os.ftruncate(library, mmap.PAGESIZE)
mapped = mmap.mmap(library, mmap.PAGESIZE)
cuda = ctypes.CDLL("libcuda.so.1")
def take(gib):
    address = ctypes.c_uint64()
    return cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(gib << 30))
context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
assert take(int(sys.argv[1])) == 0
print("ready", flush=True)
while True:
    ready, _, _ = select.select([sys.stdin], [], [], 0.05)
    if not ready:
        sum(range(200))
        continue
    word = sys.stdin.readline().strip()
    if word == "":
        break
    if word == "cell":
        print("cell", take(1), flush=True)
    elif word == "compute":
        until = time.monotonic() + 60
        while time.monotonic() < until and not os.path.exists(sys.argv[2]):
            pass
        print("computed", flush=True)
"""


class Notebook:
    """Holds a lease as `gpusched lease -- COMMAND` does."""

    def __init__(self, lab, gib=8, flags=()):
        self.lab = lab
        self.stop_file = lab.directory / f"stop-{len(lab.notebooks)}"
        self.process = subprocess.Popen(
            [lab.programs / "gpusched", "lease", "--vram", f"{gib + 2}G", *flags, "--", sys.executable,
             "-c", NOTEBOOK, str(gib), str(self.stop_file)], env=lab.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lab.notebooks.append(self)
        assert self.line() == "ready"
        found = lab.http("GET", "/v1/leases").json()["leases"]
        self.lease = next(one["id"] for one in found if one["pid"] == self.process.pid)

    def line(self):
        return self.process.stdout.readline().strip()

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=IDLE, sim="1x24G") as daemon:
        daemon.notebooks = []
        daemon.simjob = programs / "gpusched-simjob"
        daemon.simworld = programs / "gpusched-simworld"
        yield daemon
        for notebook in daemon.notebooks:
            notebook.close()


def worker(lab, seconds="600", *flags):
    return lab.submit("--vram", "20G", *flags, "--", lab.simjob, "--vram", "19G", "--util", "50",
                      "--ramp", "0s", "--seconds", seconds)


def aside(lab, seconds="600"):
    """A notebook that is aside for a job, which runs."""
    notebook = Notebook(lab)
    job = worker(lab, seconds)
    lab.wait_for(notebook.lease, "paused")
    lab.wait_for(job, "running", "completed")
    return notebook, job


def know_its_habits(lab, job):
    """It has been looked at a few times since it went."""
    def seconds():
        gone = datetime.fromisoformat(lab.job(job)["aside"]["since"])
        return (datetime.now(timezone.utc) - gone).total_seconds()
    wait_until(lambda: seconds() > 4, what="a few looks")


def trail(lab, job):
    return [line["text"] for line in lab.http("GET", f"/v1/jobs/{job}/events").json()["events"]]


def has_returned(lab, job):
    """Once; with somebody waiting it may be gone again, as it sits idle."""
    return wait_until(lambda: any("goes on where it was" in text for text in trail(lab, job)),
                      what="its return")


def test_an_idle_lease_leaves_for_a_job_and_returns_when_nobody_waits(lab):
    notebook, job = aside(lab, "2")
    away = lab.job(notebook.lease)
    assert away["aside"]["mechanism"] == "checkpoint"
    assert away["aside"]["idle"]
    assert away["aside"]["host_bytes"] >= 8 * GIB
    assert away["aside"]["for"] == job
    card = lab.http("GET", "/v1/gpus").json()["cards"][0]
    assert [one["job"] for one in card["aside"]] == [notebook.lease]
    assert "Aside from card 0: job" in lab.run("gpus").stdout
    assert "when it is used" in lab.run("explain", notebook.lease).stdout
    assert notebook.process.poll() is None
    stat = open(f"/proc/{notebook.process.pid}/stat").read()
    assert stat.rsplit(")", 1)[1].split()[0] in "SRD", "it is not stopped"
    assert lab.ended(job)["state"] == "completed"
    lab.wait_for(notebook.lease, "running")
    notebook.tell("cell")
    assert notebook.line() == "cell 0"
    assert any("does not use its cards" in text for text in trail(lab, notebook.lease))


def test_who_waits_goes_before_it_until_it_is_asked_for(lab):
    notebook, first = aside(lab)
    second = worker(lab)
    lab.run("cancel", first)
    lab.wait_for(second, "running")
    assert lab.job(notebook.lease)["state"] == "paused"
    third = worker(lab)
    lab.run("resume", notebook.lease)
    lab.run("cancel", second)
    has_returned(lab, notebook.lease)
    lab.run("cancel", third)


def test_the_holders_call_waits_until_it_is_back(lab):
    notebook, job = aside(lab)
    answer = lab.http("POST", f"/v1/leases/{notebook.lease}/resume?wait_ms=200").json()["lease"]
    assert answer["state"] == "paused", "there is no room yet"
    assert "room" in answer["reason"]
    client = subprocess.Popen([lab.programs / "gpusched", "lease", "resume", str(notebook.lease)],
                              env=lab.environment(), stderr=subprocess.PIPE, text=True)
    lab.run("cancel", job)
    assert client.wait(30) == 0
    assert "on its cards" in client.stderr.read()
    client.stderr.close()
    assert lab.job(notebook.lease)["state"] == "running"
    again = lab.http("POST", f"/v1/leases/{notebook.lease}/resume?wait_ms=20000").json()["lease"]
    assert again["state"] == "running", "at once"


def test_a_call_to_the_card_brings_it_back(lab):
    notebook, first = aside(lab)
    second = worker(lab)
    know_its_habits(lab, notebook.lease)
    notebook.tell("cell")
    wait_until(lambda: any("active again" in text for text in trail(lab, notebook.lease)),
               what="its activity to be noticed")
    lab.run("cancel", first)
    assert notebook.line() == "cell 0", "it went on where it was"
    has_returned(lab, notebook.lease)
    lab.run("cancel", second)


def test_computing_without_the_card_does_not_bring_it_back(lab):
    notebook, first = aside(lab)
    second = worker(lab, "8")
    notebook.tell("compute")
    lab.run("cancel", first)
    assert lab.ended(second, 60)["state"] == "completed", "it went first"
    notebook.stop_file.touch()
    assert notebook.line() == "computed", "it worked while it was aside"
    assert not any("active again" in text for text in trail(lab, notebook.lease))


def test_ticking_alone_does_not_bring_it_back(lab):
    notebook, first = aside(lab)
    second = worker(lab, "12")
    lab.run("cancel", first)
    assert lab.ended(second, 60)["state"] == "completed", "all that time it only ticked"
    lab.wait_for(notebook.lease, "running")
    assert not any("active again" in text for text in trail(lab, notebook.lease))


def test_an_idle_job_stays_awake_and_returns_when_it_goes_on(lab):
    fifo = lab.directory / "lines"
    os.mkfifo(fifo)
    job = lab.submit("--vram", "10G", "--", "sh", "-c",
                     f"exec {sys.executable} -c '{NOTEBOOK}' 8 /nowhere < {fifo}")
    lines = open(fifo, "w", buffering=1)
    lab.wait_for(job, "running")
    wait_until(lambda: b"ready" in lab.logs(job), what="its memory")
    first = worker(lab)
    lab.wait_for(job, "paused")
    assert lab.job(job)["aside"]["idle"]
    second = worker(lab)
    lab.wait_for(first, "running")
    know_its_habits(lab, job)
    lines.write("cell\n")
    wait_until(lambda: any("active again" in text for text in trail(lab, job)),
               what="its activity to be noticed")
    lab.run("cancel", first)
    has_returned(lab, job)
    wait_until(lambda: b"cell 0" in lab.logs(job), what="its cell")
    lab.run("cancel", second, job)
    lines.close()


def test_kill_9_of_the_daemon_while_it_is_aside(lab):
    notebook, job = aside(lab)
    lab.kill()
    lab.start()
    assert lab.job(notebook.lease)["state"] == "paused"
    lab.run("resume", notebook.lease)
    lab.run("cancel", job)
    lab.wait_for(notebook.lease, "running", seconds=60)
    notebook.tell("cell")
    assert notebook.line() == "cell 0"


@pytest.mark.parametrize("step", ["begun", "locked:1", "checkpointed:1", "restored:1", "unlocked:1"])
def test_kill_9_of_the_daemon_on_the_way(lab, step):
    out = step.split(":")[0] in ("begun", "locked", "checkpointed")
    call = {"begun": "cuCheckpointProcessLock", "locked": "cuCheckpointProcessCheckpoint",
            "checkpointed": "cuCheckpointProcessGetState", "restored": "cuCheckpointProcessRestore",
            "unlocked": "cuCheckpointProcessUnlock"}[step.split(":")[0]]
    world = lab.state / "sim-world"
    if out:
        notebook = Notebook(lab)
        subprocess.run([lab.simworld, "set", world, f"slow={call}:1s"], check=True)
        job = worker(lab)
        lab.wait_for(notebook.lease, "pausing", "paused")
    else:
        notebook, job = aside(lab)
        lab.run("resume", notebook.lease)
        subprocess.run([lab.simworld, "set", world, f"slow={call}:1s"], check=True)
        lab.run("cancel", job)
        lab.wait_for(notebook.lease, "resuming", "running")
    lab.kill()
    subprocess.run([lab.simworld, "set", world, "clear=faults"], check=True)
    lab.start()
    if out:
        lab.wait_for(job, "running", seconds=60)
        lab.run("resume", notebook.lease, check=False)
        lab.run("cancel", job)
    lab.wait_for(notebook.lease, "running", seconds=60)
    notebook.tell("cell")
    assert notebook.line() == "cell 0"


def test_a_holder_that_dies_aside_ends_its_lease(lab):
    notebook, job = aside(lab)
    notebook.process.kill()
    ended = lab.ended(notebook.lease)
    assert (ended["state"], ended["cause"]) == ("completed", "exit")
    assert lab.job(job)["state"] == "running"
    assert "aside" not in lab.http("GET", "/v1/gpus").json()["cards"][0]


def test_a_lease_released_aside_comes_back_first(lab):
    notebook, job = aside(lab)
    lab.run("lease", "release", notebook.lease)
    assert lab.job(notebook.lease)["state"] == "paused"
    lab.run("cancel", job)
    assert lab.ended(notebook.lease)["state"] == "completed"
    notebook.tell("cell")
    assert notebook.line() == "cell 0", "its process lives on, without a lease"


def test_pause_and_resume_of_a_lease_by_hand(lab):
    notebook = Notebook(lab)
    lab.run("pause", notebook.lease)
    lab.wait_for(notebook.lease, "paused")
    notebook.tell("cell")
    other = lab.submit("--vram", "20G", "--", lab.simjob, "--vram", "19G", "--seconds", "1")
    assert lab.ended(other)["state"] == "completed"
    assert lab.job(notebook.lease)["state"] == "paused", "it was paused by hand"
    lab.run("resume", notebook.lease)
    assert notebook.line() == "cell 0"
    lab.wait_for(notebook.lease, "running")


def test_never_means_never(lab):
    notebook = Notebook(lab, flags=["--preempt", "never"])
    job = worker(lab)
    wait_until(lambda: any(one.get("idle_since")
                           for one in lab.http("GET", "/v1/gpus").json()["cards"][0]["processes"]),
               what="its idleness to be seen")
    explained = json.loads(lab.run("explain", job, "--json").stdout)
    assert explained["reasons"][0]["code"] == "cards"
    assert lab.job(notebook.lease)["moves"] == 0
    lab.run("cancel", job)


def test_what_the_driver_will_not_move_stays(lab):
    subprocess.run([lab.simworld, "set", lab.state / "sim-world", "return=cuCheckpointProcessLock:801"],
                   check=True)
    notebook = Notebook(lab)
    job = worker(lab)
    def refusals():
        return [text for text in trail(lab, notebook.lease) if "could not be moved" in text]
    wait_until(refusals, what="a move that fails")
    lab.wait_for(job, "queued")
    refused = lab.run("pause", notebook.lease, check=False)
    assert "does not move its process" in refused.stdout + refused.stderr
    assert len(refusals()) == 1, "it is not tried again"
    lab.run("cancel", job)


def test_a_stopped_holder_is_left_alone_and_tried_again(lab):
    notebook = Notebook(lab)
    os.kill(notebook.process.pid, signal.SIGSTOP)
    job = worker(lab)
    wait_until(lambda: any("stopped" in text for text in trail(lab, notebook.lease)),
               what="the refusal")
    os.kill(notebook.process.pid, signal.SIGCONT)
    lab.wait_for(notebook.lease, "paused", seconds=60)
    lab.run("cancel", job)
