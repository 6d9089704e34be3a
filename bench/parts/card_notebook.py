"""A notebook on a real card that sits idle, leaves for a job, and comes back when a cell wants the card."""
import os
import subprocess
import sys
import time

from parts.card_daemon import CardDaemon
from parts.card_jobs import HOLD

# A notebook in small: a loop that ticks, a heartbeat, memory on the card; cells come as lines.
NOTEBOOK = """
import asyncio, sys, threading, time, torch
held = torch.full((int(float(sys.argv[1]) * 2**30) // 4,), 7, dtype=torch.int32, device="cuda")
a = torch.arange(4096 * 4096, device="cuda", dtype=torch.float32).reshape(4096, 4096) % 13
right = float((a @ a).sum())
def heart():
    while True:
        time.sleep(1)
threading.Thread(target=heart, daemon=True).start()
def cell(line):
    began = time.time()
    if line == "cpu":
        while time.time() < began + 2:
            pass
        print("cpu", True, began, time.time(), flush=True)
    else:
        same = float((a @ a).sum()) == right and all(bool((p == 7).all()) for p in held.split(1 << 28))
        print("card", same, began, time.time(), flush=True)
async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async def tick():
        while True:
            await asyncio.sleep(0.5)
    ticking = asyncio.create_task(tick())
    print("ready", flush=True)
    while line := (await reader.readline()).decode().strip():
        cell(line)
asyncio.run(main())
"""


def stage_notebook(arguments, directory):
    daemon = CardDaemon(arguments.programs, directory, ", idle_after: 10s")
    notebook = None
    try:
        total = daemon.get("/v1/gpus")["cards"][0]["vram_bytes"] / 2**30
        notebook = subprocess.Popen(
            [f"{arguments.programs}/gpusched", "lease", "--vram", f"{int(arguments.gib + 4)}G", "--",
             sys.executable, "-c", NOTEBOOK, str(arguments.gib)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, "GPUSCHED_SOCKET": daemon.socket})
        assert notebook.stdout.readline().strip() == "ready"
        lease = daemon.get("/v1/leases")["leases"][0]["id"]

        def hold(name, seconds):
            return daemon.run("submit", "--vram", f"{int(total - 10)}G", "--", sys.executable, "-c", HOLD,
                              total - 20, seconds, os.path.join(directory, name))

        def tell(word):
            notebook.stdin.write(word + "\n")
            notebook.stdin.flush()
            return time.time()

        def noticed():
            return any("active again" in text for _, _, text in daemon.trail(lease))
        first, second = hold("first", 600), hold("second", 600)
        daemon.until(lambda: daemon.state(lease) == "paused" and daemon.state(first) == "running",
                     "its leave", 120)
        tell("cpu")
        cpu = notebook.stdout.readline().split()
        time.sleep(20)  # Idle ticking, which must not be taken for more.
        false_alarm = noticed()
        told = tell("card")
        daemon.until(noticed, "its call to be noticed", 60)
        notice_s = time.time() - told
        freed = time.time()
        daemon.run("cancel", first, "--grace", "0")
        card = notebook.stdout.readline().split()
        return {"cpu_cell_worked_aside": cpu[1], "false_alarm_in_20s_of_ticking": false_alarm,
                "call_noticed_after_s": round(notice_s, 2), "answer_is_right": card[1],
                "answer_after_cancel_of_the_other_s": round(float(card[3]) - freed, 2),
                "second_job": daemon.state(second), "trail": daemon.trail(lease)}
    finally:
        if notebook is not None:
            notebook.kill()
        daemon.close()
