"""Processes that ran before they became jobs: adopted, counted, moved aside, let go, whoever dies."""

import json
import os
import signal
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

QUICK = ROOMY + """
watch: {busy_period_ms: 100, idle_period_ms: 100, deadline_ms: 1000}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""
GIB = 1 << 30


def programs_of(daemon, programs):
    daemon.simjob = programs / "gpusched-simjob"
    daemon.libraries = programs.parent / "sim"
    daemon.world = daemon.state / "sim-world"
    daemon.own = []
    return daemon


def laboratory(programs, config):
    with LiveDaemon(programs, config=config, sim="1x24G") as daemon:
        yield programs_of(daemon, programs)
        for process in daemon.own:
            process.kill()
            process.wait()


@pytest.fixture
def lab(programs):
    yield from laboratory(programs, QUICK)


@pytest.fixture
def ruled(programs):
    """Idle foreign programs of one name may be moved aside."""
    yield from laboratory(programs, QUICK.replace("ram_reserve: 64M", "ram_reserve: 64M, idle_after: 2s, "
                                                  "foreign: 'nobody-has-this, *:gpusched-simjob'"))


def foreign(lab, vram="10G", util="50", **options):
    """A program on card 0 that nobody submitted."""
    steps = lab.directory / f"steps-{len(lab.own)}"
    environment = {**os.environ, "GPUSCHED_SIM_WORLD": str(lab.world),
                   "LD_LIBRARY_PATH": str(lab.libraries), "CUDA_VISIBLE_DEVICES": "0"}
    process = subprocess.Popen([lab.simjob, "--vram", vram, "--util", util, "--ramp", "0s", "--seconds",
                                "0", "--steps-file", steps], env=environment, start_new_session=True,
                               stdout=subprocess.DEVNULL, **options)
    process.steps = steps
    lab.own.append(process)
    wait_until(lambda: steps.exists() and int(steps.read_text() or 0) > 3, what="first steps")
    wait_until(lambda: any(p["pid"] == process.pid for p in card(lab)["processes"]), what="seen on its card")
    return process


def card(lab):
    return lab.http("GET", "/v1/gpus").json()["cards"][0]


def adopt(lab, process, *flags):
    job = int(lab.run("adopt", process.pid, *flags).stdout)
    lab.wait_for(job, "running")
    return job


def goes_on(process):
    assert process.poll() is None, "it lives"
    at = int(process.steps.read_text())
    wait_until(lambda: int(process.steps.read_text() or 0) > at + 3, what="further steps")


def stands_still(process):
    status = open(f"/proc/{process.pid}/status").read()
    return "State:\tT" in status


def urgent(lab, seconds="1"):
    return lab.submit("--priority", "urgent", "--vram", "20G", "--", lab.simjob, "--vram", "19G", "--util",
                      "50", "--ramp", "0s", "--seconds", seconds)


def test_it_is_a_job_like_any_and_counted_once(lab):
    process = foreign(lab)
    assert card(lab)["foreign_bytes"] >= 10 * GIB
    job = adopt(lab, process, "--priority", "low", "--name", "mine")
    row = lab.job(job)
    assert row["adopted"]["pid"] == process.pid
    assert not row["adopted"]["by_rule"]
    assert "gpusched-simjob" in row["command"]
    assert [one["number"] for one in row["gpus"]] == [0]
    assert row["needs"]["vram_bytes"] >= 10 * GIB, "its need is what it has"
    wait_until(lambda: card(lab)["foreign_bytes"] < GIB, what="no longer counted as foreign")
    assert [p["job"] for p in card(lab)["processes"] if p["pid"] == process.pid] == [job]
    assert "mine" in lab.run("status").stdout
    assert f"process {process.pid}" in lab.run("show", job).stdout
    beside = lab.submit("--vram", "20G", "--", "true")
    assert f"job {job}" in lab.job(beside)["reason"]
    fits = lab.submit("--vram", "4G", "--", "true")
    assert lab.ended(fits)["state"] == "completed"
    lab.run("cancel", beside)
    said = lab.run("logs", job, check=False)
    assert said.returncode == 65 and "adopted" in said.stderr
    goes_on(process)


def test_cancel_ends_the_process_and_what_is_below_it(lab):
    process = foreign(lab)
    shell = subprocess.Popen(["sh", "-c", "sleep 601 & trap '' TERM; while :; do sleep 0.1; done"],
                             start_new_session=True)
    lab.own.append(shell)
    stubborn = adopt(lab, shell, "--gpu", "0", "--vram", "1G", "--grace", "1s")
    job = adopt(lab, process)
    lab.run("cancel", job, stubborn)
    assert lab.ended(job)["state"] == "cancelled"
    assert process.wait(timeout=20) == -signal.SIGTERM
    assert lab.ended(stubborn)["state"] == "cancelled"
    assert shell.wait(timeout=20) == -signal.SIGKILL
    left = subprocess.run(["pgrep", "-s", str(shell.pid)], capture_output=True, text=True, check=False)
    wait_until(lambda: subprocess.run(["pgrep", "-s", str(shell.pid)], capture_output=True,
                                      check=False).returncode == 1, what=f"nothing of {left.stdout}")


def test_disown_lets_it_go_on(lab):
    process = foreign(lab)
    job = adopt(lab, process)
    lab.run("disown", job)
    ended = lab.ended(job)
    assert (ended["state"], ended["exit_code"]) == ("completed", None)
    assert "let go" in ended["message"]
    goes_on(process)
    wait_until(lambda: card(lab)["foreign_bytes"] >= 10 * GIB, what="foreign again")
    again = adopt(lab, process)
    assert again > job
    assert lab.run("disown", job, check=False).returncode == 65
    lab.run("disown", again)
    lab.ended(again)
    goes_on(process)


def test_its_time_is_limited_from_the_adoption_on(lab):
    process = foreign(lab)
    job = adopt(lab, process, "--time", "2s")
    ended = lab.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "timeout")
    assert process.wait(timeout=20) == -signal.SIGTERM


def test_a_process_that_ends_by_itself(lab):
    process = foreign(lab)
    job = adopt(lab, process)
    process.kill()
    process.wait()
    ended = lab.ended(job)
    assert (ended["state"], ended["cause"], ended["exit_code"]) == ("completed", "exit", None)
    assert "only its parent knows" in ended["message"]
    done = lab.run("requeue", job, check=False)
    assert done.returncode == 65 and "adopted" in done.stderr


def test_what_is_refused(lab):
    process = foreign(lab)
    job = adopt(lab, process)
    twice = lab.run("adopt", process.pid, check=False)
    assert twice.returncode == 65 and f"job {job} already" in twice.stderr
    gone = subprocess.Popen(["true"])
    gone.wait()
    done = lab.run("adopt", gone.pid, check=False)
    assert done.returncode == 66 and "there is no process" in done.stderr
    idle = subprocess.Popen(["sleep", "600"])
    lab.own.append(idle)
    done = lab.run("adopt", idle.pid, check=False)
    assert done.returncode == 64 and "on no card" in done.stderr
    part = lab.run("adopt", lab.process.pid, "--gpu", "0", check=False)
    assert part.returncode == 65 and "part of the daemon" in part.stderr
    started = lab.submit("--vram", "1G", "--", "sleep", "600")
    lab.wait_for(started, "running")
    shim = lab.shim_of(started)
    child = int(open(f"/proc/{shim}/task/{shim}/children").read().split()[0])
    done = lab.run("adopt", child, "--gpu", "0", check=False)
    assert done.returncode == 65 and f"job {started} already" in done.stderr
    assert lab.run("disown", started, check=False).returncode == 65
    for body in ({}, {"pid": 0}, {"pid": process.pid, "restartable": True}, {"pid": "7"}):
        assert lab.http("POST", "/v1/adopt", body).status == 400
    dry = lab.run("adopt", idle.pid, "--gpu", "0", "--vram", "1G", "--dry-run")
    assert "nothing was changed" in dry.stderr
    goes_on(process)


def test_moved_aside_for_an_urgent_job_and_back(lab):
    process = foreign(lab)
    job = adopt(lab, process, "--priority", "low")
    rush = urgent(lab)
    away = lab.wait_for(job, "paused")
    assert away["aside"]["mechanism"] == "checkpoint"
    assert stands_still(process)
    assert lab.ended(rush)["state"] == "completed"
    lab.wait_for(job, "running")
    goes_on(process)
    lab.run("pause", job)
    lab.wait_for(job, "paused")
    lab.run("disown", job)
    assert lab.ended(job)["state"] == "completed", "it is back before it is let go"
    goes_on(process)


def test_a_daemon_that_is_killed_finds_it_again(lab):
    process = foreign(lab)
    job = adopt(lab, process, "--priority", "low")
    lab.kill()
    lab.start()
    lab.wait_for(job, "running")
    goes_on(process)
    rush = urgent(lab, "2")
    lab.wait_for(job, "paused")
    lab.kill()
    lab.start()
    assert lab.ended(rush, 60)["state"] == "completed"
    lab.wait_for(job, "running", seconds=60)
    goes_on(process)
    assert lab.job(job)["attempt"] == 1
    lab.run("disown", job)
    lab.ended(job)
    goes_on(process)


def test_one_that_ends_while_nobody_looks_is_reported(lab):
    process = foreign(lab)
    job = adopt(lab, process)
    lab.kill()
    os.kill(lab.shim_of(job), signal.SIGKILL)
    process.kill()
    process.wait()
    lab.start()
    assert lab.ended(job)["state"] == "completed"


def test_a_shim_that_is_killed_is_replaced(lab):
    process = foreign(lab)
    job = adopt(lab, process, "--priority", "low")
    first = lab.shim_of(job)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: lab.shim_of(job) != first, what="another shim")
    assert lab.job(job)["state"] == "running"
    goes_on(process)
    # Also while it is aside.
    rush = urgent(lab, "2")
    lab.wait_for(job, "paused")
    second = lab.shim_of(job)
    os.kill(second, signal.SIGKILL)
    wait_until(lambda: lab.shim_of(job) != second, what="a third shim")
    assert lab.ended(rush)["state"] == "completed"
    lab.wait_for(job, "running")
    goes_on(process)
    os.kill(lab.launcher(), signal.SIGKILL)
    goes_on(process)
    lab.run("cancel", job)
    assert lab.ended(job)["state"] == "cancelled"
    process.wait(timeout=20)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
def test_only_processes_of_ones_own(lab):
    theirs = foreign(lab)
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    lab.directory.chmod(0o755)

    def as_nobody(*flags):
        return subprocess.run([*words, lab.programs / "gpusched", "adopt", *map(str, flags)], text=True,
                              env=lab.environment(), capture_output=True, timeout=60, check=False)

    done = as_nobody(theirs.pid)
    assert done.returncode == 77 and "one's own" in done.stderr
    own = subprocess.Popen([*words, "sleep", "600"])
    lab.own.append(own)
    wait_until(lambda: os.stat(f"/proc/{own.pid}").st_uid == 65534, what="another user")
    done = as_nobody(own.pid, "--gpu", "0", "--vram", "1G", "--json")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)["id"]
    lab.wait_for(job, "running")
    lab.run("cancel", job)
    assert lab.ended(job)["state"] == "cancelled"
    assert own.wait(timeout=20) == -signal.SIGTERM


def test_an_idle_foreign_process_makes_room_where_the_rule_says_so(ruled):
    lab = ruled
    process = foreign(lab, "16G", "0")
    assert not lab.jobs(), "nobody waits for its memory"
    waits = lab.submit("--vram", "20G", "--", lab.simjob, "--vram", "19G", "--ramp", "0s", "--seconds", "2")
    adopted = wait_until(lambda: next((job for job in lab.jobs() if job.get("adopted")), None),
                         what="adopted by rule")
    assert adopted["adopted"] == {"pid": process.pid, "by_rule": True,
                                  "started_us": adopted["adopted"]["started_us"]}
    lab.wait_for(adopted["id"], "paused")
    assert lab.ended(waits)["state"] == "completed"
    assert lab.ended(adopted["id"])["state"] == "completed", "let go when it is back"
    goes_on(process)
    wait_until(lambda: card(lab)["foreign_bytes"] >= 16 * GIB, what="foreign again")


def test_without_a_rule_foreign_processes_stay(lab):
    process = foreign(lab, "16G", "0")
    waits = lab.submit("--vram", "20G", "--", "true")
    wait_until(lambda: f"pid {process.pid}" in (lab.job(waits)["reason"] or ""), what="its reason")
    assert [job["id"] for job in lab.jobs()] == [waits]
    goes_on(process)
