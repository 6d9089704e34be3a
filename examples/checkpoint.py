#!/usr/bin/env python3
#GPUSCHED --name checkpoint-py --vram 2G
#GPUSCHED --checkpoint                     # it saves itself at USR1 and goes on later from there
#GPUSCHED --time 60s --signal USR1@57      # here its time limit asks, after three seconds of work
"""Counts to fifty as if that were training, and survives being sent away."""

import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
import gpusched  # noqa: E402

STEPS = 50
state = gpusched.checkpoint_directory() / "state.json"
model = {"step": 0, "loss": 1.0}


@gpusched.on_checkpoint
def save():
    draft = state.with_suffix(".draft")
    draft.write_text(json.dumps(model))
    draft.replace(state)
    print(f"saved at step {model['step']}, {gpusched.time_remaining():.0f} s to spare")


if gpusched.resuming():
    model = json.loads(state.read_text())
    print(f"goes on at step {model['step']}, where attempt {gpusched.resuming()} saved")
while model["step"] < STEPS:
    time.sleep(0.1)
    model["step"] += 1
    model["loss"] *= 0.9
    gpusched.step(model["step"], STEPS)
print(f"done after {model['step']} steps, loss {model['loss']:.4f}")
