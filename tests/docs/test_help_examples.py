"""Every example that `gpusched VERB --help` shows is typed by an ordinary user: each is understood.

What it is about need not be there (job 12345, a trace, jupyter), so an example may fail; but never
because it was written wrongly, which is exit code 64.
"""

import re
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon
from users import MAY_MAKE_USERS, User, programs_for_everybody

USAGE = 64
# They go on until somebody ends them, or begin something that others own.
LEFT_OUT = ("serve", "ssh ")
# They need what an ordinary user does not have here.
NEED_MORE = {"gpusched debug replay it.json": "a snapshot, which an administrator takes",
             "gpusched sweep 134 --sort loss -n 5": "jobs that say their loss"}
GOES_ON = re.compile(r"\btop\b| -f\b|\brun\b|\battach\b|\bwait\b|lease --vram|lease --gpus")


def examples_of(client, verb):
    shown = subprocess.run([client, verb, "--help"], capture_output=True, text=True, check=True).stdout
    _, found, examples = shown.partition("\nExamples:\n")
    for line in examples.splitlines() if found else ():
        if line.startswith("  "):  # Two blanks and more part the line from what is said about it.
            yield re.split(r"\s{2,}", line.strip())[0]


def verbs(client):
    shown = subprocess.run([client, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"^  ([a-z]+)\b", shown, re.M)))


@pytest.fixture(scope="module")
def user(release_programs, tmp_path_factory):
    if not MAY_MAKE_USERS:
        pytest.skip("only root can make an account")
    everybodys = programs_for_everybody(release_programs, tmp_path_factory.mktemp("gpusched"))
    daemon = LiveDaemon(everybodys, config=ROOMY)
    daemon.directory.chmod(0o755)
    with daemon:
        one = User(daemon, 1)
        (one.home / "a.wav").touch()
        # Job 134 and those before it are there, and belong to a sweep.
        one.gpusched("submit", "--gpus", "0", "--hold", "--array", "1-140", "--", "true")
        yield one
        one.remove()


def test_every_example_is_understood(user):
    client = user.daemon.programs / "gpusched"
    wrong, tried = [], 0
    for verb in verbs(client):
        for example in examples_of(client, verb):
            if example in NEED_MORE or any(word in example for word in LEFT_OUT):
                continue
            tried += 1
            seconds = 1 if GOES_ON.search(example) else 50
            done = user.do("timeout", seconds, "bash", "-c", example, stdin=subprocess.DEVNULL,
                           env={"GPUSCHED_LEASE_ID": "7"})
            if done.returncode == USAGE or (done.returncode == 124 and seconds > 1):
                wrong.append(f"{example}: {done.returncode} {done.stderr.strip()}")
    assert not wrong, "\n".join(wrong)
    assert tried > 80
