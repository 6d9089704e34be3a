"""Programs of other people that read NVIDIA's driver, in a virtual environment of their own."""

import hashlib
import json
import subprocess
import sys

from live_daemon import ROOT

PLACE = ROOT / "build/driver-clients"
WANTED = ROOT / "tests/requirements.txt"


def install():
    """The environment's bin directory; made once for each state of the list. Raises OSError."""
    stamp = PLACE / "installed"
    digest = hashlib.sha256(WANTED.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        for command in ([sys.executable, "-m", "venv", "--clear", str(PLACE)],
                        [str(PLACE / "bin/pip"), "install", "--quiet", "--disable-pip-version-check",
                         "--requirement", str(WANTED)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            if done.returncode != 0:
                raise OSError(f"{' '.join(command)}: {done.stdout[-300:]}{done.stderr[-300:]}")
        stamp.write_text(digest)
    return PLACE / "bin"


def run(program, *arguments, environment):
    """What a program of that environment prints."""
    done = subprocess.run([install() / program, *arguments], capture_output=True, text=True,
                          env=environment, check=False, timeout=60)
    assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
    return done.stdout


def evaluate(script, environment):
    """The JSON that a Python script prints as its last line."""
    return json.loads(run("python", "-c", script, environment=environment).splitlines()[-1])
