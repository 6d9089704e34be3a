"""Every verb over https: it works, or it refuses with a documented code and one sentence that names a way."""

import re
import subprocess

import pytest
from live_daemon import LiveDaemon

CONFIG = "host: {cpus: 16}\njobs: {grace: 0s}\n"
NETWORK = ('network: {{listen: ["127.0.0.1:0"], certificate: {0}/gpusched.crt, key: {0}/gpusched.key}}\n')
# Words (HELD, DONE and PLACE stand for a held job, one that has ended, and a directory), the exit code, and
# what is said: on standard output if it works, else in the only line on standard error.
VERBS = {
    "submit": [("--cwd /tmp --gpus 0 -- true", 0, r"^\d+$"),
               ("-- true", 64, "--cwd /DIR"),
               ("--cwd /tmp --gpus 0 --dry-run -- true", 0, "Starts: at once")],
    "run": [("--cwd /tmp --gpus 0 -- true", (0, 69), "|submit, logs -f and wait|ssh://HOST")],
    "attach": [("DONE", (0, 65, 69), "|logs -f")],
    "status": [("", 0, "DONE"), ("--json", 0, '"jobs"')],
    "show": [("DONE", 0, "completed")],
    "sweep": [("", (0, 66), "")],
    "explain": [("HELD", 0, "held")],
    "events": [("DONE", 0, "completed")],
    "logs": [("DONE", 0, "^hello$"), ("--digest --all", 0, "")],
    "wait": [("DONE", 0, "")],
    "cancel": [("HELD --dry-run", 0, "")],
    "hold": [("HELD", 65, "is held")],
    "release": [("HELD --dry-run", 0, "")],
    "pause": [("HELD --dry-run", (0, 65), "")],
    "resume": [("HELD --dry-run", (0, 65), "")],
    "requeue": [("DONE --dry-run", 0, "")],
    "set": [("HELD --priority high", 0, ""), ("HELD --cwd sub", 64, "whole path")],
    "move": [("HELD --first --dry-run", (0, 64, 65), "")],
    "group": [("", 0, ""), ("set night --limit 2", 0, "")],
    "tenant": [("", 0, "")],
    "gpus": [("", 0, "")],
    "top": [("--json", 0, '"overview"')],
    "drain": [("0", 0, "")],
    "undrain": [("0", 0, "")],
    "reserve": [("", 0, ""), ("--gpus 1 --from 23:00 --for 1h", 0, r"^\d+$")],
    "lease": [("list", 0, ""), ("release 999999", 66, "999999"), ("-- true", 69, "ssh://HOST"),
              ("", 69, "ssh://HOST")],
    "adopt": [("4194303", (66, 69, 77), "machine|process|socket|token")],
    "disown": [("HELD --dry-run", (0, 65), "")],
    "report": [("", 0, "")],
    "serve": [("--version", 0, "gpuschedd")],
    "doctor": [("", 69, "ssh://HOST")],
    "config": [("show", (0, 64), ""), ("reload --dry-run", 0, "")],
    "page": [("", (0, 69), "^https://localhost:|npm")],
    "token": [("list", 0, ""), ("create", 77, "socket|machine|token")],
    "alerts": [("", 0, ""), ("rules", 0, "temperature")],
    "audit": [("", 0, "")],
    "cert": [("box.lab --out PLACE", 0, "^[0-9A-F:]+$")],
    "backup": [("PLACE/queue.db", 0, "")],
    "simulate": [("--help", 0, "usage")],
    "debug": [("--help", 0, "usage")],
    "completion": [("bash", 0, "gpusched")],
}


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, sim="2x24G", config=CONFIG) as daemon:
        daemon.run("cert", "localhost", "--out", daemon.directory)
        (daemon.directory / "config.yaml").write_text(CONFIG + NETWORK.format(daemon.directory))
        daemon.run("config", "reload")
        said = re.findall(r'the network can reach the daemon at="?([^"\n]*?)"? certificate', daemon.log())
        daemon.server = f"https://localhost:{said[-1].rsplit(':', 1)[1]}"
        daemon.token = daemon.run("token", "create", "--role", "admin").stdout.strip()
        done = daemon.submit("--gpus", "0", "--", "echo", "hello")
        daemon.ended(done)
        held = daemon.submit("--gpus", "0", "--hold", "--", "true")
        place = daemon.directory / "place"
        place.mkdir()
        daemon.words = {"HELD": str(held), "DONE": str(done), "PLACE": str(place)}
        far(daemon, "status")  # It is known from here on.
        yield daemon


def far(box, *words):
    env = {**box.environment(), "GPUSCHED_SERVER": box.server, "GPUSCHED_TOKEN": box.token}
    del env["GPUSCHED_SOCKET"]
    return subprocess.run([box.programs / "gpusched", *words], capture_output=True, text=True, timeout=120,
                          env=env, check=False, stdin=subprocess.DEVNULL)


def put_in(box, text):
    return re.sub("HELD|DONE|PLACE", lambda found: box.words[found.group()], text)


def verbs_of(box):
    return re.findall(r"^  ([a-z]+) {2,}\S", box.run("--help").stdout, re.M)


def test_the_table_has_every_verb(box):
    verbs = verbs_of(box)
    assert len(verbs) > 30 and set(verbs) <= set(VERBS), set(verbs) - set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_it_works_or_says_a_way(box, verb):
    if verb not in verbs_of(box):
        pytest.skip("this daemon has no such verb")
    for words, codes, said in VERBS[verb]:
        done = far(box, verb, *put_in(box, words).split())
        allowed = codes if isinstance(codes, tuple) else (codes,)
        assert done.returncode in allowed, (words, done)
        if done.returncode == 0:
            assert codes != 0 or re.search(put_in(box, said), done.stdout, re.M), (words, done)
        else:
            assert done.stderr.count("\n") == 1 and re.search(put_in(box, said), done.stderr), (words, done)
        assert box.token not in done.stdout + done.stderr
