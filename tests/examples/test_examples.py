"""Every file of examples/ works as its README says."""

import subprocess
from pathlib import Path

import pytest
from live_daemon import ROOT, LiveDaemon

EXAMPLES = sorted(p for p in (ROOT / "examples").iterdir() if p.suffix in (".sh", ".yaml", ".py"))


@pytest.fixture(scope="module")
def running(programs):
    with LiveDaemon(programs) as daemon:
        yield daemon


def way_to_run(example):
    if example.suffix == ".yaml":
        return f"gpusched submit --file {example.name}"
    if "#GPUSCHED" in example.read_text():
        return f"gpusched submit {example.name}"
    return f"./{example.name}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_example(running, example):
    command = way_to_run(example)
    if command.startswith("gpusched"):
        command = f"gpusched wait $({command})"
    done = subprocess.run(["bash", "-eu", "-c", command], cwd=example.parent,
                          env=running.environment(), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{running.log()}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_the_readme_tells_how_to_run_it(example):
    readme = (Path(ROOT) / "examples/README.md").read_text()
    assert f"[{example.name}]({example.name})" in readme
    assert f"`{way_to_run(example)}`" in readme
