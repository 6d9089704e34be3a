"""Jobs under MPS servers of their users: made, joined, watched, stopped; the limits bind, and whoever is
killed, nothing is left behind. The simulated driver's control daemon stands in for NVIDIA's."""

import json
import os
import signal
import stat

import processes
import pytest
from live_daemon import LiveDaemon, wait_until
from users import MAY_MAKE_USERS, User, programs_for_everybody

CONFIG = """
jobs: {grace: 2s}
host: {cpus: 64, ram: 256G}
making_room: {run_least: 0s, cool_down: 0s}
isolation: {mps: limits, mps_linger: 1s}
"""


@pytest.fixture
def daemon(programs):
    with LiveDaemon(programs, sim="2x24G", config=CONFIG) as one:
        yield one
        one.run("cancel", "--all", check=False)
        wait_until(lambda: not places(one), what="the end of the MPS servers")


def places(daemon):
    mps = daemon.state / "mps"
    return sorted(path.name for path in mps.iterdir()) if mps.is_dir() else []


def of_mps(daemon, word):
    """The processes of this daemon's MPS servers that have this word in their names."""
    found = []
    for pid in processes.all_pids():
        words = processes.words_of(pid)
        if not words or word not in words[0]:
            continue
        if str(daemon.state / "mps") in processes.environment_of(pid).get("CUDA_MPS_PIPE_DIRECTORY", ""):
            found.append(pid)
    return found


def servers(daemon):
    return of_mps(daemon, "nvidia-cuda-mps-server")


def keepers(daemon):
    found = []
    for pid in processes.named("gpusched-mps"):
        if str(daemon.state) in " ".join(processes.words_of(pid)):
            found.append(pid)
    return found


def work(daemon, *flags, vram="2G", seconds="0"):
    return daemon.submit(*flags, "--", daemon.programs / "gpusched-simjob", "--vram", vram,
                         "--seconds", seconds, "--step-ms", "20")


def show(daemon, job):
    return json.loads(daemon.run("show", job, "--json").stdout)["jobs"][0]


def test_a_server_is_made_for_the_first_job_shared_by_the_next_and_stopped_after_the_last(daemon):
    first = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(first, "running")
    wait_until(lambda: len(servers(daemon)) == 1, what="one server")
    second = work(daemon, "--vram", "4G", "--vram-limit", "6G", "--gpu", "0")
    daemon.wait_for(second, "running")
    assert len(servers(daemon)) == 1 and places(daemon) == [f"{os.getuid()}-0.1"]
    other_card = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "1")
    daemon.wait_for(other_card, "running")
    wait_until(lambda: len(servers(daemon)) == 2, what="a server for the other card")
    daemon.run("cancel", first)
    daemon.ended(first)
    daemon.run("cancel", other_card)
    daemon.ended(other_card)
    wait_until(lambda: len(servers(daemon)) == 1, what="the end of the server without jobs")
    assert daemon.job(second)["state"] == "running"
    daemon.run("cancel", second)
    daemon.ended(second)
    wait_until(lambda: not servers(daemon) and not places(daemon), what="the end of the last server")
    wait_until(lambda: not keepers(daemon), what="the end of the keepers")


def test_the_job_is_told_where_its_server_is_and_what_it_may_have(daemon):
    job = work(daemon, "--vram", "4G", "--share", "30", "--vram-limit", "6G", "--gpu", "1")
    daemon.wait_for(job, "running")
    shim = daemon.shim_of(job)
    command = wait_until(lambda: [pid for pid in processes.children_of(shim)
                                  if "simjob" in processes.words_of(pid)[0]], what="the command")[0]
    told = processes.environment_of(command)
    place = daemon.state / "mps" / f"{os.getuid()}-1.1"
    assert told["CUDA_MPS_PIPE_DIRECTORY"] == str(place / "pipe")
    assert told["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "30"
    assert told["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] == "0=6144M"
    uuid = daemon.job(job)["gpus"][0]["uuid"]
    assert told["CUDA_VISIBLE_DEVICES"] == uuid
    control = of_mps(daemon, "nvidia-cuda-mps-control")[0]
    assert processes.environment_of(control)["CUDA_VISIBLE_DEVICES"] == uuid
    for name in ("pipe", "log"):
        about = (place / name).stat()
        assert (about.st_uid, stat.S_IMODE(about.st_mode)) == (os.getuid(), 0o700)
    assert stat.S_IMODE(place.stat().st_mode) == 0o711
    details = show(daemon, job)
    assert details["mps"] is True and details["vram_limit_by"] == "mps"
    text = daemon.run("show", job).stdout
    assert "6.0 GiB on each card, by MPS" in text and "at most 30 % of the card, by MPS" in text
    assert "through MPS" in daemon.run("events", job).stdout
    assert "through MPS" in daemon.run("explain", job).stdout


def test_only_jobs_that_ask_for_a_limit_use_it(daemon):
    plain = work(daemon, "--vram", "4G")
    alone = work(daemon, "--vram", "4G", "--vram-limit", "6G", "--exclusive")
    daemon.wait_for(plain, "running")
    daemon.wait_for(alone, "running")
    assert not places(daemon)
    assert show(daemon, plain)["mps"] is False and show(daemon, alone)["mps"] is False
    assert show(daemon, alone)["vram_limit_by"] == "watch"
    assert "6.0 GiB on each card, by watch" in daemon.run("show", alone).stdout


def test_a_job_on_two_cards_runs_without(daemon):
    job = work(daemon, "--vram", "4G", "--gpus", "2", "--share", "50", "--vram-limit", "6G")
    daemon.wait_for(job, "running")
    assert not places(daemon) and show(daemon, job)["vram_limit_by"] == "watch"


def test_memory_above_the_limit_is_refused_by_the_driver_at_once(daemon):
    job = work(daemon, "--vram", "4G", "--vram-limit", "6G", vram="7G", seconds="1")
    ended = daemon.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "cuda_oom")
    assert daemon.ended(work(daemon, "--vram", "4G", "--vram-limit", "6G", vram="5G",
                             seconds="0.2"))["state"] == "completed"


def test_a_share_makes_a_job_slower(daemon):
    """Half a second of full use takes two seconds with a quarter of the card."""
    def seconds_of(*flags):
        job = daemon.submit(*flags, "--", daemon.programs / "gpusched-simjob", "--vram", "1G", "--util",
                            "100", "--seconds", "0.5", "--step-ms", "100")
        daemon.ended(job)
        usage = show(daemon, job)["usage"]
        return usage["gpu"]["gpu_seconds"]
    whole = seconds_of("--vram", "2G")
    assert seconds_of("--vram", "2G", "--share", "25") > whole + 1


def test_the_planner_does_not_choose_what_the_driver_refuses(programs):
    with LiveDaemon(programs, sim="1x24G", config=CONFIG) as daemon:
        stays = work(daemon, "--vram", "16G", "--share", "50", "--priority", "low", vram="15G")
        daemon.wait_for(stays, "running")
        urgent = work(daemon, "--vram", "16G", "--priority", "urgent", vram="15G", seconds="0.1")
        wait_until(lambda: daemon.job(urgent)["reason"], what="a reason")
        assert daemon.job(stays)["state"] == "running" and daemon.job(urgent)["state"] == "queued"
        assert show(daemon, stays)["moves"] == 0
        daemon.run("cancel", stays)
        assert daemon.ended(urgent)["state"] == "completed"
        again = work(daemon, "--vram", "16G", "--share", "50", "--priority", "low", "--restartable",
                     vram="15G")
        daemon.wait_for(again, "running")
        urgent = work(daemon, "--vram", "16G", "--priority", "urgent", vram="15G", seconds="0.1")
        assert daemon.ended(urgent)["state"] == "completed"
        daemon.wait_for(again, "running")
        assert daemon.job(again)["attempt"] == 2
        # Paused by hand it is frozen, and keeps its memory.
        daemon.run("pause", again)
        daemon.wait_for(again, "paused")
        assert show(daemon, again)["aside"]["mechanism"] == "freeze"
        daemon.run("resume", again)
        daemon.wait_for(again, "running")
        daemon.run("cancel", again)
        daemon.ended(again)
        wait_until(lambda: not places(daemon), what="the end of the server")


def test_a_killed_daemon_finds_its_servers_again(daemon):
    job = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(job, "running")
    before = wait_until(lambda: servers(daemon), what="a server")
    daemon.kill()
    daemon.start()
    assert servers(daemon) == before
    # What was shown right before the end need not have been on disk.
    daemon.wait_for(job, "running")
    assert show(daemon, job)["mps"] is True
    second = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(second, "running")
    assert servers(daemon) == before
    for one in (job, second):
        daemon.run("cancel", one)
        daemon.ended(one)
    wait_until(lambda: not servers(daemon) and not places(daemon), what="the end of the server")


@pytest.mark.parametrize("killed", ["server", "control daemon"])
def test_a_killed_server_costs_its_jobs_which_say_so_and_the_next_gets_a_new_one(daemon, killed):
    job = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(job, "running")
    before = wait_until(lambda: servers(daemon), what="a server")
    bystander = daemon.submit("--vram", "4G", "--share", "30", "--gpu", "0", "--", "sleep", "1000")
    daemon.wait_for(bystander, "running")
    victim = before if killed == "server" else of_mps(daemon, "nvidia-cuda-mps-control")
    os.kill(victim[0], signal.SIGKILL)
    ended = daemon.ended(job)
    assert ended["state"] == "failed" and "MPS server that it used has ended" in ended["message"]
    after = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(after, "running")
    now = wait_until(lambda: [pid for pid in servers(daemon) if pid not in before], what="a new server")
    assert len(now) == 1 and daemon.job(bystander)["state"] == "running"
    assert places(daemon) == [f"{os.getuid()}-0.1", f"{os.getuid()}-0.2"]
    daemon.run("cancel", bystander)
    wait_until(lambda: places(daemon) == [f"{os.getuid()}-0.2"], what="the end of the old place")
    assert daemon.job(after)["state"] == "running"


@pytest.mark.parametrize("killed", ["keeper", "keeper and daemon", "keeper and shim"])
def test_nothing_is_left_whoever_of_us_is_killed(daemon, killed):
    job = work(daemon, "--vram", "4G", "--share", "30", "--gpu", "0")
    daemon.wait_for(job, "running")
    wait_until(lambda: servers(daemon) and keepers(daemon), what="a server")
    os.kill(keepers(daemon)[0], signal.SIGKILL)
    wait_until(lambda: not keepers(daemon), what="the keeper's end")
    assert servers(daemon), "a server does not need its keeper"
    if killed == "keeper and daemon":
        daemon.kill()
        daemon.start()
        wait_until(lambda: keepers(daemon), what="another keeper")
    if killed == "keeper and shim":
        os.kill(daemon.shim_of(job), signal.SIGKILL)
    else:
        daemon.run("cancel", job)
    daemon.ended(job)
    wait_until(lambda: not servers(daemon) and not places(daemon) and not keepers(daemon),
               what="the end of the server")


def test_a_server_that_cannot_be_started_is_done_without_and_seen(programs, tmp_path):
    broken = tmp_path / "nvidia-cuda-mps-control"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    broken.chmod(0o755)
    config = CONFIG.replace("mps_linger", f"mps_control: {broken}, mps_linger")
    with LiveDaemon(programs, sim="1x24G", config=config) as daemon:
        job = work(daemon, "--vram", "4G", "--vram-limit", "6G", vram="5G")
        daemon.wait_for(job, "running")
        details = show(daemon, job)
        assert details["mps"] is False and details["vram_limit_by"] == "watch"
        assert "no such luck" in details["without_mps"]
        wait_until(lambda: "without MPS" in daemon.run("events", job).stdout, what="the event")
        assert "no such luck" in daemon.run("show", job).stdout
        # It can be moved as any other.
        urgent = work(daemon, "--vram", "20G", "--priority", "urgent", vram="19G", seconds="0.1")
        assert daemon.ended(urgent)["state"] == "completed"
        assert show(daemon, job)["moves"] == 1
        daemon.run("cancel", job)
        daemon.ended(job)


def test_the_servers_memory_is_seen_and_its_user_is_not_blamed(daemon):
    job = work(daemon, "--vram", "4G", "--share", "50", "--gpu", "0")
    daemon.wait_for(job, "running")

    def card():
        return json.loads(daemon.run("gpus", "--json").stdout)["cards"][0]

    def seen():
        listed = card().get("processes") or []
        return {("server" if "mps-server" in (each.get("command") or "") else "client"): each
                for each in listed}
    found = wait_until(lambda: len(seen()) == 2 and seen(), what="client and server")
    assert found["client"]["job"] == job and found["client"]["kind"] == "mps"
    assert "job" not in found["server"] and found["server"]["vram_bytes"] == 30 << 20
    assert found["client"]["vram_bytes"] >= 2 << 30


def test_a_job_that_submits_another_does_not_hand_its_server_on(daemon):
    inner = f"{daemon.programs}/gpusched submit --gpus 1 --vram 2G -- env > {daemon.directory}/id"
    job = daemon.submit("--vram", "4G", "--share", "30", "--gpu", "0", "--cmd", inner)
    daemon.ended(job)
    other = int((daemon.directory / "id").read_text())
    daemon.ended(other)
    told = daemon.logs(other).decode()
    assert "CUDA_VISIBLE_DEVICES" in told
    assert "MPS" not in told


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")
def test_two_users_have_a_server_each_and_neither_can_use_the_others(programs, tmp_path):
    daemon = LiveDaemon(programs_for_everybody(programs, tmp_path), sim="1x24G", config=CONFIG)
    daemon.directory.chmod(0o755)
    with daemon:
        users = [User(daemon, number) for number in (1, 2)]
        try:
            jobs = []
            for user in users:
                done = user.gpusched("submit", "--vram", "4G", "--share", "30", "--", "gpusched-simjob",
                                     "--vram", "2G", "--seconds", "0", "--step-ms", "20")
                assert done.returncode == 0, done.stderr
                jobs.append(int(done.stdout))
                daemon.wait_for(jobs[-1], "running")
            assert places(daemon) == sorted(f"{user.uid}-0.1" for user in users)
            found = wait_until(lambda: len(servers(daemon)) == 2 and servers(daemon), what="two servers")
            owners = {os.stat(f"/proc/{pid}").st_uid for pid in found}
            assert owners == {user.uid for user in users}
            for user, other in (users, reversed(users)):
                pipe = daemon.state / "mps" / f"{other.uid}-0.1" / "pipe"
                assert user.do("ls", pipe).returncode != 0
                assert user.do("ls", daemon.state / "mps" / f"{user.uid}-0.1" / "pipe").returncode == 0
            for job in jobs:
                daemon.run("cancel", job)
                daemon.ended(job)
            wait_until(lambda: not places(daemon) and not servers(daemon), what="the end of the servers")
        finally:
            for user in users:
                user.remove()
