"""What users share, each has a part of: memory and the disk. Time on the loop is for bench/worst_waits."""

import os

import pytest
import raw_http
from live_daemon import ROOMY, LiveDaemon, wait_until
from users import MAY_MAKE_USERS, User, programs_for_everybody

MIB = 1 << 20


def resident(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


def submit(daemon, variables, **more):
    answer = daemon.http("POST", "/v1/jobs", {"command": ["sh", "-c", "echo $MINE"], "working_directory": "/",
                                              "gpus": 0, "environment": variables, **more})
    assert answer.status == 200, answer.body
    return answer.json()["first"]


@pytest.fixture
def lean(release_programs):
    """A daemon whose memory is what it uses: the sanitizers keep what is given back."""
    with LiveDaemon(release_programs, config=ROOMY) as daemon:
        yield daemon


def test_environments_of_ended_jobs_are_not_in_memory(lean):
    """150 jobs with 1.4 MiB each, all different."""
    before = resident(lean)
    for _ in range(150):
        submit(lean, [f"BIG{n}={os.urandom(60_000).hex()}" for n in range(12)], hold=True)
    assert resident(lean) - before > 180 * MIB, "while they wait"
    lean.run("cancel", "--all")
    wait_until(lambda: resident(lean) - before < 60 * MIB, what="memory that is given back")
    lean.kill()
    lean.start()
    assert resident(lean) - before < 60 * MIB, "after a restart"


@pytest.mark.parametrize("restart", [False, True])
def test_an_ended_job_still_has_its_environment(own, restart):
    job = submit(own, ["PATH=/usr/bin:/bin", "MINE=of this job"])
    assert own.ended(job)["state"] == "completed"
    if restart:
        own.kill()
        own.start()
    shown = own.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]
    assert shown["environment"] == ["PATH=/usr/bin:/bin", "MINE=of this job"]
    own.run("requeue", job)
    own.run("wait", job)
    assert own.job(job)["attempt"] == 2
    assert own.logs(job) == b"of this job\n"


def test_many_ended_jobs_are_shown_with_their_environments(own):
    jobs = [submit(own, [f"N={n}"], hold=True) for n in range(100)]
    own.run("cancel", "--all")
    shown = own.http("GET", f"/v1/jobs/{jobs[0]}-{jobs[-1]}").json()["jobs"]
    assert [job["environment"] for job in shown] == [[f"N={n}"] for n in range(100)]


def test_an_array_keeps_its_environment_while_one_of_it_waits(own):
    first = submit(own, ["PATH=/usr/bin:/bin", "MINE=of all"], hold=True, array={"indices": "0-2"})
    own.run("cancel", first)
    own.run("cancel", first + 2)
    own.run("release", first + 1)
    own.run("wait", first + 1)
    assert own.logs(first + 1) == b"of all\n"
    own.run("requeue", first)
    own.run("wait", first)
    assert own.logs(first) == b"of all\n"


def test_answers_that_nobody_reads_are_bounded(release_programs):
    config = ROOMY + "limits: {clients_per_user: 200}\n"
    with LiveDaemon(release_programs, config=config) as daemon:
        daemon.run("submit", "--array", "0-1999", "--vram", "24G", "--", "sleep", "600", "x" * 900)
        target = "/v1/overview?waiting=1000"
        size = len(daemon.http("GET", target).body)
        assert size > 1_400_000
        before = resident(daemon)
        deaf = []
        for _ in range(150):
            deaf.append(raw_http.connect(daemon.socket))
            deaf[-1].sendall(raw_http.request_bytes("GET", target))
        answers = [raw_http.parse(client.recv(100) + b"\r\n\r\n").status for client in deaf]
        assert set(answers) == {200, 503}
        assert daemon.http("GET", "/v1/version").status == 200
        assert resident(daemon) - before < 200 * MIB, "not all of them are held"
        for client in deaf:
            client.close()


@pytest.fixture(scope="module")
def small_shares(programs, tmp_path_factory):
    """A daemon of root under which a tenant may keep 8 MiB."""
    if not MAY_MAKE_USERS:
        pytest.skip("needs root and useradd")
    everybodys = programs_for_everybody(programs, tmp_path_factory.mktemp("gpusched"))
    daemon = LiveDaemon(everybodys, config=ROOMY + "limits: {disk_per_tenant: 8M}\n")
    daemon.directory.chmod(0o755)
    with daemon:
        users = [User(daemon, number) for number in (1, 2)]
        yield daemon, *users
        for user in users:
            user.remove()


def test_who_fills_the_disk_with_checkpoints_starts_nothing_more(small_shares):
    daemon, greedy, other = small_shares
    job = greedy.submit("--cmd", "head -c 12M /dev/zero > $GPUSCHED_CHECKPOINT_DIR/state; sleep 600")
    daemon.wait_for(job, "running")
    kept = daemon.state / "jobs" / str(job) / "checkpoint" / "state"
    wait_until(lambda: "too much on the disk" in daemon.log(), what="a word in the log")
    waits = greedy.submit("--cmd", "true")
    assert daemon.ended(other.submit("--cmd", "true"))["state"] == "completed", "nobody else is concerned"
    waiting = daemon.job(waits)
    assert waiting["state"] == "queued"
    assert "checkpoint directories and logs" in waiting["reason"] and "8 MiB" in waiting["reason"]
    told = greedy.gpusched("explain", waits).stdout
    assert "remove what is no longer needed" in told
    assert daemon.job(job)["state"] == "running", "what runs goes on"
    assert greedy.do("rm", kept).returncode == 0, "it is theirs to remove"
    assert daemon.ended(waits)["state"] == "completed"
    greedy.gpusched("cancel", job, "--grace", "0")


def test_a_million_empty_files_are_too_much_too(small_shares):
    daemon, greedy, _ = small_shares
    # 8 MiB are 2,048 of them: a file without content has an entry.
    job = greedy.submit("--cmd", "cd $GPUSCHED_CHECKPOINT_DIR; i=0; "
                        "while [ $i -lt 3000 ]; do : > $i; i=$((i+1)); done; sleep 600")
    daemon.wait_for(job, "running")
    directory = daemon.state / "jobs" / str(job) / "checkpoint"
    wait_until(lambda: len(os.listdir(directory)) >= 3000, what="the files")
    wait_until(lambda: daemon.log().count("too much on the disk") == 2, what="a word in the log")
    waits = greedy.submit("--cmd", "true")
    assert "checkpoint directories" in daemon.job(waits)["reason"]
    greedy.gpusched("cancel", waits)
    greedy.gpusched("cancel", job, "--grace", "0")
