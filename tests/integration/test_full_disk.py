"""A state directory on a disk that is full: what runs goes on, what is to come waits, and room is noticed."""

import json
import os
import subprocess

import pytest
from live_daemon import LiveDaemon, wait_until


CONFIG = """
jobs: {grace: 0s}
host: {cpus: 8}
watch: {busy_period_ms: 100, idle_period_ms: 100}
making_room: {ram_reserve: 64M}
"""


@pytest.fixture
def small_disk(programs, tmp_path):
    """A daemon whose state lies on a file system of 32 MiB."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    daemon = LiveDaemon(programs, config=CONFIG)
    daemon.state.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", daemon.state],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs here: {mounted.stderr.decode().strip()}")
    try:
        with daemon:
            yield daemon
    finally:
        subprocess.run(["umount", "-l", daemon.state], check=False)


def problems(daemon):
    return daemon.http("GET", "/v1/version").json()["problems"]


def fill(directory):
    """Takes all the room there is."""
    with open(directory / "ballast", "wb", buffering=0) as file:
        for size in (65536, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


def test_a_log_on_a_full_disk(small_disk):
    job = small_disk.submit("--gpus", "0", "--", "/usr/bin/python3", "-c",
                            "import os\nfull = False\n"
                            "for _ in range(600):\n"
                            "  try: os.write(1, b'x' * 65536)\n"
                            "  except OSError: full = True\n"
                            "os.truncate('/proc/self/fd/1', 100)\n"
                            "raise SystemExit(9 if full else 8)")
    # The job itself goes on, its end is known once there is room again.
    assert small_disk.ended(job)["exit_code"] == 9
    wait_until(lambda: not problems(small_disk), what="room")
    assert small_disk.run("run", "--gpus", "0", "--", "echo", "ok", stdin=subprocess.DEVNULL).stdout == "ok\n"


def test_a_store_on_a_full_disk(small_disk):
    running = small_disk.submit("--gpus", "0", "--cmd", f"while [ ! -e {small_disk.directory}/go ]; do "
                                "sleep 0.02; done; exit 6")
    held = small_disk.submit("--gpus", "0", "--hold", "--cmd", "exit 7")
    small_disk.wait_for(running, "running")
    fill(small_disk.state)
    # Whatever still fits is accepted; then there is a refusal, and it stays one.
    accepted = []

    def submit():
        big = [word for n in range(4) for word in ("--env", f"BIG{n}={os.urandom(60_000).hex()}")]
        return small_disk.run("submit", "--gpus", "0", "--hold", "--name", "late", *big, "--", "true",
                              check=False)

    def until_refused():
        done = submit()
        if done.returncode == 0:
            accepted.append(int(done.stdout))
            fill(small_disk.state)
            return None
        return done
    done = wait_until(until_refused, what="a refusal")
    assert done.returncode == 74, done
    assert done.stderr.count("\n") == 1 and ("full" in done.stderr or "space" in done.stderr)
    refusal = small_disk.http("POST", "/v1/jobs", {"command": ["true"], "working_directory": "/",
                                                   "environment": [f"BIG={os.urandom(60_000).hex()}"],
                                                   "hold": True})
    assert refusal.status == 507 and refusal.error()["code"] == "storage_full"
    assert small_disk.run("cancel", held, check=False).returncode in (0, 74)
    # What runs keeps running, and can be looked at.
    assert small_disk.job(running)["state"] == "running"
    assert small_disk.run("status").returncode == 0
    (small_disk.directory / "go").touch()
    # Room comes back: everything goes on by itself.
    (small_disk.state / "ballast").unlink()
    assert small_disk.ended(running, seconds=60)["exit_code"] == 6
    wait_until(lambda: submit().returncode == 0, what="a submit that is accepted again")
    for job in accepted:
        assert small_disk.job(job)["name"] == "late"
    small_disk.kill()
    small_disk.start()
    assert small_disk.job(running)["exit_code"] == 6
    for job in accepted:
        assert small_disk.job(job)["name"] == "late"


def test_a_job_that_fills_the_disk_can_be_cancelled(small_disk):
    """The kill goes through although nothing can be written, and is written down when there is room."""
    job = small_disk.submit("--gpus", "0", "--", "/usr/bin/python3", "-c",
                            "import signal\nbig = open('ballast', 'wb', buffering=0)\n"
                            "try:\n  while True: big.write(b'x' * 512)\nexcept OSError: signal.pause()",
                            cwd=small_disk.state)
    small_disk.wait_for(job, "running")
    ballast = small_disk.state / "ballast"
    wait_until(lambda: small_disk.run("submit", "--gpus", "0", "--", "true", check=False).returncode == 74,
               what="a refusal")
    assert small_disk.run("cancel", job, "--grace", "0").returncode == 0
    wait_until(lambda: not big_writer(ballast), what="the end of the process")
    ballast.unlink()
    assert small_disk.ended(job)["state"] == "cancelled"
    wait_until(lambda: not problems(small_disk), what="room")
    assert small_disk.run("run", "--gpus", "0", "--", "echo", "ok", stdin=subprocess.DEVNULL).stdout == "ok\n"


def big_writer(path):
    """Somebody has it open."""
    wanted = os.stat(path)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for number in os.listdir(f"/proc/{pid}/fd"):
                about = os.stat(f"/proc/{pid}/fd/{number}")
                if (about.st_dev, about.st_ino) == (wanted.st_dev, wanted.st_ino):
                    return True
        except OSError:
            continue
    return False


def test_jobs_wait_for_room_on_the_disk(small_disk):
    held = [small_disk.submit("--gpus", "0", "--hold", "--cmd", "exit 6") for _ in range(5)]
    fill(small_disk.state)
    wait_until(lambda: any("is full" in one for one in problems(small_disk)), what="a word about it")
    done = small_disk.run("submit", "--gpus", "0", "--", "true", check=False)
    assert done.returncode == 74 and done.stderr.count("\n") == 1 and "full" in done.stderr, done
    for job in held:
        # Whether this can still be written down depends on the store's log.
        small_disk.run("release", job, check=False)
    states = {small_disk.job(job)["state"] for job in held}
    assert states <= {"held", "queued"}, states
    if "queued" in states:
        waits = next(job for job in held if small_disk.job(job)["state"] == "queued")
        assert "disk" in small_disk.run("explain", waits).stdout
    (small_disk.state / "ballast").unlink()
    wait_until(lambda: not problems(small_disk), what="room")
    small_disk.run("release", *held, check=False)
    for job in held:
        ended = small_disk.ended(job)
        assert ended["exit_code"] == 6, "nobody failed for lack of room"


def test_an_exit_code_waits_for_room(small_disk):
    go = small_disk.directory / "go"
    job = small_disk.submit("--gpus", "0", "--cmd", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 44")
    small_disk.wait_for(job, "running")
    shim = small_disk.shim_of(job)
    small_disk.kill()
    fill(small_disk.state)
    go.touch()
    wait_until(lambda: not [p for p in os.listdir("/proc") if p.isdigit() and
                            parent(p) == shim], what="the command's end")
    (small_disk.state / "ballast").unlink()
    small_disk.start()
    assert small_disk.ended(job)["exit_code"] == 44


@pytest.mark.parametrize("killed", [False, True], ids=["daemon lives", "daemon killed"])
@pytest.mark.parametrize("way", ["out", "back"])
def test_a_disk_that_fills_while_a_job_is_moved(small_disk, way, killed):
    """What was moved is not taken for what was not: it would be woken without its memory, and die."""
    simworld = small_disk.programs / "gpusched-simworld"
    steps = small_disk.directory / "steps"
    job = small_disk.submit("--", small_disk.programs / "gpusched-simjob", "--vram", "4G", "--ramp", "0s",
                            "--seconds", "0", "--busy-threads", "2", "--steps-file", steps)

    def counts():
        text = steps.read_text() if steps.exists() else ""
        return int(text) if text.endswith("\n") else 0

    def slow():
        world = small_disk.state / "sim-world"
        subprocess.run([simworld, "set", world, "checkpoint_fixed_ms=2000"], check=True)

    def mover():
        return [p for p in os.listdir("/proc") if p.isdigit() and
                str(small_disk.state).encode() in read(p, "cmdline") and
                read(p, "comm") == b"gpusched-mover\n"]
    wait_until(counts, what="its first step")
    wait_until(lambda: small_disk.job(job)["estimate"]["used_vram_bytes"], what="a look at its memory")
    if way == "back":
        small_disk.run("pause", job)
        small_disk.wait_for(job, "paused")
    slow()
    record = small_disk.state / "jobs" / str(job) / "1" / "move"
    before = record.read_text() if record.exists() else ""
    small_disk.run("pause" if way == "out" else "resume", job)
    wait_until(mover, what="the mover")
    # Without that it changes nothing, and waits for room.
    wait_until(lambda: record.exists() and record.read_text() != before, what="the record of its beginning")
    fill(small_disk.state)
    if killed:
        small_disk.kill()
        small_disk.start()
    wait_until(lambda: any("is full" in one for one in problems(small_disk)), what="a word about it")
    # The driver has done its part, and nobody can write that down.
    used = 4 << 30 if way == "back" else 0
    wait_until(lambda: card_use(simworld, small_disk.state) == used, what="the end of the call")
    (small_disk.state / "ballast").unlink()
    wait_until(lambda: not problems(small_disk), what="room")
    if way == "out":
        assert small_disk.wait_for(job, "paused")["aside"]["mechanism"] == "checkpoint"
        small_disk.run("resume", job)
    small_disk.wait_for(job, "running")
    steps_before = counts()
    wait_until(lambda: counts() > steps_before, what="another step")
    assert small_disk.job(job)["attempt"] == 1


def card_use(simworld, state):
    shown = subprocess.run([simworld, "show", state / "sim-world", "--json"], capture_output=True, check=True)
    return sum(card["used_bytes"] for card in json.loads(shown.stdout)["cards"])


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def test_a_start_on_a_full_disk_says_so(small_disk):
    small_disk.submit("--gpus", "0", "--hold", "--name", "kept", "--", "true")
    small_disk.kill()
    fill(small_disk.state)
    small_disk.start(wait=False)

    def settled():
        if small_disk.process.poll() is not None:
            return "ended"
        try:
            return small_disk.http("GET", "/v1/version").status
        except OSError:
            return None
    outcome = wait_until(settled, what="a start or a refusal")
    if outcome == "ended":
        assert "full" in small_disk.log() or "space" in small_disk.log()
    (small_disk.state / "ballast").unlink()
    if outcome == "ended":
        small_disk.start()
    assert [j["name"] for j in small_disk.jobs()] == ["kept"]
    assert wait_until(lambda: small_disk.run("submit", "--gpus", "0", "--", "true", check=False
                                             ).returncode == 0, what="a submit")
