"""gpusched.yaml of a project and the user's own submit.yaml: what is asked for unless told otherwise."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    deep = tmp_path / "project/src"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "project"


@pytest.fixture
def mine(running):
    """The user's own file; it is gone after the test."""
    path = Path(running.environment()["HOME"]) / ".config/gpusched/submit.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    yield path
    path.unlink(missing_ok=True)


def write(path, text, mode=0o644):
    path.write_text(text)
    path.chmod(mode)


def test_flags_win_over_the_project_and_the_project_over_the_user(running, project, mine):
    write(mine, "gpus: 0\ncomment: mine\nenv: {A: 1, B: 1}\n")
    write(project / "gpusched.yaml", "name: theirs\ncomment: ours\nenv: {A: 2}\nshell: bash\n")
    job = running.submit("--env", "C=3", "--name", "typed", "--cmd", "a=(x); echo $A$B$C${a[0]}")
    ended = running.ended(job)
    assert ended["name"] == "typed"
    assert running.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]["comment"] == "ours"
    assert running.logs(job) == b"213x\n"
    plain = running.submit("--no-defaults", "--gpus", "0", "--", "true")
    assert running.ended(plain)["name"] is None


def test_config_show_submit_says_what_applies_and_where_it_is_written(running, project, mine):
    assert "there are no defaults" in running.run("config", "show", "--submit").stderr
    write(mine, "exclusive: true\nvram: 8G\n")
    write(project / "gpusched.yaml", "vram: 12G\n")
    shown = running.run("config", "show", "--submit").stdout
    assert shown == (f"vram: 12G        # {project}/gpusched.yaml:1:7\n"
                     f"exclusive: true  # {mine}:1:12\n")
    rows = json.loads(running.run("config", "show", "--submit", "--json").stdout)["defaults"]
    assert rows[0] == {"flag": "--vram", "value": "12G", "from": f"{project}/gpusched.yaml:1:7"}


def test_what_others_can_write_does_not_count(running, project):
    write(project / "gpusched.yaml", "name: planted\n", 0o666)
    done = running.run("submit", "--gpus", "0", "--", "true")
    assert done.stderr == (f"gpusched: {project}/gpusched.yaml is not read: everybody may write "
                           "to it\n")
    assert running.ended(int(done.stdout))["name"] is None


def test_a_link_that_leads_nowhere_is_said_and_passed_over(running, project):
    (project / "gpusched.yaml").symlink_to("gone.yaml")
    done = running.run("submit", "--gpus", "0", "--", "true")
    assert done.stderr == f"gpusched: {project}/gpusched.yaml is not read: the link leads nowhere\n"
    running.ended(int(done.stdout))


@pytest.mark.parametrize("text, place, words", [
    ("gpus: 1\nvramm: 8G\n", "2:1", "there is no key 'vramm'; did you mean vram?"),
    ("vram: much\n", "1:7", "vram: "),
    ("command: [x]\n", "1:1", "command belongs to one job; it cannot be a default"),
])
def test_a_mistake_is_one_sentence_with_its_place(running, project, text, place, words):
    write(project / "gpusched.yaml", text)
    done = running.run("submit", "--", "true", check=False)
    assert done.returncode == 64 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"gpusched: {project}/gpusched.yaml:{place}: {words}")
