"""A daemon under which single calls of the C library fail or lie (bent_calls.c)."""

import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "bent_calls.c"


def build(directory):
    library = directory / "bent_calls.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def prefix(library, **variables):
    """What stands before a program for which calls are bent."""
    bent = [f"BENT_{name.upper()}={value}" for name, value in variables.items()]
    # A sanitizer wants to be the first library of all, and need not.
    return ["env", f"LD_PRELOAD={library}", "ASAN_OPTIONS=verify_asan_link_order=0", *bent]
