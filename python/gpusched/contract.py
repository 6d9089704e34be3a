"""What the daemon and a job say to each other: variables, one file, one signal, one exit code."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

SAVED_EXIT_CODE = 75  # "Saved, start me again."
PROGRESS_PAUSE_S = 1.0

_asked_at = None  # Monotonic time of the first signal.
_listening = False
_progress_written = None


def _number(name):
    """A variable as a whole number; None where it is absent or nonsense."""
    try:
        return int(os.environ.get(name, ""))
    except ValueError:
        return None


def _listen():
    """Catches the signal, once, from the main thread; whoever caught it before still hears it."""
    global _listening
    number = _number("GPUSCHED_CHECKPOINT_SIGNAL")
    if _listening or number is None or threading.current_thread() is not threading.main_thread():
        return
    _listening = True
    try:
        before = signal.getsignal(number)
        signal.signal(number, lambda *seen: _on_signal(before, *seen))
    except (OSError, ValueError):
        pass  # A signal that cannot be caught: the request file is there as well.


def _on_signal(before, number, frame):
    global _asked_at
    if _asked_at is None:
        _asked_at = time.monotonic()
    if callable(before):
        before(number, frame)


def _request_path():
    return os.environ.get("GPUSCHED_CHECKPOINT_REQUEST", "")


def checkpoint_requested():
    """True once this job was asked to save itself, in every process of the job."""
    _listen()
    if _asked_at is not None:
        return True
    path = _request_path()
    return bool(path) and os.path.exists(path)


def time_remaining():
    """Seconds until the job is stopped, at least 0; None while nobody has asked."""
    _listen()
    path = _request_path()
    try:
        words = Path(path).read_text().split() if path else []
        # The second is by a clock that nobody sets.
        return max(0.0, float(words[1]) - time.clock_gettime(time.CLOCK_BOOTTIME))
    except (OSError, ValueError, IndexError):
        pass
    if _asked_at is None:
        return None
    # By signal alone: the warning before a time limit.
    return max(0.0, _asked_at + (_number("GPUSCHED_GRACE") or 0) - time.monotonic())


def checkpoint_directory():
    """Where to save: one directory per job, the same for all its attempts. It exists."""
    given = os.environ.get("GPUSCHED_CHECKPOINT_DIR")
    place = Path(given) if given else Path("checkpoint")
    place.mkdir(parents=True, exist_ok=True)
    return place


def resuming():
    """The number of the attempt that saved last; None: this job begins at the beginning."""
    _listen()
    return _number("GPUSCHED_RESUME")


def progress(step, total, **values):
    """Tells how far the job is, and what it has reached: progress(12, 500, loss=0.13).

    Cheap enough for every step: once a second it reaches the disk. The values are columns of
    `gpusched sweep`.
    """
    global _progress_written
    _listen()
    path = os.environ.get("GPUSCHED_PROGRESS")
    if not path:
        return
    step, total = int(step), int(total)
    if total < 1 or not 0 <= step <= total:
        raise ValueError(f"step {step} of {total} makes no sense")
    now = time.monotonic()
    recent = _progress_written is not None and now - _progress_written < PROGRESS_PAUSE_S
    if recent and step < total:
        return
    _progress_written = now
    draft = f"{path}.{os.getpid()}"
    try:
        with open(draft, "w") as file:
            said = "".join(f" {name}={value}" for name, value in values.items())
            file.write(f"{step} {total}{said}\n")
        os.replace(draft, path)
    except OSError:
        pass  # A full disk must not end a training over a line of news.


def saved():
    """Ends the process: its work is saved, the job is to be started again."""
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(SAVED_EXIT_CODE)
