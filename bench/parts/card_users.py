"""Two real users under a daemon of root: what each can reach of the card, and what its limits do."""
import os
import pwd
import subprocess
import sys
import time

from parts.card_daemon import CardDaemon
from parts.card_jobs import HOLD

ASK = "import ctypes; print('cuInit', ctypes.CDLL('libcuda.so.1').cuInit(0))"
# Takes one GiB after the other.
GROW = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
for gib in range(1, int(sys.argv[1]) + 1):
    code = cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(1 << 30))
    print(gib, "GiB:", code, flush=True)
    if code: sys.exit(3)
    time.sleep(float(sys.argv[2]))
"""
# Products of matrices for so many seconds; says how many.
SPIN = """
import sys, time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
torch.cuda.synchronize(); count, end = 0, time.time() + float(sys.argv[1])
while time.time() < end:
    for _ in range(10): b = a @ a
    torch.cuda.synchronize(); count += 10
print(count)
"""
NAMES = ("gsbench0", "gsbench1")


class Accounts:
    """Throw-away accounts, by their numbers."""

    def __enter__(self):
        for name in NAMES:
            subprocess.run(["useradd", "-M", "-d", "/tmp", "-s", "/bin/sh", name], check=False,
                           stderr=subprocess.DEVNULL)
        return [pwd.getpwnam(name).pw_uid for name in NAMES]

    def __exit__(self, *_):
        for name in NAMES:
            subprocess.run(["userdel", "-f", name], check=False, capture_output=True)


def submit(daemon, user, words, program, *arguments):
    return daemon.run("submit", *words, "--", "env", "HOME=/tmp", sys.executable, "-c", program, *arguments,
                      user=user)


def stage_users(arguments, directory):
    with Accounts() as users:
        return with_users(arguments, directory, users)


def with_users(arguments, directory, users):
    settings = "isolation: {mps: limits}\n" if arguments.mps else ""
    daemon = CardDaemon(arguments.programs, directory, settings=settings)
    found = {"mps": arguments.mps}
    try:
        jobs = {}
        for user in users:
            jobs[user, "with a card"] = submit(daemon, user, ["--vram", "1G"], ASK)
            jobs[user, "without"] = submit(daemon, user, ["--gpus", "0"], ASK)
        daemon.ended(*jobs.values())
        found["cuInit"] = {f"{user} {name}": daemon.run("logs", job) for (user, name), job in jobs.items()}
        # The first user's job outgrows its limit beside the second's.
        mark = os.path.join("/tmp", f"gs-users-{os.getpid()}")
        neighbour = submit(daemon, users[1], ["--vram", "8G"], HOLD, "4", "25", mark)
        daemon.until(lambda: os.path.exists(mark), "the neighbour")
        began = time.time()
        grows = submit(daemon, users[0], ["--vram", "2G", "--vram-limit", "3G"], GROW, "8", "1")
        row = daemon.ended(grows)[0]
        found["limit"] = {"after_s": round(time.time() - began, 1),
                          "state": row["state"], "cause": row["cause"],
                          "said": daemon.run("logs", grows), "trail": daemon.trail(grows)}
        found["neighbour"] = daemon.ended(neighbour)[0]["state"]
        os.unlink(mark)
        # A share of a quarter beside one of three quarters, one user each, and alone.
        alone = submit(daemon, users[0], ["--vram", "4G", "--exclusive"], SPIN, "6")
        daemon.ended(alone)
        both = [submit(daemon, users[0], ["--vram", "4G", "--share", "25"], SPIN, "12"),
                submit(daemon, users[1], ["--vram", "4G", "--share", "60"], SPIN, "12")]
        daemon.ended(*both)
        found["products_per_s"] = {"alone": int(daemon.run("logs", alone)) / 6,
                                   "25 % beside the other": int(daemon.run("logs", both[0])) / 12,
                                   "60 % beside the other": int(daemon.run("logs", both[1])) / 12}
        quarter = submit(daemon, users[0], ["--vram", "4G", "--share", "25"], SPIN, "6")
        daemon.ended(quarter)
        found["products_per_s"]["25 % alone"] = int(daemon.run("logs", quarter)) / 6
        return found
    finally:
        daemon.close()
