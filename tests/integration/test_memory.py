"""What very many jobs took is given back when they are gone. Release build: a sanitizer keeps memory."""

import re
from pathlib import Path

from live_daemon import ROOMY, LiveDaemon, wait_until

JOBS = 150_000


def resident(daemon):
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024


def test_memory_of_forgotten_jobs_is_given_back(release_programs):
    config = ROOMY + "retention: {keep_most: 100}\n"
    with LiveDaemon(release_programs, config=config) as daemon:
        before = resident(daemon)
        daemon.run("submit", "--hold", "--array", f"0-{JOBS - 1}", "--name", "n" * 100, "--", "true")
        daemon.run("cancel", "--all")
        most = resident(daemon)
        wait_until(lambda: len(daemon.jobs()) <= 100, 120, "the end of retention")
        # The allocator can only give back whole pages, and some have a few bytes in use.
        wait_until(lambda: resident(daemon) - before < (most - before) * 0.6, 60, "memory given back")
