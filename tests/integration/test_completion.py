"""Completion in the shells that people use: the installed script, the real shell, what Tab gives."""

import os
import shutil
import subprocess

import pytest
from client_terminal import ClientTerminal
from live_daemon import wait_until


@pytest.fixture
def shell(programs, running):
    """Runs a line in a shell that finds gpusched."""
    environment = running.environment() | {"PATH": f"{programs}:{os.environ['PATH']}",
                                           "LC_ALL": "C.UTF-8", "HOME": str(running.state)}

    def run(*command):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    run.environment = environment
    return run


def bash(shell, *words):
    line = ("source <(gpusched completion bash); COMP_WORDS=(gpusched \"$@\"); "
            "COMP_CWORD=$#; _gpusched; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return shell("bash", "-c", line, "bash", *words)


def fish(shell, *words):
    line = "gpusched completion fish | source; complete -C \"gpusched $argv\""
    return [each.split("\t")[0] for each in shell("fish", "-c", line, *words)]


@pytest.mark.parametrize("complete", [bash, fish])
def test_verbs_flags_values_jobs_and_files(complete, shell, running, tmp_path, monkeypatch):
    assert complete(shell, "canc") == ["cancel"]
    assert complete(shell, "submit", "--prio") == ["--priority"]
    assert complete(shell, "submit", "--priority", "ur") == ["urgent"]
    job = running.submit("--hold", "--", "true")
    assert str(job) in complete(shell, "release", str(job))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train-job.yaml").write_text("")
    assert [os.path.basename(each) for each in complete(shell, "submit", "--file", "train-j")] == [
        "train-job.yaml"]


def test_zsh_completes_at_its_prompt(shell, running):
    zsh = ClientTerminal(running, ["-f", "-i"], 24, 160, program=shutil.which("zsh"),
                         **shell.environment | {"TERM": "dumb"})
    with zsh as terminal:
        def typed(text, expected):
            terminal.type(text.encode())
            # A blank that it puts behind a word is taken back with the next key.
            wait_until(lambda: expected in terminal.read().decode().replace(" \b", ""), 30,
                       f"{expected} after {text!r}")

        typed("PS1='ready '; autoload -Uz compinit && compinit -D && "
              "source <(gpusched completion zsh) && echo load''ed\r", "loaded")
        typed("gpusched canc\t--dry-r\t--all\r", "gpusched cancel --dry-run --all")
        typed("gpusched submit --priority urg\t-- true\r", "--priority urgent -- true")
        typed("exit\r", "exit")
        assert terminal.code() == 0
