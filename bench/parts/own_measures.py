"""The measures of gpusched alone: large queues, memory, and what one turn costs."""
import json
import multiprocessing
import os
import re
import subprocess
import time

from parts.measures import Result
from parts.timing import median, share, timed_run

KIB, MIB = 1024, 1024 * 1024


def _bother(path, stop, answers):
    """Another client meanwhile: alternately reads the overview and submits one job."""
    from parts.api import Api
    api = Api(path)
    body = json.dumps({"command": ["true"], "working_directory": "/", "hold": True,
                       "environment": ["PATH=/usr/bin:/bin"]}).encode()
    reads, submits = [], []
    while not stop.is_set():
        for method, target, data, taken in (("GET", "/v1/overview?waiting=20", b"", reads),
                                            ("POST", "/v1/jobs", body, submits)):
            start = time.monotonic_ns()
            api.raw(method, target, data)
            taken.append((time.monotonic_ns() - start) / 1e6)
        time.sleep(0.001)
    answers.put((reads, submits))


def _with_another_client(system, work):
    """(seconds that `work` took, the other client's reads, its submits)."""
    stop, answers = multiprocessing.Event(), multiprocessing.Queue()
    other = multiprocessing.Process(target=_bother, args=(system.socket, stop, answers))
    other.start()
    time.sleep(0.3)
    start = time.monotonic()
    work()
    taken = time.monotonic() - start
    time.sleep(0.2)  # What a large submission leaves to be done counts too.
    stop.set()
    reads, submits = answers.get(timeout=60)
    other.join(60)
    return taken, reads, submits


def batch_submit(field, stamps):
    """Many jobs through the API in one request, in both forms, with another client beside."""
    del stamps
    count = field.scale(100_000, 20_000)
    system = field.make_gpusched(field.place("gpusched"), 1)
    system.begin()
    system.close_gate()
    first_line = json.dumps(system.body(["train", "{lr}"], key="lines")).encode()
    lines = b"\n".join([first_line, *(b'{"values":{"lr":"%d"}}' % i for i in range(count))])
    array = json.dumps(system.body(["train"], key="array",
                                   array={"indices": f"1-{count}"})).encode()
    forms = (("an array", array, "application/json"), ("NDJSON tasks", lines,
                                                       "application/x-ndjson"))
    for name, body, kind in forms:
        measure = f"batch submit of {count:,} jobs as {name}"
        api = system.api()
        alone, reads, submits = _with_another_client(
            system, lambda: api.raw("POST", "/v1/jobs", body, kind))
        start = time.monotonic()
        again = json.loads(api.raw("POST", "/v1/jobs", body, kind))
        repeat_ms = (time.monotonic() - start) * 1e3
        api.close()
        yield Result(measure, "gpusched", count / alone, "jobs/s", "durable, with the other client",
                     1, "≥ 50,000 jobs/s")
        yield Result(measure, "other client's reads: worst", max(reads), "ms",
                     f"median {median(reads):.2f} ms", len(reads), "≤ 20 ms")
        yield Result(measure, "other client's submits: worst", max(submits), "ms",
                     f"median {median(submits):.2f} ms, p99 {share(submits, 0.99):.1f} ms",
                     len(submits), "≤ 20 ms")
        yield Result(measure, "the same key again", repeat_ms, "ms",
                     "repeated" if again["repeated"] else "NOT repeated", 1)
    yield from _lists(field, system, count * 2)
    system.end()


def _lists(field, system, queued):
    rounds = field.scale(7, 3)
    newest = [system.client, "status", "--json", "--limit", str(queued // 2)]
    listing = [timed_run(newest, system.env) for _ in range(rounds)]
    plain = [timed_run([system.client, "status"], system.env) for _ in range(field.scale(100, 20))]
    yield Result("list", f"gpusched, {queued // 2:,} jobs --json", median(listing), "ms",
                 f"of {queued:,} queued", rounds, "≤ 500 ms")
    yield Result("list", "gpusched, default status", median(plain), "ms", f"of {queued:,} queued",
                 len(plain), "≤ 10 ms")


def _submit_many(path, first, count):
    from parts.api import Api
    api = Api(path)
    for i in range(first, first + count):
        body = {"command": ["python", "train.py", "--run", str(i)], "gpus": 1,
                "working_directory": "/home/somebody/project", "name": f"run-{i}",
                "environment": ["PATH=/usr/bin:/bin", "HOME=/home/somebody"]}
        api.raw("POST", "/v1/jobs", json.dumps(body).encode())


def memory(field, stamps):
    """Resident memory of the daemon: idle, and for each queued job on top."""
    del stamps
    count = field.scale(100_000, 20_000)
    for form in ("array", "sweep", "separate"):
        system = field.make_gpusched(field.place("gpusched"), 1)
        system.begin()
        time.sleep(0.5)
        idle = system.rss_bytes()
        if form == "array":
            yield Result("daemon memory", "gpusched, idle", idle / MIB, "MiB", "", 1, "≤ 20 MiB")
        system.close_gate()
        before = system.rss_bytes()
        start = time.monotonic()
        if form == "array":
            system.fill(count, ["/bin/true"])
        elif form == "sweep":
            api = system.api()
            first = json.dumps(system.body(["train", "{lr}", "{seed}"])).encode()
            api.raw("POST", "/v1/jobs", b"\n".join(
                [first, *(b'{"values":{"lr":"0.%d","seed":"%d"}}' % (i, i) for i in range(count))]),
                "application/x-ndjson")
            api.close()
        else:
            clients = [multiprocessing.Process(target=_submit_many,
                                               args=(system.socket, i * count // 8, count // 8))
                       for i in range(8)]
            for client in clients:
                client.start()
            for client in clients:
                client.join(600)
        taken = time.monotonic() - start
        time.sleep(1)
        each = (system.rss_bytes() - before) / count
        words = {"array": "jobs of one array", "sweep": "jobs of a sweep of two parameters",
                 "separate": "separate jobs, each with its own command and name"}[form]
        note = f"{count:,} jobs"
        if form == "separate":
            note += f"; 8 clients submitted {count / taken:,.0f} jobs/s, durably, one by one"
        yield Result("daemon memory", f"gpusched, {words}", each / KIB, "KiB per job", note, 1,
                     "≤ 1.5 KiB")
        system.end()


def turn(field, stamps):
    """CPU time of a turn in which one job ends and one starts (bench/decide_bench)."""
    del stamps
    program = os.path.join(os.path.dirname(field.bare), "decide_bench")
    if not os.path.exists(program):
        field.say("decide_bench is not built: the turn is left out (cmake --build --preset bench)")
        return
    jobs = field.scale(100_000, 20_000)
    done = subprocess.run([program, str(jobs), "64"], capture_output=True, text=True, check=False,
                          timeout=600)
    if done.returncode != 0:
        field.say(f"decide_bench: {done.stderr.strip() or done.returncode}")
        return
    for line in done.stdout.splitlines():
        name, p50, p99, most = re.match(
            r"(.*?)\s+p50\s+([\d.]+) us\s+p99\s+([\d.]+) us\s+max\s+([\d.]+)", line).groups()
        yield Result(f"turn at {jobs:,} pending × 64 cards, CPU p99", name, float(p99), "µs",
                     f"p50 {float(p50):.0f} µs, max {float(most):.0f} µs", 2000, "≤ 200 µs")
