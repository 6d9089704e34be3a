"""Options and fixtures of all tests that need real programs."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from live_daemon import ROOT, LiveDaemon  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="the long runs too")


# Each run has a place of its own: one that begins closes the common place to other users, also to
# those that a run beside it has let in.
def pytest_configure():
    place = tempfile.mkdtemp(prefix="gs-t-")
    os.environ["PYTEST_DEBUG_TEMPROOT"] = place
    # After pytest's own tidying, which is asked for later and so comes first.
    atexit.register(shutil.rmtree, place, ignore_errors=True)


@pytest.fixture(scope="session")
def long_run(request):
    return request.config.getoption("--long")


def programs_in(variable, default):
    place = Path(os.environ.get(variable, ROOT / default))
    assert (place / "gpuschedd").exists(), f"no programs in {place}; build first, or set {variable}"
    return place


@pytest.fixture(scope="session")
def programs():
    """The developer build, with its sanitizers."""
    return programs_in("GPUSCHED_BIN", "build/dev/bin")


@pytest.fixture(scope="session")
def release_programs():
    return programs_in("GPUSCHED_RELEASE_BIN", "build/release/bin")


@pytest.fixture
def daemon(programs):
    with LiveDaemon(programs) as running:
        yield running
