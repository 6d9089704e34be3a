"""What runs on this machine, read from /proc: who carries a mark, whose child is whose."""

import os
from pathlib import Path


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read_proc(pid, name):
    """Empty for a process that is gone."""
    try:
        return (Path("/proc") / str(pid) / name).read_bytes()
    except OSError:
        return b""


def state_of(pid):
    """One letter as in `ps`; empty for a process that is gone."""
    after_name = read_proc(pid, "stat").rpartition(b")")[2].split()
    return after_name[0].decode() if after_name else ""


def parent_of(pid):
    after_name = read_proc(pid, "stat").rpartition(b")")[2].split()
    return int(after_name[1]) if after_name else 0


def is_running(pid):
    return state_of(pid) not in ("", "Z", "X")


def words_of(pid):
    return [os.fsdecode(word) for word in read_proc(pid, "cmdline").split(b"\0")[:-1]]


def environment_of(pid):
    pairs = (entry.partition(b"=") for entry in read_proc(pid, "environ").split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs if name}


def with_environment(mark):
    """Running processes whose environment holds NAME=VALUE."""
    wanted = os.fsencode(mark)
    return [pid for pid in all_pids()
            if wanted in read_proc(pid, "environ").split(b"\0") and is_running(pid)]


def with_word(word):
    """Running processes that have this word on their command line."""
    return [pid for pid in all_pids() if str(word) in words_of(pid) and is_running(pid)]


def named(name):
    """Running processes of this short name (at most 15 characters, as the kernel keeps it)."""
    found = []
    for pid in all_pids():
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == name:
                found.append(pid)
        except OSError:
            pass  # Gone meanwhile.
    return found


def children_of(parent):
    return [pid for pid in all_pids() if parent_of(pid) == parent and is_running(pid)]


def launcher_of(daemon_pid):
    """The daemon's launcher; None while there is none."""
    for pid in children_of(daemon_pid):
        words = words_of(pid)
        if words and words[0].endswith("gpusched-launcher"):
            return pid
    return None
