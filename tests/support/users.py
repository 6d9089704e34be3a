"""Throw-away accounts, and programs that they can reach."""

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid

import pytest
from live_daemon import ROOMY, LiveDaemon
from contextlib import contextmanager
from pathlib import Path

MAY_MAKE_USERS = os.getuid() == 0 and shutil.which("useradd") is not None


@contextmanager
def account_files():
    """One test at a time: the tools give up soon where another one holds their lock."""
    with open(Path(tempfile.gettempdir()) / "gpusched-tests-accounts.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class User:
    """A throw-away account with one further group."""

    def __init__(self, daemon, number):
        self.daemon = daemon
        self.name = f"gs{uuid.uuid4().hex[:8]}{number}"
        self.group = f"{self.name}x"
        with account_files():
            subprocess.run(["groupadd", self.group], check=True)
            subprocess.run(["useradd", "-m", "-d", str(daemon.directory / self.name), "-G", self.group,
                            "-s", "/bin/sh", self.name], check=True)
        self.uid = pwd.getpwnam(self.name).pw_uid
        self.gid = pwd.getpwnam(self.name).pw_gid
        self.home = daemon.directory / self.name

    def remove(self):
        with account_files():
            if self.exists():
                subprocess.run(["userdel", "-f", self.name], check=False, capture_output=True)
            subprocess.run(["groupdel", self.group], check=False, capture_output=True)

    def exists(self):
        try:
            pwd.getpwnam(self.name)
        except KeyError:
            return False
        return True

    def do(self, *words, **options):
        """Runs a program as this user, in their home."""
        environment = {**self.daemon.environment(), "HOME": str(self.home), "USER": self.name,
                       "LOGNAME": self.name, **options.pop("env", {})}
        return subprocess.run(["setpriv", f"--reuid={self.uid}", f"--regid={self.gid}",
                               "--init-groups", "--", *map(str, words)], env=environment,
                              capture_output=True, text=True, check=False,
                              timeout=options.pop("timeout", 60),
                              cwd=options.pop("cwd", self.home), **options)

    def gpusched(self, *words, **options):
        return self.do(self.daemon.programs / "gpusched", *words, **options)

    def submit(self, *words, **options):
        done = self.gpusched("submit", "--gpus", "0", *words, **options)
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split("-")[0])


def programs_for_everybody(programs, directory):
    """Copies of them; those in a checkout of root's may be out of reach of others."""
    everybodys = directory / "bin"
    everybodys.mkdir()
    for parent in (everybodys, *everybodys.parents):
        if str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    for program in programs.iterdir():
        if program.is_file():
            shutil.copy(program, everybodys)
    for part in ("sim", "scenarios"):  # The simulated driver lies beside the programs.
        if (programs.parent / part).is_dir():
            shutil.copytree(programs.parent / part, everybodys.parent / part)
    return everybodys


@pytest.fixture(scope="module")
def place(programs, tmp_path_factory):
    """A daemon of root that everybody reaches."""
    everybodys = programs_for_everybody(programs, tmp_path_factory.mktemp("gpusched"))
    daemon = LiveDaemon(everybodys, config=ROOMY)
    daemon.directory.chmod(0o755)
    with daemon:
        yield daemon


# One for all tests of a file: the daemon remembers for a while which name a number has.
@pytest.fixture(scope="module")
def ml1(place):
    user = User(place, 1)
    yield user
    user.remove()


@pytest.fixture(scope="module")
def ml2(place):
    user = User(place, 2)
    yield user
    user.remove()
