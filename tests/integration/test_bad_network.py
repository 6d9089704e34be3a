"""The client over networks that lose, delay, keep back and fall silent: reads are asked again, changes are
done once, streams go on where they stopped, and a person can always leave."""

import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import time

import pytest
from bad_wire import BadWire
from live_daemon import LiveDaemon, wait_until

CONFIG = 'host: {cpus: 64}\njobs: {grace: 0s}\nnetwork: {listen: ["127.0.0.1:0"]}\n'


def port_of(box):
    said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', box.log())
    return int(said[-1].rsplit(":", 1)[1])


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="2x24G", config=CONFIG) as daemon:
        daemon.token = daemon.run("token", "create", "--role", "admin").stdout.strip()
        yield daemon


@pytest.fixture
def wire(box):
    with BadWire(port_of(box)) as made:
        yield made


def environment(box, wire, patience):
    env = {**box.environment(), "GPUSCHED_SERVER": wire.url, "GPUSCHED_TOKEN": box.token,
           "GPUSCHED_PATIENCE": str(patience)}
    del env["GPUSCHED_SOCKET"]
    return env


def far(box, wire, *words, patience=60, check=True):
    done = subprocess.run([box.programs / "gpusched", *map(str, words)], capture_output=True, text=True,
                          timeout=200, env=environment(box, wire, patience), check=False)
    assert not check or done.returncode == 0, done
    return done


def follow(box, wire, *words, patience=60):
    return subprocess.Popen([box.programs / "gpusched", *map(str, words)], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, env=environment(box, wire, patience))


def submit(box, wire, name, **options):
    done = far(box, wire, "submit", "--cwd", "/tmp", "--gpus", "0", "--hold", "--name", name, "--", "true",
               **options)
    return int(done.stdout)


def named(box, name):
    return box.http("GET", f"/v1/jobs?name={name}").json()["jobs"]


def test_a_submit_is_done_once_wherever_it_is_cut(box):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    cuts = [("up", at) for at in (0, 1, 2, 400, 900)] + [("down", at) for at in (1, 2, 17, 200, 201)]
    cuts += [(chance.choice(("up", "down")), chance.randrange(1, 700)) for _ in range(30)]

    def try_one(number):
        way, at = cuts[number]
        with BadWire(port_of(box)) as wire:
            wire.first({way: at})
            return submit(box, wire, f"cut-{number}"), wire.count

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for number, (job, tries) in enumerate(pool.map(try_one, range(len(cuts)))):
            assert [one["id"] for one in named(box, f"cut-{number}")] == [job], (seed, cuts[number], tries)
    box.run("cancel", "--all")


def test_other_changes_are_done_once(box, wire):
    for plan in ({"down": 1}, {"down": 150}):
        before = len(box.http("GET", "/v1/reservations").json()["reservations"])
        # The first connection asks which start of the server it is.
        plans = [plan, None]
        wire.plan = lambda plans=plans: plans.pop() if plans else None
        far(box, wire, "reserve", "--gpus", "1", "--from", "23:00", "--for", "1h")
        assert len(box.http("GET", "/v1/reservations").json()["reservations"]) == before + 1, plan
    job = submit(box, wire, "held")
    wire.first({"down": 30})
    done = far(box, wire, "release", job)
    assert f"{job}" in done.stderr, "the repeat is told what the first did"
    assert box.ended(job)["state"] == "completed"


def test_reads_are_asked_again(box, wire):
    job = submit(box, wire, "looked-at")
    wire.plan = lambda: {"down": 40} if wire.count < 4 else None
    wire.count = 0
    assert f"{job}" in far(box, wire, "status", "--columns", "id,state").stdout
    wire.plan = lambda: {"slow": 0.1}
    assert f"{job}" in far(box, wire, "status", "--columns", "id,state").stdout
    wire.first({"down": 300})
    assert far(box, wire, "show", job, "--json").stdout.count('"name":"looked-at"') == 1
    box.run("cancel", str(job))


def test_streams_go_on_where_they_stopped(box, wire):
    gate = box.directory / "gate"
    lines = 300
    job = far(box, wire, "submit", "--cwd", "/tmp", "--gpus", "0", "--cmd",
              f"i=0; while [ $i -lt {lines} ]; do echo line $i; i=$((i+1)); "
              f"[ $i != 150 ] || while [ ! -e {gate} ]; do sleep 0.05; done; done").stdout.strip()
    logs = follow(box, wire, "logs", "-f", job)
    waits = follow(box, wire, "wait", job)
    events = follow(box, wire, "events", "-f", job)
    wait_until(lambda: box.job(job)["state"] == "running", what="the start")
    got = [logs.stdout.readline() for _ in range(150)]
    wire.cut()
    gate.touch()
    got += logs.stdout.readlines()
    assert got == [f"line {i}\n" for i in range(lines)]
    assert waits.wait(timeout=100) == 0
    for line in events.stdout:
        if "completed" in line:
            break
    else:
        raise AssertionError("the end of the job was not told")
    for one in (logs, waits, events):
        one.kill()
        one.communicate()


def test_a_connection_that_fell_silent_is_left(box, wire):
    wire.first({"silent": True})
    assert "gpusched" not in far(box, wire, "status", patience=2).stderr, "nobody need know of one try"
    assert wire.count == 2
    wire.plan = lambda: {"silent": True}
    job = box.submit("--gpus", "0", "--hold", "--", "true")
    done = far(box, wire, "wait", job, "--timeout", "1s", check=False)
    assert done.returncode == 75 and done.stderr.count("\n") == 1, done
    box.run("cancel", str(job))


def test_a_server_that_stays_away(box, wire):
    wire.broken = True
    done = far(box, wire, "status", patience=3, check=False)
    words = done.stderr.splitlines()
    assert done.returncode == 69 and len(words) == 2, done
    assert words[0] == "gpusched: the server is away; trying again for up to 3 s"
    done = far(box, wire, "status", patience=0, check=False)
    assert done.returncode == 69 and done.stderr.count("\n") == 1, done


def test_a_proxy_that_keeps_answers_back(box, wire):
    wire.plan = lambda: {"whole": True}
    gate = box.directory / "second gate"
    job = far(box, wire, "submit", "--cwd", "/tmp", "--gpus", "0", "--cmd",
              f"echo first; while [ ! -e '{gate}' ]; do sleep 0.05; done; echo last").stdout.strip()
    before = wire.count
    states = follow(box, wire, "status", "-f", job, patience=3)
    # The stream that does not come, what there is, and what has changed.
    wait_until(lambda: wire.count >= before + 3, seconds=60, what="questions instead of a stream")
    logs = follow(box, wire, "logs", "-f", job, patience=3)
    events = follow(box, wire, "events", "-f", job, patience=3)
    assert logs.stdout.readline() == "first\n"
    said = events.stdout.readline()
    gate.touch()
    assert logs.stdout.read() == "last\n" and logs.wait(timeout=60) == 0
    while "completed" not in said:
        said = events.stdout.readline()
        assert said, events.communicate()
    assert "completed" in states.stdout.readline()
    assert far(box, wire, "wait", job).returncode == 0
    for one in (logs, events, states):
        one.kill()
        one.communicate()


def test_a_restart_of_the_server(box, wire):
    gate = box.directory / "third gate"
    job = far(box, wire, "submit", "--cwd", "/tmp", "--gpus", "0", "--cmd",
              f"echo before; while [ ! -e '{gate}' ]; do sleep 0.05; done; echo after").stdout.strip()
    logs = follow(box, wire, "logs", "-f", job, patience=200)
    waits = follow(box, wire, "wait", job, patience=200)
    assert logs.stdout.readline() == "before\n"
    wait_until(lambda: wire.count >= 4, what="the questions of both")
    wire.broken = True
    box.kill()
    wire.cut()
    again = follow(box, wire, "submit", "--cwd", "/tmp", "--gpus", "0", "--name", "meanwhile", "--", "true",
                   patience=200)
    before = wire.count
    wait_until(lambda: wire.count > before + 2, what="tries while it is away")
    box.start()
    wire.port = port_of(box)
    wire.broken = False
    gate.touch()
    assert logs.stdout.read() == "after\n"
    assert waits.wait(timeout=200) == 0
    assert again.wait(timeout=200) == 0, again.stderr.read()
    assert len(named(box, "meanwhile")) == 1
    for one in (logs, waits, again):
        one.communicate()


def test_delay_and_loss(programs):
    """The kernel's own bad network, on the loopback device of a network of its own."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
        pytest.skip("needs root and iproute2, to make a network of its own")
    name = f"gpusched-{os.getpid()}"
    inside = ["ip", "netns", "exec", name]
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
        pytest.skip("no network namespace can be made here")
    try:
        subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        bad = [*inside, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "100ms", "loss", "20%"]
        if subprocess.run(bad, capture_output=True, check=False).returncode != 0:
            pytest.skip("this kernel has no sch_netem; the wires of the other tests stand in for it")
        work_over_netem(programs, inside)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)


def work_over_netem(programs, inside):
    with LiveDaemon(programs, sim="1x24G", config=CONFIG.split("network")[0], prefix=inside) as box:
        box.token = box.run("token", "create").stdout.strip()
        box.run("cert", "localhost", "127.0.0.1", "--out", box.directory)
        files = f"certificate: {box.directory}/gpusched.crt, key: {box.directory}/gpusched.key"
        config = CONFIG.replace('"]}', f'"], {files}}}')
        (box.directory / "config.yaml").write_text(config)
        box.run("config", "reload")
        env = {**box.environment(), "GPUSCHED_TOKEN": box.token, "GPUSCHED_PATIENCE": "120",
               "GPUSCHED_SERVER": f"https://localhost:{port_of(box)}"}
        del env["GPUSCHED_SOCKET"]

        def call(*words):
            return subprocess.run([*inside, box.programs / "gpusched", *words], capture_output=True,
                                  text=True, timeout=500, env=env, check=True).stdout

        begun = time.monotonic()
        job = call("submit", "--cwd", "/tmp", "--gpus", "0", "--name", "lossy", "--", "echo", "through")
        job = job.strip()
        call("wait", job)
        assert call("logs", "-f", job) == "through\n"
        assert len(box.http("GET", "/v1/jobs?name=lossy").json()["jobs"]) == 1
        assert time.monotonic() - begun > 0.4, "the delay was there"
