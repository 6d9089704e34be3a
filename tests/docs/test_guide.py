"""Runs the ```sh blocks of the documents, in order, each page against a daemon of its own.

Blocks that begin with ```sh skip are for people: they need root, systemd or a fresh machine. Pages
for users are run once more by an ordinary user under a daemon of root.
"""

import re
import subprocess
from contextlib import ExitStack

import pytest
from live_daemon import ROOT, LiveDaemon
from users import MAY_MAKE_USERS, User, programs_for_everybody

PAGES = sorted((ROOT / "docs/guide").glob("*.md")) + [ROOT / "docs/api.md", ROOT / "README.md"]

FOR_USERS = [ROOT / page for page in ("docs/guide/first-job.md", "docs/guide/troubleshoot.md",
                                      "docs/api.md", "README.md")]


def blocks_of(page):
    """The blocks to run, each with the line where it begins."""
    text = page.read_text()
    for found in re.finditer(r"^```sh\n(.*?)^```$", text, re.S | re.M):
        yield text[:found.start()].count("\n") + 2, found.group(1)


@pytest.fixture(scope="module")
def place_of(programs, tmp_path_factory):
    """One daemon and one directory per page: pages read from top to bottom."""
    places = {}
    with ExitStack() as daemons:
        def place(page):
            if page not in places:
                daemon = daemons.enter_context(LiveDaemon(programs))
                places[page] = (daemon, tmp_path_factory.mktemp(page.stem))
            return places[page]
        yield place


CASES = [pytest.param(page, line, block, id=f"{page.name}:{line}")
         for page in PAGES for line, block in blocks_of(page)]


@pytest.mark.parametrize("page,line,block", CASES)
def test_block(place_of, page, line, block):
    daemon, directory = place_of(page)
    done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", block], cwd=directory,
                          env=daemon.environment(), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    said = f"{done.stdout}{done.stderr}\n{daemon.log()}"
    assert done.returncode == 0, f"line {line}:\n{block}\n{said}"


@pytest.fixture(scope="module")
def user_of(programs, tmp_path_factory):
    """One daemon of root per page, and one account there."""
    users = {}
    with ExitStack() as ends:
        def user(page):
            if page not in users:
                everybodys = programs_for_everybody(programs, tmp_path_factory.mktemp("gpusched"))
                daemon = LiveDaemon(everybodys)
                daemon.directory.chmod(0o755)
                ends.enter_context(daemon)
                users[page] = User(daemon, 1)
                ends.callback(users[page].remove)
            return users[page]
        yield user


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="only root can make an account for it")
@pytest.mark.parametrize("page,line,block", [case for case in CASES if case.values[0] in FOR_USERS])
def test_block_of_an_ordinary_user(user_of, page, line, block):
    user = user_of(page)
    done = user.do("bash", "-eu", "-o", "pipefail", "-c", block, stdin=subprocess.DEVNULL,
                   timeout=120)
    said = f"{done.stdout}{done.stderr}\n{user.daemon.log()}"
    assert done.returncode == 0, f"line {line}:\n{block}\n{said}"


def test_the_pages_have_blocks():
    assert len(CASES) > 20
