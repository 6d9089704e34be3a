"""Containers that jobs start. An engine's part is played here: a process in a control group that is
named as engines name them, outside of the job's process tree, with the job's variables."""

import os
import re
import secrets
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FAST = ROOMY + "\nwatch:\n  busy_period_ms: 200\n  idle_period_ms: 200\n  deadline_ms: 500\n"


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        daemon.simjob = programs / "gpusched-simjob"
        yield daemon


@pytest.fixture
def engine(lab):
    """Starts what is asked for in a container of its own; ends what is left of it."""
    mounts = re.findall(r"^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 ",
                        open("/proc/self/mountinfo", encoding="utf8").read(), re.M)
    if os.getuid() != 0 or not mounts:
        pytest.skip("only root can make a control group as an engine does")
    name = f"docker/{secrets.token_hex(32)}"
    group = f"{mounts[0]}/{name}"
    # What a user could make in a part of the tree that is his.
    made_by_user = f"{mounts[0]}/of-a-user-{secrets.token_hex(4)}/{name}"
    try:
        os.makedirs(group)
        os.makedirs(made_by_user)
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    started = []

    def start(*command, place=group, **variables):
        process = subprocess.Popen(
            ["sh", "-c", 'echo $$ > "$0"/cgroup.procs && exec "$@"', place, *map(str, command)],
            env=os.environ | variables, start_new_session=True)
        started.append(process)
        return process

    start.made_by_user = made_by_user
    yield start
    for process in started:
        process.kill()
        process.wait(30)
    for place in (group, made_by_user):
        wait_until(lambda: not open(f"{place}/cgroup.procs", encoding="utf8").read(), 30, "its end")
        os.rmdir(place)
    os.removedirs(os.path.dirname(made_by_user))


def variables_of(lab, job):
    """What `docker run -e …` hands over, and where the simulated driver is."""
    said = dict(line.split("=", 1) for line in lab.logs(job).decode().splitlines() if "=" in line)
    return {name: said[name] for name in
            ("GPUSCHED_JOB_ID", "GPUSCHED_ATTEMPT", "CUDA_VISIBLE_DEVICES", "GPUSCHED_SIM_WORLD",
             "LD_LIBRARY_PATH", "CUDA_DEVICE_ORDER")}


def shown(lab, pid):
    cards = lab.http("GET", "/v1/gpus").json()["cards"]
    return next((p for card in cards for p in card.get("processes", []) if p["pid"] == pid), None)


def running_job(lab):
    job = lab.submit("--gpus", "1", "--", "sh", "-c", "env; exec sleep 1000")
    lab.wait_for(job, "running")
    wait_until(lambda: "GPUSCHED_SIM_WORLD=" in lab.logs(job).decode(), 30, "its variables")
    return job


def test_a_container_is_accounted_to_its_job_and_ends_with_it(lab, engine):
    job = running_job(lab)
    inside = engine(lab.simjob, "--vram", "2G", "--seconds", "0", **variables_of(lab, job))
    seen = wait_until(lambda: (p := shown(lab, inside.pid)) and p.get("job") and p, 30, "its owner")
    assert (seen["job"], seen["container"]["kind"]) == (job, "docker")
    lab.run("cancel", job)
    lab.ended(job)
    assert inside.wait(30) == -9
    usage = lab.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]["usage"]["gpu"]
    assert usage["peak_vram_bytes"] == 2 << 30


def test_a_container_that_was_there_before_the_job_outlives_it(lab, engine):
    keeper = engine("sleep", "1000")
    # Start times are whole ticks, and a job's is not taken to the tick.
    age = float(open(f"/proc/{keeper.pid}/stat", encoding="utf8").read().rsplit(")", 1)[1].split()[19])
    wait_until(lambda: float(open("/proc/uptime", encoding="utf8").read().split()[0]) >
               age / os.sysconf("SC_CLK_TCK") + 2.5, 30, "the container to be older")
    job = running_job(lab)
    inside = engine(lab.simjob, "--vram", "2G", "--seconds", "0", **variables_of(lab, job))
    wait_until(lambda: (p := shown(lab, inside.pid)) and p.get("job") == job, 30, "its owner")
    lab.run("cancel", job)
    lab.ended(job)
    wait_until(lambda: (p := shown(lab, inside.pid)) and not p.get("job"), 30, "a foreign process")
    assert keeper.poll() is None and inside.poll() is None


def test_a_group_named_after_anothers_container_does_not_end_it(lab, engine):
    job = running_job(lab)
    anothers = engine("sleep", "1000")
    own = engine(lab.simjob, "--vram", "2G", "--seconds", "0", place=engine.made_by_user,
                 **variables_of(lab, job))
    wait_until(lambda: (p := shown(lab, own.pid)) and p.get("job") == job, 30, "its owner")
    lab.run("cancel", job)
    lab.ended(job)
    assert own.wait(30) == -9
    assert anothers.poll() is None
