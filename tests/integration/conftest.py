"""Daemons that integration tests share. One per module is enough where ids do not matter."""

import os

import pytest
from live_daemon import ROOMY, LiveDaemon
from sim_world import SimWorld

# A mount namespace in which no control group hierarchy can be seen.
HIDE_GROUPS = ["unshare", "-m", "sh", "-c",
               "for place in $(grep ' - cgroup2 ' /proc/self/mountinfo | cut -d' ' -f5); do "
               "umount -l $place || exit 1; done; exec \"$@\"", "sh"]


@pytest.fixture(scope="module")
def running(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


@pytest.fixture
def own(programs):
    """A daemon for this test alone."""
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def without_groups(programs):
    return LiveDaemon(programs, config=ROOMY, prefix=HIDE_GROUPS if os.getuid() == 0 else ())


@pytest.fixture(params=["with control groups", "without control groups"])
def either(request, programs):
    """Both ways to hold a job's tree together, each with a daemon of its own."""
    hidden = request.param.startswith("without")
    daemon = without_groups(programs) if hidden else LiveDaemon(programs, config=ROOMY)
    with daemon:
        if not hidden and daemon.cgroup() is None:
            pytest.skip("no writable cgroup v2 here")
        assert (daemon.cgroup() is None) == hidden
        yield daemon


@pytest.fixture
def make_world(programs, tmp_path):
    """Makes simulated worlds, and ends what was started in them."""
    made = []

    def make(scenario="2x24G"):
        place = tmp_path / str(len(made))
        place.mkdir()
        made.append(SimWorld(programs, place, scenario))
        return made[-1]

    yield make
    for world in made:
        world.close()


@pytest.fixture
def world(make_world):
    return make_world()
