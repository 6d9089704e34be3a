"""Programs of other people that read NVIDIA's driver, in a virtual environment of their own."""

import json
import subprocess

import pypi_tools


def install():
    return pypi_tools.install("driver-clients", "requirements.txt")


def run(program, *arguments, environment):
    """What a program of that environment prints."""
    done = subprocess.run([install() / program, *arguments], capture_output=True, text=True,
                          env=environment, check=False, timeout=60)
    assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
    return done.stdout


def evaluate(script, environment):
    """The JSON that a Python script prints as its last line."""
    return json.loads(run("python", "-c", script, environment=environment).splitlines()[-1])
