"""Debian's Chromium, driven by Playwright from PyPI."""

import shutil
import sys

import pytest

import pypi_tools

# /dev/shm is small in containers, and there is no card to draw with.
FLAGS = ["--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-quic"]


def chromium():
    """Ubuntu's is a snap, which cannot be started from a test."""
    found = shutil.which("chromium")
    if found is None or "/snap/" in found:
        pytest.skip("no chromium from a Debian package here")
    return found


def playwright():
    """The module's entry. It lies in an environment of its own, made with this same Python."""
    try:
        place = pypi_tools.install("page-tools", "requirements-page.txt")
    except OSError as error:
        pytest.skip(f"Playwright cannot be installed: {error}")
    for packages in (place.parent / "lib").glob("python*/site-packages"):
        if str(packages) not in sys.path:
            sys.path.append(str(packages))
    from playwright.sync_api import sync_playwright  # noqa: PLC0415: it is found only now
    return sync_playwright()


def launch(started):
    return started.chromium.launch(executable_path=chromium(), args=FLAGS)
