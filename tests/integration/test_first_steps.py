"""What somebody new to the command line meets: refusals, warnings, hints and dry runs say what is so."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until


@pytest.fixture(scope="module")
def lab(programs):
    """Two simulated cards."""
    with LiveDaemon(programs, config=ROOMY, sim="2x24G") as daemon:
        yield daemon


def said(done):
    """One sentence on stderr."""
    assert done.stderr.count("\n") == 1, done
    return done.stderr.removeprefix("gpusched: ").rstrip("\n")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "gpusched.yaml"


# --- Defaults -----------------------------------------------------------------------------------

def test_who_asks_for_no_card_gets_no_default_that_needs_one(lab, project):
    project.write_text("vram: 8G\nvram-limit: 10G\nexclusive: true\n")
    done = lab.run("submit", "--gpus", "0", "--", "true")
    assert done.stderr == ""
    assert lab.ended(int(done.stdout))["state"] == "completed"


@pytest.mark.parametrize("text, flags, words", [
    ("gpus: 0\n", ["--vram", "8G"], "--vram needs a card, but --gpus is 0; gpus is a default of {}:1:7"),
    ("begin: +2h\n", ["--deadline", "+1h"],
     "--deadline must be later than --begin; begin is a default of {}:1:8"),
    ("vram: 900G\n", [], "; vram is a default of {}:1:7"),
    ("gpu: nosuch\n", [], "'nosuch'; gpu is a default of {}:1:6"),
], ids=["gpus", "begin", "vram", "gpu"])
def test_a_refusal_that_a_default_causes_names_its_file_and_key(lab, project, text, flags, words):
    project.write_text(text)
    done = lab.run("submit", *flags, "--", "true", check=False)
    assert done.returncode in (64, 65) and said(done).endswith(words.format(project)), done
    # Without the default the same is nobody's fault.
    assert lab.run("submit", "--dry-run", "--no-defaults", *flags, "--", "true").returncode == 0


def test_config_show_submit_refuses_what_submit_refuses(lab, project):
    for text, words in (("vram: 8\n", "{}:1:7: vram: '8' is 8 bytes"),
                        ("gpus: 0\nvram: 8G\n", "--vram needs a card, but --gpus is 0; ")):
        project.write_text(text)
        shown = lab.run("config", "show", "--submit", check=False)
        submitted = lab.run("submit", "--", "true", check=False)
        assert shown.returncode == submitted.returncode == 64
        assert said(shown) == said(submitted) and said(shown).startswith(words.format(project))
    project.write_text("# nothing yet\n")
    assert said(lab.run("config", "show", "--submit")) == f"there are no defaults: {project} sets nothing"


# --- Deadlines ----------------------------------------------------------------------------------

def test_nobody_invents_how_long_a_new_program_takes(lab):
    flags = ("--gpus", "0", "--hold", "--deadline", "+10m", "--cmd")
    unknown = "whether its deadline can be met is unknown: it has no time limit and has not run before"
    line = "echo never seen before"
    tried = lab.run("submit", "--dry-run", *flags, line)
    assert tried.stderr.splitlines()[-1] == f"gpusched: {unknown}"
    done = lab.run("submit", *flags, line)
    assert said(done) == unknown
    job = int(done.stdout)
    assert unknown in re.sub(r"\s+", " ", lab.run("explain", job).stdout)
    assert "60 min" not in lab.run("explain", job).stdout + lab.run("show", job).stdout
    lab.run("cancel", job)


def test_a_dry_run_warns_of_a_deadline_as_a_submission_does(lab):
    late = ("--gpus", "0", "--hold", "--time", "1h", "--deadline", "+10m", "--cmd", "echo not seen, either")
    tried = lab.run("submit", "--dry-run", *late).stderr.splitlines()
    done = lab.run("submit", *late)
    lab.run("cancel", done.stdout.strip())
    cannot = "its deadline cannot be met: it comes in"
    assert cannot in tried[-1] and cannot in done.stderr


# --- set ----------------------------------------------------------------------------------------

def test_a_job_without_a_card_takes_no_vram(lab):
    job = lab.submit("--gpus", "0", "--hold", "--", "true")
    for flags in (["--vram", "900G"], ["--vram-limit", "1G"], ["--share", "10"], ["--exclusive"],
                  ["--gpu", "0"]):
        done = lab.run("set", job, *flags, check=False)
        assert done.returncode == 64, done
        assert said(done).startswith(f"job {job}: ") and "needs a card" in said(done)
    lab.run("set", job, "--gpus", "1", "--vram", "4G")
    lab.run("cancel", job)


def test_set_takes_a_variable_away(lab):
    job = lab.submit("--gpus", "0", "--hold", "--env", "DEBUG=1", "--env", "LR=1", "--cmd",
                     "echo ${DEBUG-none} $LR")
    lab.run("set", job, "--unset-env", "DEBUG", "--env", "LR=2")
    lab.run("release", job)
    lab.ended(job)
    assert lab.logs(job) == b"none 2\n"
    for flags, words in ((["--unset-env", "A=1"], "--unset-env: 'A=1' is not the name of a variable"),
                         (["--unset-env", "A", "--env", "A=1"],
                          "--unset-env: --env sets A; give one of them")):
        done = lab.run("set", job, *flags, check=False)
        assert done.returncode == 64 and said(done) == words


def test_set_says_what_placeholders_become(lab):
    first = lab.submit("--gpus", "0", "--hold", "--param", "lr=0.1,0.2", "--cmd", "echo {lr}")
    for dry in (["--dry-run"], []):
        lines = lab.run("set", "--array", first, "--name", "at-{lr}", *dry).stderr.splitlines()
        assert lines[1:] == [f"gpusched: job {first}: --name at-0.1",
                             f"gpusched: job {first + 1}: --name at-0.2"]
    assert lab.job(first + 1)["name"] == "at-0.2"
    lines = lab.run("set", "--array", first, "--name", "at-{rl}", "--dry-run").stderr.splitlines()
    assert "gpusched: --name: nothing fills in {rl}; did you mean {lr}?" in lines
    lab.run("cancel", "--array", first)


# --- Groups -------------------------------------------------------------------------------------

def test_a_paused_group_is_not_removed_by_the_way(lab):
    lab.run("group", "set", "night", "2")
    lab.run("group", "pause", "night")
    job = lab.submit("--gpus", "0", "--group", "night", "--", "true")
    for dry in (["--dry-run"], []):
        done = lab.run("group", "remove", "night", *dry, check=False)
        assert done.returncode == 65
        assert said(done) == ("group 'night' is paused, and 1 of its jobs waits: without the group "
                              "nothing keeps it from starting; remove the group with --resume if "
                              "that is meant")
    assert lab.job(job)["state"] == "queued"
    done = lab.run("group", "remove", "night", "--resume")
    assert said(done) == "group night is removed; nothing limits its 1 waiting job now"
    assert lab.ended(job)["state"] == "completed"
    refused = lab.run("group", "set", "day", "2", "--resume", check=False)
    assert refused.returncode == 64 and said(refused) == "--resume belongs to group remove"


# --- Empty arguments ----------------------------------------------------------------------------

VERBS = {
    "group": ["set '' 4", "set night ''", "pause ''", "resume ''", "remove ''", "''"],
    "lease": ["release ''", "renew '' --ttl 1h", "resume ''", "--ttl ''", "''"],
    "reserve": ["remove ''", "--gpus '' --for 1h", "--user ''", "''"],
    "tenant": ["set '' --cards 1", "unset ''", "show ''", "set lab --cards ''"],
    "drain": ["''", "0 --reason ''"], "undrain": ["''"], "gpus": ["--socket ''"],
    "adopt": ["''"], "disown": ["''"], "backup": ["''"], "config": ["''", "check ''", "--config ''"],
    "completion": ["''"], "debug": ["''", "replay ''"], "simulate": ["''"], "report": ["--since ''"],
    "move": ["''", "1 --before ''"], "set": ["'' --priority 1", "1 --time ''", "1 --user '' --name x"],
    "sweep": ["''", "1 --sort ''"], "events": ["''", "--after ''"], "attach": ["''"],
    **{verb: ["''", "' '", "--array ''", "--user ''"]
       for verb in ("cancel", "hold", "release", "requeue", "pause", "resume", "wait", "status", "show",
                    "logs", "explain")},
    "submit": ["--name '' -- true", "--socket '' -- true", "--file ''", "--each-line ''", "--cwd '' -- true"],
    "run": ["--env '' -- true"], "top": ["--socket ''"], "doctor": ["--socket ''"],
}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_an_empty_argument_is_one_clear_sentence(lab, verb):
    for line in VERBS[verb]:
        done = lab.run(verb, *shlex.split(line), check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 64, (verb, line, done)
        sentence = said(done)
        assert not re.search(r"/v1|%|[a-z]+_[a-z]+|\{\}", sentence), (verb, line, sentence)


# --- Dry runs and notes -------------------------------------------------------------------------

def test_a_dry_run_shows_names_and_places_as_they_will_be(lab, tmp_path):
    (tmp_path / "0.1").mkdir()
    shown = lab.run("submit", "--dry-run", "--gpus", "0", "--param", "lr=0.1,0.2", "--name", "at-{lr}",
                    "--cwd", tmp_path / "{lr}", "--output", "out-{index}.txt", "--", "train", "{lr}")
    assert shown.stdout.splitlines()[:4] == [
        "Runs:   train 0.1", f"          named at-0.1, in {tmp_path}/0.1, output to {tmp_path}/0.1/out-0.txt",
        "        train 0.2", f"          named at-0.2, in {tmp_path}/0.2, output to {tmp_path}/0.2/out-1.txt"]
    missing = "does not exist; the job fails at its start unless it is made before"
    assert shown.stderr.splitlines()[0] == f"gpusched: the working directory {tmp_path}/0.2 {missing}"


def test_what_is_missing_is_said_before_it_fails(lab, tmp_path):
    missing = "does not exist; the job fails at its start unless it is made before"
    flags = ("--gpus", "0", "--hold", "--group", "nosuch", "--output", "logs/out.txt", "--cwd", tmp_path)
    for dry in (["--dry-run"], []):
        done = lab.run("submit", *flags, *dry, "--", "true")
        assert f"gpusched: the directory of --output {tmp_path}/logs {missing}\n" in done.stderr
        assert "there is no group 'nosuch', so nothing limits its jobs" in done.stderr
    lab.run("cancel", done.stdout.strip())
    done = lab.run("submit", "--dry-run", "--gpus", "0", "--cwd", tmp_path / "gone", "--", "true")
    assert f"gpusched: the working directory {tmp_path}/gone {missing}\n" in done.stderr


@pytest.mark.parametrize("flags, words", [
    (["--array", "0-1", "--name", "a-{indx}"], "--name: nothing fills in {indx}; did you mean {index}?"),
    (["--param", "lr=1,2", "--env", "X={rl}"], "--env: nothing fills in {rl}; did you mean {lr}?"),
    (["--array", "0-1", "--tag", "{other}"], "--tag: nothing fills in {other}; it stays as it is"),
    (["--output", "/dev/{index}"], "--output: nothing fills in {index}; it stays as it is"),
    (["--env", "FORMAT={message}", "--name", "${HOME}"], None),
], ids=["name", "env", "tag", "output", "own"])
def test_a_placeholder_that_nothing_fills_in_is_said(lab, flags, words):
    lines = lab.run("submit", "--dry-run", "--gpus", "0", *flags, "--", "echo", "{lr}").stderr.splitlines()
    assert [line for line in lines if "fills in" in line] == ([f"gpusched: {words}"] if words else [])


# --- Sweeps -------------------------------------------------------------------------------------

def test_logs_of_a_whole_sweep_are_one_line_unless_asked_for(lab):
    ids = lab.run("submit", "--gpus", "0", "--array", "0-3", "--cmd",
                  "echo one {index}; echo two {index}; [ {index} != 1 ]").stdout.strip()
    first = int(ids.split("-")[0])
    for job in range(first, first + 4):
        lab.ended(job)
    # The one that failed speaks for it.
    for words in ([ids], ["--digest", ids], ["--array", str(first)]):
        rows = lab.run("logs", *words).stdout.splitlines()
        assert len(rows) == 2 and rows[1].split()[0] == str(first), rows
        assert "3 ok, 1 failed" in rows[1] and rows[1].endswith(f"{first + 1}: two 1"), rows
    rows = lab.run("logs", "-n", "2", ids).stdout.splitlines()
    assert [row.split(": ")[-1] for row in rows[1:]] == ["one 1", "two 1"], rows
    folded = lab.run("logs", ids)
    hint = f"every log of sweep {first}: gpusched logs -x --array {first}"
    assert said(folded) == hint
    whole = lab.run(*shlex.split(hint.split("gpusched ")[1])).stdout
    assert whole == lab.run("logs", "-x", ids).stdout
    assert whole.startswith(f"==> job {first} <==\none 0\ntwo 0\n") and whole.count("==>") == 4
    # Some of its jobs, or one, are those.
    assert lab.run("logs", f"{first}-{first + 1}").stdout.count("==>") == 2
    assert lab.run("logs", first + 2).stdout == "one 2\ntwo 2\n"
    # A job beside it is printed, then the sweep's line.
    alone = lab.submit("--gpus", "0", "--cmd", "echo alone")
    lab.ended(alone)
    assert lab.run("logs", f"{ids},{alone}").stdout.startswith("alone\n\nID")


# --- Hints --------------------------------------------------------------------------------------

def commands_in(text):
    """What a person would paste of it."""
    text = re.sub(r"\s+", " ", text)
    lines = re.findall(r"gpusched ([a-z][^;`\n]*?)(?=[;`]|\. |$| [A-Z])", text)
    return [shlex.split(line.rstrip(" .")) for line in lines]


def paste(lab, text):
    """Runs every command in it; each of them must work. How many there were."""
    found = commands_in(text)
    for words in found:
        done = lab.run(*words, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (text, words, done)
    return len(found)


def explained(lab, job):
    return lab.run("explain", job).stdout


def test_the_hints_for_a_job_that_waits_can_be_pasted(lab):
    held = lab.submit("--gpus", "0", "--hold", "--", "true")
    assert paste(lab, explained(lab, held)) == 1
    assert lab.ended(held)["state"] == "completed"
    lab.run("group", "set", "one at a time", "1")
    first, second = (lab.submit("--gpus", "0", "--group", "one at a time", "--", "sleep", "600")
                     for _ in range(2))
    lab.wait_for(first, "running")
    assert paste(lab, explained(lab, second)) == 1
    lab.wait_for(second, "running")
    lab.run("group", "pause", "one at a time")
    third = lab.submit("--gpus", "0", "--group", "one at a time", "--", "true")
    assert paste(lab, explained(lab, third)) == 1
    lab.run("cancel", f"{first},{second}")
    assert lab.ended(third)["state"] == "completed"
    # A card that somebody has, and a wish that is too large.
    first = lab.submit("--gpus", "2", "--vram", "12G", "--share", "10", "--", "sleep", "600")
    lab.wait_for(first, "running")
    second = lab.submit("--vram", "20G", "--share", "10", "--", "sleep", "600")
    assert paste(lab, explained(lab, second)) == 1
    lab.wait_for(second, "running")
    lab.run("pause", first)
    lab.wait_for(first, "paused")
    assert paste(lab, explained(lab, first)) == 1
    lab.wait_for(first, "running")
    lab.run("cancel", f"{first},{second}")


def test_the_hints_for_what_a_tenant_may_have_can_be_pasted(lab):
    me = lab.job(lab.submit("--gpus", "0", "--", "true"))["tenant"]
    lab.run("tenant", "set", me, "--running", "1")
    first, second = (lab.submit("--gpus", "0", "--", "sleep", "600") for _ in range(2))
    lab.wait_for(first, "running")
    assert paste(lab, explained(lab, second)) == 1
    lab.wait_for(second, "running")
    lab.run("cancel", f"{first},{second}")
    lab.run("tenant", "set", me, "--running", "none", "--cards", "1")
    wide = lab.submit("--gpus", "2", "--", "sleep", "600")
    assert paste(lab, explained(lab, wide)) == 1
    lab.wait_for(wide, "running")
    lab.run("cancel", wide)
    lab.run("tenant", "unset", me)


def test_the_hints_for_what_has_ended_can_be_pasted(lab, tmp_path):
    for flags in ([], ["--output", "out.txt", "--cwd", tmp_path]):
        job = lab.submit("--gpus", "0", *flags, "--cmd", "echo said")
        lab.ended(job)
        words = explained(lab, job)
        assert paste(lab, words.split("The file:")[0]) == 1
        assert Path(words.split("The file:")[1].strip()).read_text() == "said\n"
    assert str(tmp_path / "out.txt") in lab.run("show", job).stdout
    lab.run("lease", "--gpus", "1", "--", "true")
    lease = lab.jobs()[-1]["id"]
    lab.ended(lease)
    assert "gpusched logs" not in explained(lab, lease)


def test_other_hints_can_be_pasted(lab):
    lab.run("cancel", "--all", check=False)
    wait_until(lambda: not json.loads(lab.run("status", "--all", "--json").stdout)["jobs"], what="nobody")
    assert paste(lab, lab.run("group", "set", "x", "1").stderr + lab.run("group", "remove", "x").stderr) == 0
    planned = lab.run("drain", "1", "--from", "+2h", "--for", "1h").stderr
    assert paste(lab, planned) == 1
    assert paste(lab, lab.run("reserve").stderr) == 1
    lab.run("reserve", "remove", json.loads(lab.run("reserve", "--json").stdout)["reservations"][0]["id"])
    warned = lab.run("submit", "--gpus", "0", "--group", "not there", "--", "true").stderr
    assert paste(lab, warned) == 1
    lab.run("group", "remove", "not there")
    waiting = lab.submit("--gpus", "0", "--array", "0-29", "--hold", "--", "true")
    assert paste(lab, lab.run("show", "--array", waiting).stdout) >= 1
    lab.run("cancel", "--array", waiting)
