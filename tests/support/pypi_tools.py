"""Programs from PyPI that tests use, each list in a virtual environment of its own."""

import hashlib
import subprocess
import sys

from live_daemon import ROOT


def install(name, wanted):
    """The environment's bin directory; made once for each state of the list. Raises OSError."""
    place, wanted = ROOT / "build" / name, ROOT / "tests" / wanted
    stamp = place / "installed"
    digest = hashlib.sha256(wanted.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        for command in ([sys.executable, "-m", "venv", "--clear", str(place)],
                        [str(place / "bin/pip"), "install", "--quiet", "--disable-pip-version-check",
                         "--requirement", str(wanted)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            if done.returncode != 0:
                raise OSError(f"{' '.join(command)}: {done.stdout[-300:]}{done.stderr[-300:]}")
        stamp.write_text(digest)
    return place / "bin"
