"""--install-peers: each peer by its package's name, from where its users get it."""
import os
import shutil
import subprocess
import sys

APT = ["task-spooler", "slurmctld", "slurmd", "slurm-client", "slurmrestd",
       "slurm-wlm-jwt-plugin", "munge", "tmux"]
CRATES = {"pueue": ["pueue"]}
PYTHON = {"gflow": "runqd", "HyperQueue": "hyperqueue"}


def _run(what, argv, env=None):
    print(f"installing {what}: {' '.join(argv)}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(argv, check=False, env=env, stdin=subprocess.DEVNULL,
                              stdout=sys.stderr, timeout=3600)
    except (OSError, subprocess.TimeoutExpired) as problem:
        print(f"  not installed: {problem}", file=sys.stderr)
        return
    if done.returncode != 0:
        print(f"  not installed: ended with {done.returncode}", file=sys.stderr)


def install_peers(prefix, only):
    def wanted(*names):
        return not only or any(name in only for name in names)

    os.makedirs(prefix, exist_ok=True)
    root = [] if os.geteuid() == 0 else ["sudo"]
    # Daemons that packages would start by themselves are not wanted: compare starts its own.
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for package in APT:
        if wanted("task-spooler", "Slurm", "gflow"):
            _run(package, [*root, "apt-get", "install", "-y", "--no-install-recommends", package],
                 quiet)
    for peer, crate in CRATES.items():
        if wanted(peer) and shutil.which("cargo"):
            _run(peer, ["cargo", "install", "--locked", "--root", prefix, *crate])
        elif wanted(peer):
            print(f"  {peer} is left out: there is no cargo here", file=sys.stderr)
    if wanted(*PYTHON):
        python = os.path.join(prefix, "python")
        _run("a Python environment", [sys.executable, "-m", "venv", python])
        for peer, package in PYTHON.items():
            if wanted(peer):
                _run(peer, [os.path.join(python, "bin", "pip"), "install", package])
