"""The measures that run the same work through several queues, interleaved: what else the machine
does then hits all of them alike."""
import os
import subprocess
import time

from parts.timing import LONGEST_WAIT_S, Stuck, median, spawn, timed_run, wait


NO_CLIENT = "it has no command line"
NO_GATE = "it has no way to hold jobs back on a machine without cards"


class Result:
    """One line of the table."""

    def __init__(self, measure, who, value, unit, note="", samples=0, target=""):
        self.measure, self.who, self.value, self.unit = measure, who, value, unit
        self.note, self.samples, self.target = note, samples, target


class Field:
    """All that the measures need: where programs are, which queues take part, how long to go on."""

    def __init__(self, bare, directory, make_gpusched, peers, scale, say):
        self.bare, self.directory, self.scale, self.say = bare, directory, scale, say
        self.make_gpusched, self.peers = make_gpusched, peers
        self.serial = 0

    def place(self, name):
        self.serial += 1
        path = os.path.join(self.directory, f"{self.serial}{name[:2]}")
        os.makedirs(path)
        return path

    def all_started(self, slots):
        """gpusched first, then every peer that comes up."""
        started = []
        for kind in [self.make_gpusched, *self.peers]:
            name = getattr(kind, "name", "gpusched")
            system = kind(self.place(name), slots)
            try:
                system.begin()
                started.append(system)
            except (Stuck, OSError, subprocess.SubprocessError) as problem:
                self.say(f"{name} is left out here: {problem}")
                system.end()
        return started


def stop_all(systems):
    for system in systems:
        system.end()


def floor_ms(field, stamps, sync_file, env):
    """Two process starts with one durable write between them: nobody who runs a client, keeps the
    job on disk and then starts it can be faster. The write goes over bytes that are there already,
    which is the cheapest that can be synced."""
    start = time.monotonic_ns()
    wait(spawn(["/bin/true"], env))
    os.pwrite(sync_file, b"x" * 4096, 0)
    os.fdatasync(sync_file)
    pid = spawn([field.bare, "stamp", stamps.path], env)
    first, _ = stamps.next()
    wait(pid)
    return (first - start) / 1e6


def submit_to_start(field, stamps):
    """Command-line submit until the first instruction of the job, nothing else queued."""
    measure = "submit → first instruction"
    systems = field.all_started(1)
    sync_file = os.open(os.path.join(field.directory, "sync"), os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(sync_file, b"-" * 4096)
    os.fsync(sync_file)
    env = {"PATH": os.environ["PATH"]}
    taken = {system.name: [] for system in systems}
    floor, spent = [], {system.name: 0.0 for system in systems}
    stamps.clear()
    for _ in range(field.scale(200, 20)):
        floor.append(floor_ms(field, stamps, sync_file, env))
        for system in list(systems):
            if spent[system.name] > field.scale(40, 15):
                continue
            began = time.monotonic_ns()
            try:
                pid = spawn(system.submit_argv([field.bare, "stamp", stamps.path]), system.env)
                first, _ = stamps.next(20)
                wait(pid)
            except (Stuck, NotImplementedError) as problem:
                field.say(f"{system.name}: {str(problem) or NO_CLIENT}")
                spent[system.name] = 1e9
                continue
            taken[system.name].append((first - began) / 1e6)
            time.sleep(0.01)  # Everybody may finish what the end of a job brings.
            spent[system.name] += (time.monotonic_ns() - began) / 1e9
    os.close(sync_file)
    stop_all(systems)
    yield Result(measure, "floor: /bin/true, fdatasync, the job", median(floor), "ms",
                 samples=len(floor))
    for system in systems:
        if not taken[system.name]:
            continue
        yield Result(measure, system.name, median(taken[system.name]), "ms",
                     "durable" if system.durable else "keeps nothing on disk",
                     len(taken[system.name]),
                     "≤ 1.25 × task-spooler, ≤ 1/20 pueue, ≤ 1.3 × floor"
                     if system.name == "gpusched" else "")


def submit_at_depth(field, stamps):
    """Command-line submit until the client has ended, with so many jobs queued."""
    del stamps
    measure = "submit latency with N queued"
    depths = [0, 1000, 10_000, field.scale(100_000, 20_000)]
    stations = []
    for depth in depths:
        stations.append((field.make_gpusched(field.place("gpusched"), 1), depth))
    for peer in field.peers:
        stations.append((peer(field.place(peer.name), 1), 0))
        stations.append((peer(field.place(peer.name), 1), min(peer.most_queued, 1000)))
    ready = []
    for system, depth in stations:
        try:
            system.begin()
            system.close_gate()
            system.fill(depth, ["/bin/true"])
            ready.append((system, depth, []))
        except (Stuck, NotImplementedError, OSError, subprocess.SubprocessError) as problem:
            field.say(f"{system.name} with {depth} queued is left out: {str(problem) or NO_GATE}")
            system.end()
    given_up = set()
    for _ in range(field.scale(100, 15)):
        for system, depth, taken in ready:
            if sum(taken) > 20_000 or system in given_up:
                continue
            try:
                taken.append(system.timed_submit(["/bin/true"]))
            except (Stuck, NotImplementedError) as problem:
                field.say(f"{system.name} with {depth} queued: {str(problem) or NO_CLIENT}")
                given_up.add(system)
    for system, depth, taken in ready:
        system.end()
        if not taken:
            continue
        target = "≤ 1.3 × empty" if system.name == "gpusched" and depth == depths[-1] else ""
        yield Result(measure, f"{system.name}, {depth:,}", median(taken), "ms", "", len(taken),
                     target)


def freed_to_next(field, stamps):
    """From the last instruction of a job to the first of the next, on one card."""
    measure = "freed slot → next start"
    for system in field.all_started(1):
        count = min(field.scale(300, 50), system.most_queued)
        count = {"pueue": 60, "gflow": 20, "Slurm": 30}.get(system.name, count)
        stamps.clear()
        gaps = []
        try:
            system.close_gate()
            for _ in range(count):
                system.submit([field.bare, "stamp", stamps.path])
            system.open_gate()
            times = sorted(stamps.next(LONGEST_WAIT_S) for _ in range(count))
            gaps = [(after[0] - before[1]) / 1e6 for before, after in zip(times, times[1:])]
        except (Stuck, NotImplementedError, OSError, subprocess.SubprocessError) as problem:
            field.say(f"{system.name} is left out here: {str(problem) or NO_GATE}")
        system.end()
        if gaps:
            yield Result(measure, system.name, median(gaps), "ms", "", len(gaps),
                         "≤ 2 ms" if system.name == "gpusched" else "")


def bare_rate(field, count):
    done = subprocess.run([field.bare, "loop", str(count), "2", "/bin/true"], check=True,
                          capture_output=True, text=True, timeout=300)
    return count / float(done.stdout)


def drain_rate(system, count, field, stamps):
    """Jobs per second from the opening of the gate to the start of the last job."""
    stamps.clear()
    system.close_gate()
    system.fill(count, ["/bin/true"])
    system.submit([field.bare, "stamp", stamps.path])
    start = time.monotonic_ns()
    system.open_gate()
    first, _ = stamps.next(600)
    return count / ((first - start) / 1e9)


def drain(field, stamps):
    """`true` many times, two at a time; the bare loop before and after."""
    measure = "drain of `true` jobs, 2 at a time"
    rates, bare = {}, []
    whole = field.scale(5000, 500)
    for _ in range(field.scale(3, 1)):
        bare.append(bare_rate(field, whole))
        for system in field.all_started(2):
            count = {"gpusched": whole, "task-spooler": 800, "pueue": 100, "gflow": 10, "Slurm": 50,
                     "HyperQueue": 500}[system.name]
            try:
                rate = drain_rate(system, count, field, stamps)
                rates.setdefault(system.name, []).append((rate, count, system.durable))
            except (Stuck, NotImplementedError, OSError, subprocess.SubprocessError) as problem:
                field.say(f"{system.name} is left out here: {str(problem) or NO_GATE}")
            system.end()
        bare.append(bare_rate(field, whole))
    yield Result(measure, "bare loop: posix_spawn and wait", median(bare), "jobs/s",
                 f"{whole:,} jobs", len(bare))
    for name, runs in rates.items():
        _, count, durable = runs[0]
        kept = "durable" if durable else "keeps nothing on disk"
        yield Result(measure, name, median([run[0] for run in runs]), "jobs/s",
                     f"{kept}, {count:,} jobs", len(runs),
                     "≥ 40 % of the bare loop" if name == "gpusched" else "")


def singles_rate(system, count, field, stamps):
    """Jobs per second, each submitted by a client of its own, until the last of them has ended."""
    stamps.clear()
    start = time.monotonic_ns()
    for _ in range(count):
        system.submit(["/bin/true"])
    system.submit([field.bare, "stamp", stamps.path])
    first, _ = stamps.next(LONGEST_WAIT_S)
    return count / ((first - start) / 1e9)


def singles(field, stamps):
    """One submit after another on one card, until all have ended."""
    measure = "single submits with their ends"
    rates = {}
    for _ in range(field.scale(3, 1)):
        for system in field.all_started(1):
            count = {"pueue": 50, "gflow": 10, "Slurm": 50}.get(system.name, field.scale(800, 100))
            try:
                if system.name == "HyperQueue":
                    system.open_gate()
                rates.setdefault(system.name, []).append(singles_rate(system, count, field, stamps))
            except (Stuck, NotImplementedError, OSError, subprocess.SubprocessError) as problem:
                field.say(f"{system.name} is left out here: {problem}")
            system.end()
    for name, runs in rates.items():
        yield Result(measure, name, median(runs), "jobs/s",
                     "without a client" if name == "HyperQueue" else "", len(runs),
                     "≥ 0.9 × task-spooler" if name == "gpusched" else "")


def client_start(field, stamps):
    """`gpusched --version` against /bin/true."""
    del stamps
    env = {"PATH": os.environ["PATH"]}
    client = os.path.join(field.make_gpusched(field.place("gpusched"), 1).programs, "gpusched")
    plain, ours = [], []
    for _ in range(field.scale(500, 50)):
        plain.append(timed_run(["/bin/true"], env))
        ours.append(timed_run([client, "--version"], env))
    yield Result("client start-up", "/bin/true", median(plain), "ms", "", len(plain))
    yield Result("client start-up", "gpusched", median(ours), "ms", "gpusched --version", len(ours),
                 "≤ 1.5 × /bin/true")
