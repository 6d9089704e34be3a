"""Every test gets its own copy of the package and a job's surroundings that it can shape."""

import importlib
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


class Job:
    """What the daemon would have set up for an attempt."""

    def __init__(self, place, monkeypatch):
        self.checkpoint = place / "7" / "checkpoint"
        self.request = place / "7" / "1" / "request"
        self.progress = self.checkpoint / "progress"
        for folder in (self.checkpoint, self.request.parent):
            folder.mkdir(parents=True)
        self._monkeypatch = monkeypatch
        self.set("GPUSCHED_CHECKPOINT_DIR", self.checkpoint)
        self.set("GPUSCHED_PROGRESS", self.progress)
        self.set("GPUSCHED_CHECKPOINT_REQUEST", self.request)
        self.set("GPUSCHED_GRACE", 60)

    def set(self, name, value):
        self._monkeypatch.setenv(name, str(value))

    def ask(self, grace=60):
        boot = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.request.write_text(f"{time.time() + grace:.3f} {boot + grace:.3f}\n")


def forget_modules():
    for name in [n for n in sys.modules if n == "gpusched" or n.startswith("gpusched.")]:
        del sys.modules[name]


@pytest.fixture
def package(monkeypatch):
    for name in ("CHECKPOINT_DIR", "PROGRESS", "CHECKPOINT_REQUEST", "CHECKPOINT_SIGNAL", "GRACE",
                 "RESUME"):
        monkeypatch.delenv(f"GPUSCHED_{name}", raising=False)
    forget_modules()
    yield importlib.import_module("gpusched")
    forget_modules()


@pytest.fixture
def job(package, tmp_path, monkeypatch):
    return Job(tmp_path, monkeypatch)
