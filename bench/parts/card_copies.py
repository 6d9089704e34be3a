"""Copies of one program that nobody has seen before: the same script, each with a directory of its own."""
import os
import subprocess
import sys
import time

from parts.card_daemon import CardDaemon
from parts.card_mix import at

# As short trainings are: it starts for some seconds, takes its memory, and computes. GiB, steps of its loop;
# what else it is told is its own affair.
TRAIN = """
import sys, time
import torch
from torch import nn
torch.set_num_threads(1)
gib, steps = float(sys.argv[1]), int(sys.argv[2])
model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 4096), nn.GELU(), nn.Linear(4096, 10))
model = model.cuda()
optimizer = torch.optim.AdamW(model.parameters())
held = torch.zeros(int(max(0.0, gib - 0.9) * 2**30), dtype=torch.uint8, device="cuda")
batch = torch.randn(256, 1024).pin_memory()
for _ in range(steps):
    began = time.time()
    loss = model(batch.cuda(non_blocking=True)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); loss.item()
    time.sleep(max(0.0, 0.010 - (time.time() - began)))
"""

# The same on a simulated card, without PyTorch.
SIMULATED = """
import os, sys, time
time.sleep(2)
os.execv({simjob!r}, [{simjob!r}, "--vram", str(int(float(sys.argv[1]) * 2**30)), "--util", "20", "--ramp",
                      "500ms", "--seconds", str(int(sys.argv[2]) / 100)])
"""


def overlap(spans):
    """The most that ran at one time."""
    edges = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def through_daemon(daemon, commands):
    began = time.time()
    jobs = [daemon.run("submit", "--", *command) for command in commands]
    rows = daemon.ended(*jobs, seconds=500)
    spans = [(at(row["started_at"]), at(row["ended_at"])) for row in rows if row["started_at"]]
    starts = sorted(begin for begin, _ in spans)
    return {"makespan_s": round(max(end for _, end in spans) - began, 1),
            "starts_s": [round(start - began, 1) for start in starts],
            "deaths": sum(row["state"] != "completed" for row in rows),
            "most_at_once": overlap(spans),
            "held_gib": sorted({round(row["estimate"]["held_vram_bytes"] / 2**30, 1) for row in rows}),
            "busy_percent": [round((row["usage"].get("gpu") or {}).get("mean_busy_percent") or 0)
                             for row in rows]}


def stage_copies(arguments, directory):
    script = os.path.join(directory, "train.py")
    with open(script, "w", encoding="utf-8") as file:
        simjob = os.path.join(os.path.abspath(arguments.programs), "gpusched-simjob")
        file.write(SIMULATED.format(simjob=simjob) if arguments.sim else TRAIN)
    # A program of one's own, to be measured instead: its words, OUT stands for the directory.
    own = arguments.command.split() if arguments.command else []
    plain = own or [sys.executable, script, str(arguments.gib_each), str(arguments.copy_steps),
                    "--out_dir=OUT"]

    def command(name):
        return [word.replace("OUT", os.path.join(directory, name)) for word in plain]

    found = {"copies": arguments.copies, "simulated": bool(arguments.sim)}
    if not arguments.sim:
        began = time.time()
        subprocess.run(command("alone"), check=True, stdout=subprocess.DEVNULL)
        found["alone_s"] = round(time.time() - began, 1)
    daemon = CardDaemon(arguments.programs, directory,
                        words=["--sim", arguments.sim] if arguments.sim else [])
    try:
        for name in ("first", "again"):
            found[name] = through_daemon(daemon, [command(f"{name[0]}{i}") for i in range(arguments.copies)])
    finally:
        daemon.close()
    return found
