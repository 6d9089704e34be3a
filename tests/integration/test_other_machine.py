"""`--server ssh://HOST`: the daemon of another machine, reached through the user's own ssh. A stand-in for
ssh runs what it is given in another directory and with another environment, as a login there would have."""

import signal
import stat
import subprocess

import processes
import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

SSH = """#!/bin/sh
while :; do
  case $1 in
    -T | -t) shift ;;
    -o | -p) shift 2 ;;
    --) shift && break ;;
    *) echo "ssh: unknown option $1" >&2; exit 255 ;;
  esac
done
[ "$1" != nowhere ] || { echo "ssh: Could not resolve hostname nowhere" >&2; exit 255; }
path=@programs@:/usr/bin:/bin
[ "$1" != bare ] || path=/usr/bin:/bin
socket=@socket@
[ "$1" != asleep ] || socket=/nonexistent/socket
[ "$1" != chatty ] || printf 'Welcome to this machine\\nand no end of line: '
mkdir -p @home@ && cd @home@ || exit 1
exec env -i HOME=@home@ PATH="$path" GPUSCHED_SOCKET="$socket" THERE=yes sh -c "$2"
"""


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        place = daemon.directory / "bin"
        place.mkdir()
        text = SSH.replace("@programs@", str(daemon.programs)).replace("@socket@", str(daemon.socket))
        (place / "ssh").write_text(text.replace("@home@", str(daemon.directory / "there")))
        (place / "ssh").chmod(stat.S_IRWXU)
        yield daemon


def environment(box, **more):
    env = {**box.environment(), "HERE": "a b'c", **more}
    del env["GPUSCHED_SOCKET"]
    env["PATH"] = f"{box.directory}/bin:{env['PATH']}"
    return env


def call(box, *words, check=True, variables=None):
    done = subprocess.run([box.programs / "gpusched", *map(str, words)], capture_output=True, text=True,
                          timeout=120, env=environment(box, **(variables or {})), check=False)
    assert not check or done.returncode == 0, done
    return done


def far(box, verb, *words, **options):
    return call(box, verb, "--server", "ssh://box", *words, **options)


def test_a_job_inherits_what_is_there(box):
    job = far(box, "submit", "--gpus", "0", "--env", "HERE", "--env", "SAID=x", "--cmd",
              'pwd; echo "$THERE|$HERE|$SAID|$HOME"').stdout.strip()
    assert far(box, "wait", job).returncode == 0
    there = str(box.directory / "there")
    assert far(box, "logs", job).stdout.splitlines() == [there, f"yes|a b'c|x|{there}"]
    again = far(box, "submit", "--gpus", "0", "--cwd", "sub", "--", "true").stdout.strip()
    assert box.job(again)["working_directory"] == f"{there}/sub"


def test_a_script_is_looked_for_there(box):
    there = box.directory / "there"
    there.mkdir(exist_ok=True)
    (there / "train.sh").write_text("#!/bin/sh\necho trained $1\n")
    (there / "train.sh").chmod(0o755)
    job = far(box, "submit", "--gpus", "0", "--", "./train.sh", "7").stdout.strip()
    far(box, "wait", job)
    assert far(box, "logs", job).stdout == "trained 7\n"


def test_verbs_work_as_at_home(box):
    job = far(box, "submit", "--gpus", "0", "--hold", "--name", "far", "--", "true").stdout.strip()
    assert "far" in far(box, "status", job).stdout
    assert "held" in far(box, "explain", job).stdout
    far(box, "cancel", job)
    assert box.ended(job)["state"] == "cancelled"
    assert '"uuid"' in far(box, "gpus", "--json").stdout


def test_run_has_its_output_and_exit_code(box):
    done = far(box, "run", "--gpus", "0", "--", "sh", "-c", "echo \"it's $THERE\"; exit 7", check=False)
    assert (done.returncode, done.stdout) == (7, "it's yes\n"), done


def test_words_of_a_command_stay_as_they_are(box):
    done = far(box, "run", "--gpus", "0", "echo", "--server=foo", "--server", "bar", "baz")
    assert done.stdout == "--server=foo --server bar baz\n"


def test_names_of_servers(box):
    place = box.directory / "home" / ".config" / "gpusched"
    place.mkdir(parents=True, exist_ok=True)
    (place / "servers.yaml").write_text(f"lab: ssh://box\nhere: {box.socket}\nodd: http://box\n")
    assert call(box, "status", "--server", "lab", "--json").stdout.startswith("{")
    assert call(box, "status", "--server", "here", "--json").stdout.startswith("{")
    assert call(box, "status", "--json", variables={"GPUSCHED_SERVER": "lab"}).stdout.startswith("{")
    for name, words in (("other", "no server is called 'other'; there are: lab, here, odd"),
                        ("odd", "ssh://HOST"), ("ssh://-oProxyCommand=touch", "names no machine")):
        done = call(box, "status", "--server", name, check=False)
        assert done.returncode == 64 and words in done.stderr and done.stderr.count("\n") == 1, done
    done = call(box, "status", "--server", "lab", "--socket", "/x", check=False)
    assert done.returncode == 64 and "two daemons" in done.stderr


@pytest.mark.parametrize("machine, words", [
    ("nowhere", "ssh did not reach gpusched on nowhere; try: ssh nowhere gpusched --version"),
    ("bare", "there is no gpusched in the PATH of bare"),
    ("asleep", "no gpusched daemon answers at /nonexistent/socket"),
])
def test_what_cannot_be_reached(box, machine, words):
    done = call(box, "status", "--server", f"ssh://{machine}", check=False)
    assert done.returncode == 69 and words in done.stderr, done
    submit = call(box, "submit", "--server", f"ssh://{machine}", "--", "true", check=False)
    assert submit.returncode == 69 and words in submit.stderr, submit


def test_a_greeting_of_the_shell_does_no_harm(box):
    assert call(box, "status", "--server", "ssh://chatty", "--json").stdout.startswith("{")


def test_following_ends_with_the_job_and_with_the_client(box):
    go = box.directory / "go"
    job = far(box, "submit", "--gpus", "0", "--cmd",
              f"echo begun; while [ ! -e {go} ]; do sleep 0.02; done; echo done").stdout.strip()

    def relays():
        return [pid for pid in processes.all_pids() if "relay" in processes.words_of(pid) and
                processes.environment_of(pid).get("GPUSCHED_SOCKET") == str(box.socket)]
    with subprocess.Popen([box.programs / "gpusched", "logs", "-f", "--server", "ssh://box", job],
                          stdout=subprocess.PIPE, env=environment(box)) as first:
        assert first.stdout.readline() == b"begun\n"
        assert relays()
        first.send_signal(signal.SIGKILL)
    wait_until(lambda: not relays(), what="the end of the relay")
    with subprocess.Popen([box.programs / "gpusched", "logs", "-f", "--server", "ssh://box", job],
                          stdout=subprocess.PIPE, env=environment(box)) as second:
        assert second.stdout.readline() == b"begun\n"
        go.touch()
        assert second.stdout.read() == b"done\n"


def test_a_shell_here_holds_no_cards_there(box):
    done = far(box, "lease", "--gpus", "1", check=False)
    assert (done.returncode, done.stdout) == (64, "")
    assert "this shell cannot hold cards of another machine" in done.stderr
    assert far(box, "lease", "--gpus", "1", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES").stdout.strip()


def test_a_verb_that_runs_there_ends_as_there(box):
    """255 is what ssh says when it fails, and what a command may say."""
    done = call(box, "run", "--server", "ssh://nowhere", "--gpus", "0", "--", "true", check=False)
    assert done.returncode == 69 and "ssh did not reach gpusched on nowhere" in done.stderr, done
    for code in (3, 255):
        done = far(box, "run", "--gpus", "0", "--", "sh", "-c", f"exit {code}", check=False)
        assert done.returncode == code, done


def test_a_relative_directory_is_one_of_there(box):
    job = far(box, "submit", "--gpus", "0", "--hold", "--", "true").stdout.strip()
    (box.directory / "there" / "sub").mkdir(exist_ok=True)
    far(box, "set", job, "--cwd", "sub")
    assert box.job(job)["working_directory"] == str(box.directory / "there" / "sub")
    box.run("cancel", job)
