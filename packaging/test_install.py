"""`cmake --install` into a fresh prefix: everything is there, and works from there."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("GPUSCHED_RELEASE_BUILD", ROOT / "build/release"))
VERSIONED = {"PATH": "/usr/bin:/bin"}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    place = tmp_path_factory.mktemp("prefix")
    done = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(place)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


LAYOUT = [
    "bin/gpusched",
    "libexec/gpusched/gpuschedd",
    "libexec/gpusched/gpusched-launcher",
    "libexec/gpusched/gpusched-mover",
    "libexec/gpusched/gpusched-notifier",
    "libexec/gpusched/gpusched-tls",
    "libexec/gpusched/gpusched-sampler",
    "lib/systemd/system/gpuschedd.service",
    "lib/systemd/user/gpuschedd.service",
    "share/bash-completion/completions/gpusched",
    "share/zsh/site-functions/_gpusched",
    "share/fish/vendor_completions.d/gpusched.fish",
    "share/gpusched/gpusched.yaml",
    "share/gpusched/scenarios/2x24G.yaml",
    "share/gpusched/scenarios/8xRTX4090.yaml",
    "share/gpusched/scenarios/8xH200.yaml",
    "bin/gpusched-simworld",
    "bin/gpusched-simjob",
    "lib/gpusched/sim/libnvidia-ml.so.1",
    "lib/gpusched/sim/libcuda.so.1",
    "lib/gpusched/sim/nvidia-cuda-mps-control",
    "share/gpusched/prometheus/gpusched.rules.yml",
    "share/gpusched/prometheus/gpusched.rules.test.yml",
    "share/gpusched/grafana/gpusched.json",
    "share/doc/gpusched/README.md",
    "share/doc/gpusched/LICENSE",
    "share/doc/gpusched/guide/install.md",
    "share/doc/gpusched/examples/README.md",
    "share/doc/gpusched/examples/scheduler/workers.cc",
    "include/gpusched/scheduler.h",
    "include/gpusched/checkpoint.h",
    "share/gpusched/python/pyproject.toml",
    "share/gpusched/python/gpusched/__init__.py",
]


@pytest.mark.parametrize("path", LAYOUT)
def test_is_installed(prefix, path):
    assert (prefix / path).is_file()
    assert (prefix / path).stat().st_size > 0


@pytest.mark.parametrize("path", LAYOUT[:4])
def test_programs_may_be_run(prefix, path):
    assert os.access(prefix / path, os.X_OK)


def test_the_client_says_its_version_without_an_environment(prefix):
    done = subprocess.run([prefix / "bin/gpusched", "--version"], env={}, capture_output=True,
                          text=True, check=True)
    assert done.stdout.startswith("gpusched ")


def test_serve_finds_the_installed_daemon(prefix):
    done = subprocess.run([prefix / "bin/gpusched", "serve", "--help"], env=VERSIONED,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_sample_configuration_is_right(prefix):
    sample = prefix / "share/gpusched/gpusched.yaml"
    done = subprocess.run([prefix / "bin/gpusched", "config", "check", sample], env=VERSIONED,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "#socket:" in sample.read_text()


@pytest.mark.parametrize("kind", ["system", "user"])
def test_units_name_installed_programs_and_leave_jobs_alone(prefix, kind):
    unit = (prefix / f"lib/systemd/{kind}/gpuschedd.service").read_text()
    assert f"ExecStart={prefix}/libexec/gpusched/gpuschedd" in unit
    assert "KillMode=process" in unit and "Delegate=yes" in unit
    assert "@" not in unit


def test_a_simulated_job_runs_with_what_is_installed(prefix, tmp_path):
    world = tmp_path / "world"
    subprocess.run([prefix / "bin/gpusched-simworld", "create", world, "8xH200"], env=VERSIONED,
                   check=True)
    done = subprocess.run([prefix / "bin/gpusched-simjob", "--vram", "1G", "--seconds", "0.1"],
                          env={**VERSIONED, "GPUSCHED_SIM_WORLD": str(world),
                               "LD_LIBRARY_PATH": str(prefix / "lib/gpusched/sim")},
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 step\n", "")


def test_bash_can_load_the_completion(prefix):
    script = prefix / "share/bash-completion/completions/gpusched"
    done = subprocess.run(["bash", "-c", f"source '{script}' && complete -p gpusched"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_program_finds_the_scheduler_library_and_runs(prefix, tmp_path):
    source = prefix / "share/doc/gpusched/examples/scheduler"
    for command in (["cmake", "-S", source, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                    ["cmake", "--build", tmp_path / "build"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    program = tmp_path / "build/workers"
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=False,
                          timeout=60, env={**VERSIONED, "GPUSCHED_SOCKET": str(tmp_path / "none")})
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": on card ") == 8
    assert done.stdout.endswith("0 schedulings left\n")
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    libraries = {line.split("[")[1].rstrip("]\n") for line in needed.stdout.splitlines()
                 if "NEEDED" in line}
    assert {name.split(".")[0] for name in libraries} <= {"libc", "libstdc++", "libgcc_s", "libm",
                                                          "libpthread", "libdl", "ld-linux-x86-64"}
