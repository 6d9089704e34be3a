"""For jobs of gpusched: save when asked, go on later, tell how far you are.

The contract is docs/checkpoint.md. Standard library only. Outside a job every call is harmless:
nobody ever asks, nothing is resumed, progress goes nowhere.
"""

from gpusched.contract import (
    SAVED_EXIT_CODE,
    checkpoint_directory,
    checkpoint_requested,
    progress,
    resuming,
    saved,
    time_remaining,
)
from gpusched.loop import on_checkpoint, saving, step

__all__ = [
    "SAVED_EXIT_CODE",
    "checkpoint_directory",
    "checkpoint_requested",
    "on_checkpoint",
    "progress",
    "resuming",
    "saved",
    "saving",
    "step",
    "time_remaining",
]
