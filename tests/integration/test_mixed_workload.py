"""200 jobs of mixed needs on two cards, half of them saying nothing: shared by what is known of them,
against one job per card. The simulated driver counts memory and compute as real ones do."""

import random
from datetime import datetime

from live_daemon import LiveDaemon, wait_until

GIB = 1 << 30
MIB = 1 << 20
CONFIG = """
jobs: {grace: 2s, retry_back_off: 1s}
host: {cpus: 1000}
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 2000}
scheduling: {ramp: 2s, load_fall: 1s, sharing: %s}
"""


def workload(seed=4):
    """(declared or None, true MiB, utilisation, seconds, signature): the same for everybody."""
    draw = random.Random(seed)
    signatures = [(draw.randint(1, 20), draw.randint(10, 40)) for _ in range(10)]
    jobs = []
    for number in range(200):
        seconds = draw.choice([0.3, 0.4, 0.5, 0.6])
        if number % 2 == 0:
            signature = draw.randrange(10)
            gib, util = signatures[signature]
            jobs.append((None, int(gib * 1024 * draw.uniform(0.9, 1.0)), util, seconds, signature))
        else:
            gib = draw.randint(1, 20)
            jobs.append((gib, int(gib * 1024 * draw.uniform(0.6, 1.0)), draw.randint(10, 40),
                         seconds, None))
    return jobs


def play(programs, sharing):
    """Runs all of it; from the first start to the last end, and the jobs as they ended."""
    with LiveDaemon(programs, config=CONFIG % sharing, sim="2x80G") as daemon:
        simjob = programs / "gpusched-simjob"
        for declared, mib, util, seconds, signature in workload():
            need = ["--vram", f"{declared}G"] if declared else []
            # One program per signature, as a user would have; what it is told varies.
            name = daemon.directory / f"train_{'abcdefghij'[signature]}" if signature is not None \
                else simjob
            if not name.exists():
                name.symlink_to(simjob)
            daemon.submit("--hold", "--retries", "2", *need, "--", name, "--vram", str(mib * MIB),
                          "--util", str(util), "--seconds", str(seconds), "--step-ms", "20")
        daemon.run("release", "--all")
        wait_until(lambda: all(job["ended_at"] for job in daemon.jobs()), 300, "the end of all")
        jobs = [daemon.job(job["id"]) for job in daemon.jobs()]
    first = min(job["started_at"] for job in jobs)
    last = max(job["ended_at"] for job in jobs)
    took = datetime.fromisoformat(last[:-1]) - datetime.fromisoformat(first[:-1])
    return took.total_seconds(), jobs


def test_sharing_by_what_is_known_kills_nobody(programs, long_run, record_property):
    shared, jobs = play(programs, "on")
    assert [job["state"] for job in jobs] == ["completed"] * 200
    # One per card takes at least this; a long run measures it.
    alone = sum(seconds for _, _, _, seconds, _ in workload()) / 2
    if long_run:
        alone, _ = play(programs, "off")
    deaths = sum(job["failures"] for job in jobs)
    learning = sum(1 for job in jobs if job["estimate"]["held_vram_bytes"] >= 79 * GIB)
    figures = {"shared_s": shared, "one_per_card_s": alone, "ratio": shared / alone,
               "learning_runs": learning, "out_of_memory_deaths": deaths}
    for name, value in figures.items():
        record_property(name, round(value, 3))
    print(f"\n{figures}")
    assert deaths == 0
