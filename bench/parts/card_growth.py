"""bench/make_room grow: jobs that grow beyond what they said until their card is full."""
import os
import sys
import time

from parts.card_daemon import CardDaemon

# Grows to so many GiB at so many a second in pieces, without catching up on time in which it was stopped;
# then stays for so many seconds, and says whether every piece is what it was: GiB, GiB a second, seconds,
# pieces a second.
GROW = """
import ctypes, sys, time
most, rate, stay, pace = (float(word) for word in sys.argv[1:5])
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
pieces, size = [], int(rate / pace * 2**30)
while len(pieces) * size < most * 2**30:
    began = time.monotonic()
    pointer = ctypes.c_uint64()
    code = cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size))
    if code == 2:
        sys.exit("RuntimeError: CUDA error: out of memory at %.1f GiB" % (len(pieces) * size / 2**30))
    assert code == 0, code
    assert cuda.cuMemsetD8_v2(pointer, ctypes.c_ubyte(len(pieces) % 251), ctypes.c_size_t(size)) == 0
    assert cuda.cuCtxSynchronize() == 0
    pieces.append(pointer)
    time.sleep(max(0.0, 1 / pace - (time.monotonic() - began)))
time.sleep(stay)
byte = ctypes.c_ubyte()
for number, pointer in enumerate(pieces):
    for at in (0, size - 1):
        place = ctypes.c_uint64(pointer.value + at)
        assert cuda.cuMemcpyDtoH_v2(ctypes.byref(byte), place, ctypes.c_size_t(1)) == 0
        assert byte.value == number % 251, "memory has changed"
print("whole")
"""


def command_of(arguments):
    if not arguments.sim:
        return [sys.executable, "-c", GROW, arguments.most, arguments.rate, 2, 20]
    ramp = arguments.most / arguments.rate
    program = os.path.join(os.path.abspath(arguments.programs), "gpusched-simjob")
    return [program, "--vram", f"{arguments.most:g}G", "--ramp", f"{ramp:g}s", "--alloc-pieces",
            max(1, int(ramp * 20)), "--seconds", f"{ramp + 2:g}"]


def fullest(daemon, jobs, seconds):
    """Looks on until all have ended; the most memory that was seen in use, in GiB."""
    most, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        card = daemon.get("/v1/gpus")["cards"][0]
        most = max(most, sum(one["vram_bytes"] or 0 for one in card["processes"]))
        if all(daemon.state(job) in ("completed", "failed", "cancelled") for job in jobs):
            return round(most / 2**30, 1)
        time.sleep(0.05)
    raise SystemExit(f"waited {seconds} s for the end\n{daemon.run(check=False)}")


def stage_grow(arguments, directory):
    settings = "scheduling: {preemption: 'off'}\n" if arguments.unhelped else ""
    daemon = CardDaemon(arguments.programs, directory, settings=settings,
                        words=["--sim", arguments.sim] if arguments.sim else [])
    try:
        began = time.time()
        command = command_of(arguments)
        jobs = [daemon.run("submit", "--vram", f"{arguments.declare:g}G", "--share", 10, "--", *command)
                for _ in range(arguments.jobs)]
        most = fullest(daemon, jobs, 600)
        rows = [daemon.job(job) for job in jobs]
        shown = ("state", "cause", "moves", "away_s", "attempt")
        return {"rate_gib_s": arguments.rate, "jobs": arguments.jobs, "declared_gib": arguments.declare,
                "grow_to_gib": arguments.most, "seconds": round(time.time() - began, 1), "fullest_gib": most,
                "died": sum(row["state"] != "completed" for row in rows),
                "last_words": [daemon.run("logs", job, check=False).splitlines()[-1:] for job in jobs],
                "rows": [{key: row[key] for key in shown} for row in rows],
                "trails": {job: daemon.trail(job) for job in jobs}}
    finally:
        daemon.close()
