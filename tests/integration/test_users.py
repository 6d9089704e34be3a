"""Two real users under a daemon of root: whose files, whose rights, whose jobs."""

import json
import os
import shutil
import socket
import subprocess

import pytest
from live_daemon import wait_until
from users import MAY_MAKE_USERS, User, ml1, ml2, place  # noqa: F401

pytestmark = pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")


def test_a_job_is_its_submitter(place, ml1):
    work = ml1.home / "work"
    ml1.do("mkdir", work)
    script = ("umask; id -u; id -g; id -G; pwd; echo $HOME $USER $LOGNAME $EXTRA; ulimit -Sn; ulimit -Hn; "
              "touch made; grep -h -e CapEff -e NoNewPrivs -e Groups: /proc/self/status")
    done = ml1.do("sh", "-c", "umask 0027; ulimit -Sn 99; ulimit -Hn 123; "
                  f"exec {place.programs}/gpusched submit --gpus 0 --cmd '{script}'", cwd=work,
                  env={"EXTRA": "as submitted"})
    assert done.returncode == 0, done.stderr
    job = int(done.stdout)
    assert place.ended(job)["exit_code"] == 0
    lines = ml1.gpusched("logs", job).stdout.splitlines()
    groups = ml1.do("id", "-G").stdout.split()
    assert lines[:3] == ["0027", str(ml1.uid), str(ml1.gid)]
    assert sorted(lines[3].split()) == sorted(groups) and len(groups) == 2
    assert lines[4:8] == [str(work), f"{ml1.home} {ml1.name} {ml1.name} as submitted", "99", "123"]
    made = (work / "made").stat()
    assert (made.st_uid, made.st_gid, made.st_mode & 0o777) == (ml1.uid, ml1.gid, 0o640)
    assert any(line.split() == ["CapEff:", "0" * 16] for line in lines)


def test_files_of_a_job(place, ml1, ml2):
    job = ml1.submit("--cmd", "echo private; touch $GPUSCHED_CHECKPOINT_DIR/kept")
    place.ended(job)
    attempt = place.state / "jobs" / str(job) / "1"
    log, checkpoint = (attempt / "log").stat(), (attempt.parent / "checkpoint").stat()
    assert (log.st_uid, log.st_mode & 0o777) == (ml1.uid, 0o600)
    assert (checkpoint.st_uid, checkpoint.st_mode & 0o777) == (ml1.uid, 0o700)
    for name in ("spec", "claim", "status", "exit"):
        record = (attempt / name).stat()
        assert (record.st_uid, record.st_mode & 0o777) == (0, 0o600), name
    # Nobody but root can list, change or add there; not even the owner may forge a record.
    for user in (ml1, ml2):
        assert user.do("ls", attempt).returncode != 0
        for name in ("spec", "claim", "status", "exit"):
            assert user.do("cat", attempt / name).returncode != 0
        assert user.do("sh", "-c", f"echo > {attempt}/exit").returncode != 0
        assert user.do("touch", attempt / "new").returncode != 0
        assert user.do("cat", place.state / "gpusched.db").returncode != 0
    assert ml1.do("cat", attempt / "log").stdout == "private\n"
    assert ml2.do("cat", attempt / "log").returncode != 0
    assert ml2.do("cat", attempt.parent / "checkpoint" / "kept").returncode != 0


def test_others_see_the_row_and_nothing_private(place, ml1, ml2):
    job = ml1.submit("--name", "visible", "--env", "TOKEN=secret-of-ml1", "--cmd", "echo private")
    place.ended(job)
    rows = json.loads(ml2.gpusched("status", job, "--json").stdout)["jobs"]
    assert (rows[0]["user"], rows[0]["name"], rows[0]["state"]) == (ml1.name, "visible", "completed")
    told = ml2.gpusched("show", job, "--json")
    assert told.returncode == 0
    assert "secret-of-ml1" not in told.stdout
    details = json.loads(told.stdout)["jobs"][0]
    for private in ("environment", "directory", "control_socket", "log_path", "argv",
                    "working_directory", "output_path"):
        assert details.get(private) is None
    assert details["command"] == rows[0]["command"] == "echo"
    refused = ml2.gpusched("logs", job)
    assert (refused.returncode, refused.stdout) == (77, "")
    assert refused.stderr.count("\n") == 1 and str(job) in refused.stderr
    own = json.loads(ml1.gpusched("show", job, "--json").stdout)["jobs"][0]
    assert "TOKEN=secret-of-ml1" in own["environment"]
    assert "TOKEN=secret-of-ml1" in json.loads(place.run("show", job, "--json").stdout)["jobs"][0][
        "environment"]


CHANGES = [("cancel",), ("hold",), ("release",), ("requeue",), ("set", "--priority", "90"),
           ("set", "--name", "mine")]


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: " ".join(c))
def test_nobody_changes_the_jobs_of_others(place, ml1, ml2, change):
    verb, *flags = change
    job = ml1.submit("--hold", "--cmd", "true")
    own = ml2.submit("--hold", "--cmd", "true")
    before = place.job(job), place.job(own)
    # Also not in one breath with a job of their own: nothing of it happens.
    for selector in (str(job), f"{job},{own}"):
        refused = ml2.gpusched(verb, selector, *flags)
        assert refused.returncode == 77, refused
        assert refused.stderr.count("\n") == 1 and str(job) in refused.stderr
        assert (place.job(job), place.job(own)) == before
    ml2.gpusched("cancel", own)
    ml1.gpusched("cancel", job)


def test_all_means_ones_own(place, ml1, ml2):
    theirs = ml1.submit("--hold", "--cmd", "true")
    own = ml2.submit("--hold", "--cmd", "true")
    assert ml2.gpusched("cancel", "--all").returncode == 0
    assert place.job(own)["state"] == "cancelled"
    assert place.job(theirs)["state"] == "held"
    # Root may change everybody's.
    assert place.run("set", theirs, "--priority", "80").returncode == 0
    assert place.run("cancel", theirs).returncode == 0
    assert place.job(theirs)["state"] == "cancelled"


def test_a_control_socket_listens_to_its_owner_alone(place, ml1, ml2):
    job = ml1.submit("--cmd", "sleep 60")
    place.wait_for(job, "running")
    control = place.state / "jobs" / str(job) / "1" / "control"
    knock = ("import socket,sys; s=socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
             f"s.connect('{control}'); s.settimeout(5); "
             "s.send(b'\\x01\\x02' + b'\\0' * 16) if len(sys.argv) > 1 else None; print(s.recv(4096))")
    refused = ml2.do("/usr/bin/python3", "-c", knock)
    assert "belongs to somebody else" in refused.stdout, refused
    nonsense = ml1.do("/usr/bin/python3", "-c", knock, "speak")
    assert "belongs to somebody else" not in nonsense.stdout, nonsense
    assert place.job(job)["state"] == "running"
    ml1.gpusched("cancel", job, "--grace", "0")
    place.ended(job)


def test_root_only_routes(place, ml2):
    for words in (("backup", ml2.home / "copy"),):
        refused = ml2.gpusched(*words)
        assert refused.returncode == 77, refused
        assert not (ml2.home / "copy").exists()
    for method, route in (("GET", "/v1/config"), ("PUT", "/v1/log-level"), ("GET", "/v1/backup")):
        said = ml2.do("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket",
                      place.socket, "-X", method, f"http://gpusched{route}", "-d",
                      '{"level":"debug"}') if shutil.which("curl") else None
        assert said is None or said.stdout == "403", (route, said)


def test_output_is_opened_with_the_rights_of_the_submitter(place, ml1, ml2):
    ml2.do("sh", "-c", "mkdir -m 700 closed; echo x > closed/file")
    job = ml1.submit("--output", ml2.home / "closed/file", "--cmd", "echo intruder")
    ended = place.ended(job)
    assert (ended["state"], ended["cause"]) == ("failed", "launch")
    assert "permission denied" in ended["message"] and "closed/file" in ended["message"]
    assert (ml2.home / "closed/file").read_text() == "x\n"
    # And not by a way round it: a link in a place of one's own that leads to somebody else's.
    ml1.do("ln", "-s", place.state / "gpusched.db", "link")
    job = ml1.submit("--output", ml1.home / "link", "--cmd", "echo intruder")
    assert place.ended(job)["cause"] == "launch"


def test_the_log_of_a_chosen_path_is_read_as_its_owner(place, ml1):
    """A path that leads to root's files later must not be served."""
    job = ml1.submit("--output", ml1.home / "out", "--cmd", "echo mine")
    place.ended(job)
    assert ml1.gpusched("logs", job).stdout == "mine\n"
    secret = place.directory / "secret"
    secret.write_text("of root\n")
    secret.chmod(0o600)
    ml1.do("sh", "-c", f"rm out; ln -s {secret} out")
    tricked = ml1.gpusched("logs", job)
    assert "of root" not in tricked.stdout
    assert tricked.returncode != 0


def test_a_user_who_vanished(place):
    ghost = User(place, 3)
    try:
        job = ghost.submit("--hold", "--cmd", "true")
        subprocess.run(["userdel", "-f", ghost.name], check=False, capture_output=True)
        assert not ghost.exists()
        place.run("release", job)
        ended = place.ended(job, seconds=60)
        assert (ended["state"], ended["cause"]) == ("failed", "launch")
        assert f"user {ghost.uid} no longer exists" in ended["message"]
        assert place.run("status").returncode == 0
        assert str(ghost.uid) in place.run("status", job).stdout
    finally:
        ghost.remove()


def test_a_vanished_working_directory_of_a_user(place, ml1):
    job = ml1.submit("--hold", "--cwd", ml1.home, "--cmd", "true")
    gone = ml1.home / "gone"
    ml1.do("mkdir", gone)
    other = ml1.submit("--hold", "--cwd", gone, "--cmd", "true")
    ml1.do("rmdir", gone)
    place.run("release", f"{job},{other}")
    assert place.ended(job)["state"] == "completed"
    ended = place.ended(other)
    assert ended["cause"] == "launch" and f"'{gone}' does not exist" in ended["message"]


def test_a_users_daemon_serves_that_user_alone(place, ml1, ml2):
    state, path = ml1.home / "state", ml1.home / "s"
    daemon = subprocess.Popen(
        ["setpriv", f"--reuid={ml1.uid}", f"--regid={ml1.gid}", "--init-groups", "--",
         place.programs / "gpuschedd", "--state-dir", state, "--socket", path, "--sim", "1x8G"],
        env={"HOME": str(ml1.home), "PATH": os.environ["PATH"]}, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: ml1.gpusched("status", "--socket", path).returncode == 0
                   or daemon.poll() is not None, what="the user's daemon")
        job = ml1.gpusched("submit", "--socket", path, "--", "id", "-u")
        assert job.returncode == 0, job.stderr
        assert ml1.gpusched("wait", "--socket", path, "1").returncode == 0
        assert ml1.gpusched("logs", "--socket", path, "1").stdout == f"{ml1.uid}\n"
        refused = ml2.gpusched("status", "--socket", path)
        assert refused.returncode == 77, refused
        assert refused.stderr.count("\n") == 1
        # Also if the socket's mode were wrong.
        ml1.do("chmod", "755", ml1.home)
        ml1.do("chmod", "666", path)
        refused = ml2.gpusched("submit", "--socket", path, "--", "true")
        assert refused.returncode == 77, refused
        assert refused.stderr.count("\n") == 1
        assert place.run("status", "--socket", path).returncode == 0
    finally:
        daemon.terminate()
        said = daemon.communicate(timeout=30)[1]
        assert "Sanitizer" not in said, said


def test_a_socket_that_root_left_lets_everybody_in(place, ml2):
    assert place.socket.stat().st_mode & 0o777 == 0o666
    with socket.socket(socket.AF_UNIX) as knock:
        knock.connect(str(place.socket))
    assert ml2.gpusched("status").returncode == 0


def test_tenants_of_two_users_get_their_shares(place, ml1, ml2):
    """Whoever had less comes first, quotas stop one and not the other, and nobody edits their own."""
    refused = ml1.gpusched("tenant", "set", ml1.name, "--weight", "100")
    assert refused.returncode == 77 and "only an administrator" in refused.stderr
    refused = ml1.gpusched("tenant", "unset", ml1.name)
    assert refused.returncode == 77

    def submit(user, *words):
        done = user.gpusched("submit", *words)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    def started(job):
        return place.job(job)["started_at"]

    # One user has both cards for a while; then each waits with one job, that user's with the
    # higher priority of the two.
    first = [submit(ml1, "--", "sleep", "600") for _ in range(2)]
    for job in first:
        place.wait_for(job, "running")
    wait_until(lambda: json.loads(place.run("tenant", "show", ml1.name, "--json").stdout)
               ["tenants"][0]["usage_gpu_seconds"] > 0.2)
    again = submit(ml1, "--priority", "60", "--", "true")
    other = submit(ml2, "--priority", "50", "--", "true")
    overview = place.http("GET", "/v1/overview").json()
    waiting = [job["id"] for job in overview["waiting"] if job["id"] in (again, other)]
    assert waiting == [other, again]
    place.run("cancel", first[0])
    assert place.ended(other)["state"] == "completed"
    assert place.ended(again)["state"] == "completed"
    assert started(other) <= started(again)

    place.run("tenant", "set", ml1.name, "--cards", "0")
    stopped = submit(ml1, "--priority", "69", "--", "true")
    free = submit(ml2, "--", "true")
    assert place.ended(free)["state"] == "completed"
    assert "the tenant's quota of 0 cards" in place.job(stopped)["reason"]
    place.run("tenant", "unset", ml1.name)
    assert place.ended(stopped)["state"] == "completed"
    place.run("cancel", first[1])
    place.ended(first[1])


def test_a_users_own_output_file_tells_of_gpu_memory_if_they_may_read_it(place, ml1):
    line = "echo torch.OutOfMemoryError: CUDA out of memory. >&2; exit 1"
    job = ml1.submit("--output", "mine", "--error", "errors", "--cmd", line)
    assert (place.ended(job)["cause"], place.job(job)["exit_code"]) == ("cuda_oom", 1)
    ml1.do("sh", "-c", "umask 0377; : > blind; chmod 0200 blind")
    job = ml1.submit("--output", "blind", "--cmd", line)
    assert place.ended(job)["cause"] == "exit"
    # What others wrote there before is not this job's word.
    job = ml1.submit("--output", "errors", "--cmd", "exit 1")
    assert place.ended(job)["cause"] == "exit"


def test_progress_follows_no_link_to_what_others_may_not_read(place, ml1):
    secret = place.directory / "secret"
    secret.write_text("3 4\n")
    secret.chmod(0o600)
    line = (f"ln -s {secret} $GPUSCHED_PROGRESS; while [ ! -e go ]; do sleep 0.05; done; "
            "rm $GPUSCHED_PROGRESS; echo 1 4 > $GPUSCHED_PROGRESS; sleep 60")
    job = ml1.submit("--cmd", line)
    place.wait_for(job, "running")
    link = place.state / "jobs" / str(job) / "checkpoint" / "progress"
    wait_until(link.is_symlink, 30, "the link")
    other = ml1.submit("--cmd", "echo 2 4 > $GPUSCHED_PROGRESS; sleep 60")
    wait_until(lambda: place.job(other)["progress"], 30, "a look at both files")
    assert place.job(job)["progress"] is None
    ml1.do("touch", "go")
    wait_until(lambda: place.job(job)["progress"] == {"step": 1, "total": 4}, 30, "a file of theirs")
    ml1.gpusched("cancel", job, other)
    place.ended(job)
    place.ended(other)


ASKS_AFTER_ITS_PARENT_HAS_ENDED = """
import os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["GPUSCHED_SOCKET"])
print(os.getpid(), flush=True)
if os.fork():
    os._exit(0)
sys.stdin.readline()
body = '{"gpus":1}'
connection.sendall(f"POST /v1/leases HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n"
                   f"Content-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
answer = b""
while piece := connection.recv(65536):
    answer += piece
print(answer.decode(), flush=True)
"""


def process_with_number(wanted, user):
    """A process of the user that gets this number, as one of many others could."""
    for _ in range(200):
        with open("/proc/sys/kernel/ns_last_pid", "w", encoding="utf8") as last:
            last.write(str(wanted - 1))
        process = subprocess.Popen(["setpriv", f"--reuid={user.uid}", f"--regid={user.gid}",
                                    "--clear-groups", "sleep", "1000"])
        if process.pid == wanted:
            return process
        process.kill()
        process.wait(30)
    return None


def test_a_lease_is_not_held_by_whoever_got_the_number(place, ml1, ml2):
    if not os.access("/proc/sys/kernel/ns_last_pid", os.W_OK):
        pytest.skip("this kernel does not let a number be chosen")
    asker = subprocess.Popen(
        ["setpriv", f"--reuid={ml1.uid}", f"--regid={ml1.gid}", "--clear-groups", "/usr/bin/python3",
         "-c", ASKS_AFTER_ITS_PARENT_HAS_ENDED], env=place.environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    connected = int(asker.stdout.readline())
    assert asker.wait(30) == 0
    other = process_with_number(connected, ml2)
    try:
        answer, _ = asker.communicate("\n", timeout=60)
        assert " 404 " in answer.splitlines()[0], answer
        assert f"there is no process {connected}" in answer
    finally:
        if other:
            other.kill()
            other.wait(30)


def test_a_number_without_an_account_is_refused(place):
    refused = subprocess.run(
        ["setpriv", "--reuid=3123456", "--regid=3123456", "--clear-groups",
         str(place.programs / "gpusched"), "submit", "--gpus", "0", "--", "true"],
        env=place.environment() | {"HOME": "/"}, cwd="/", capture_output=True, text=True,
        timeout=60, check=False)
    assert refused.returncode == 77, refused
    assert "user 3123456 has no account on this machine" in refused.stderr


def test_groups_of_ones_own(place, ml1, ml2):
    """A user's group limits the user's jobs alone; everybody's are an administrator's."""
    said = ml1.gpusched("group", "set", "night", "1")
    assert said.returncode == 0 and f"at most 1 of group {ml1.name}/night" in said.stderr, said.stderr
    jobs = [ml1.submit("--group", "night", "--", "sleep", "60") for _ in range(2)]
    other = ml2.submit("--group", "night", "--", "sleep", "60")
    place.wait_for(jobs[0], "running")
    place.wait_for(other, "running")
    assert place.job(jobs[0])["group"] == f"{ml1.name}/night"
    assert f"group '{ml1.name}/night' runs its limit of 1 job" in ml1.gpusched("explain", jobs[1]).stdout
    # Neither the groups of others nor everybody's are theirs to change, nor others' for their jobs.
    for words in (["set", f"{ml1.name}/night", "5"], ["remove", f"{ml1.name}/night"]):
        assert ml2.gpusched("group", *words).returncode == 77
    refused = ml2.gpusched("submit", "--group", f"{ml1.name}/night", "--gpus", "0", "--", "true")
    assert refused.returncode == 77 and refused.stderr.count("\n") == 1, refused.stderr
    place.run("group", "set", "shared", "3")
    assert ml1.gpusched("group", "remove", "shared").returncode == 66
    assert "shared" in ml1.gpusched("group").stdout
    # Its filter means both.
    mine = json.loads(ml1.gpusched("status", "--group", "night", "--user", ml1.name, "--json").stdout)
    assert sorted(job["id"] for job in mine["jobs"]) == sorted(jobs)
    ml1.gpusched("group", "set", "night", "2")
    place.wait_for(jobs[1], "running")
    for user, ids in ((ml1, jobs), (ml2, [other])):
        user.gpusched("cancel", *ids)
    assert ml1.gpusched("group", "remove", "night").returncode == 0
    place.run("group", "remove", "shared")
