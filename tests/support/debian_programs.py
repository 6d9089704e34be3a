"""Servers that only tests use, from the distribution's packages: unpacked, never installed, so that
nothing is started as a service and nothing of the machine changes."""

import fcntl
import shutil
import subprocess

from live_daemon import ROOT


def unpack(package):
    """The directory that holds the package's files as below /; made once. Raises OSError."""
    place = ROOT / "build" / "debian" / package
    place.parent.mkdir(parents=True, exist_ok=True)
    # Several test programs may want it at the same time.
    with (place.parent / f"{package}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "unpacked").exists():
            _fetch(package, place)
    return place


def _fetch(package, place):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        _run("apt-get", "download", package, at=place)
    except OSError:
        # The package lists of a fresh machine are often empty or old.
        _run("apt-get", "update", at=place)
        _run("apt-get", "download", package, at=place)
    for file in place.glob("*.deb"):
        _run("dpkg", "-x", file.name, ".", at=place)
        file.unlink()
    (place / "unpacked").touch()


def _run(*command, at):
    try:
        done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False,
                              timeout=300)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{' '.join(command)}: it did not end") from error
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stdout[-300:]}{done.stderr[-300:]}")
