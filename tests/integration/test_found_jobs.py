"""Jobs that run while the store knows nothing of them: whose they are, what they hold, how they end."""

import shutil
import subprocess
from pathlib import Path

import pytest
from live_daemon import wait_until
from older_store import problems, put_back, wait_for_end


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def loop_until(path):
    return f"while [ ! -e {path} ]; do sleep 0.02; done"


# The second makes the whole record of the order too long to be read.
@pytest.mark.parametrize("words", [1, 4])
def test_a_very_long_command_keeps_its_card_and_its_owner(own, words):
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    go = own.directory / "go"
    runs = own.submit("--gpus", "1", "--vram", "20G", "--name", "long", "--", "sh", "-c",
                      f"{loop_until(go)}; exit 6", *["x" * 100_000] * words)
    before = own.wait_for(runs, "running")
    put_back(own, backup)
    after = own.wait_for(runs, "running")
    for field in ("name", "user", "tenant", "gpus", "priority"):
        assert after[field] == before[field], field
    assert after["needs"]["vram_bytes"] == before["needs"]["vram_bytes"]
    others = [own.submit("--gpus", "1", "--vram", "20G", "--cmd", f"{loop_until(go)}; exit 0")
              for _ in range(2)]
    assert own.wait_for(others[0], "running")["gpus"] != after["gpus"]
    assert own.job(others[1])["state"] == "queued"
    go.touch()
    wait_for_end(own, runs, 6)
    for other in others:
        wait_for_end(own, other, 0)


def as_an_older_shim_left_it(attempt):
    """Its claim says neither whose it is nor what it holds. In place: the lock belongs to the file."""
    claim = attempt / "claim"
    kept = [line for line in claim.read_text().splitlines(keepends=True)
            if line.split("=")[0] not in ("uid", "gid", "holds")]
    with open(claim, "r+", encoding="ascii") as file:
        file.write("".join(kept))
        file.truncate()


def test_cards_that_nobody_can_name_are_not_given_away(own):
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    go = own.directory / "go"
    runs = own.submit("--gpus", "1", "--vram", "2G", "--cmd", f"{loop_until(go)}; exit 6")
    before = own.wait_for(runs, "running")
    attempt = own.state / "jobs" / str(runs) / "1"
    as_an_older_shim_left_it(attempt)
    (attempt / "spec").write_text("version=1\n")
    put_back(own, backup)
    after = own.wait_for(runs, "running")
    assert len(after["gpus"]) == 2 and after["user"] == before["user"]
    assert "counts on all of them" in own.run("events", runs).stdout
    own.run("pause", runs)
    own.wait_for(runs, "paused")
    own.run("resume", runs)
    own.wait_for(runs, "running")
    waits = own.submit("--gpus", "1", "--vram", "1G", "--cmd", "exit 0")
    assert f"jobs {runs} ({before['user']})" in " ".join(problems(own))
    assert own.job(waits)["state"] == "queued"
    own.kill()
    own.start()
    assert f"jobs {runs} ({before['user']})" in " ".join(problems(own)), "another daemon knows it, too"
    go.touch()
    wait_for_end(own, runs, 6)
    wait_for_end(own, waits, 0)
    assert not any("taken over" in problem for problem in problems(own))


def test_a_shim_that_is_not_taken_over_is_named_and_can_be_ended(own):
    backup = own.directory / "backup.db"
    own.run("backup", backup)
    runs = own.submit("--gpus", "0", "--cmd", "sleep 300")
    own.wait_for(runs, "running")
    attempt = own.state / "jobs" / str(runs) / "1"
    shim = own.shim_of(runs)
    as_an_older_shim_left_it(attempt)
    (attempt / "spec").unlink()
    shutil.rmtree(attempt.parent / "checkpoint")
    put_back(own, backup)
    assert [job["id"] for job in own.jobs()] == []
    told = [problem for problem in problems(own) if "not taken over" in problem]
    assert len(told) == 1 and "nothing there says whose it is" in told[0], problems(own)
    assert str(attempt) in " ".join(own.run("doctor", check=False).stdout.split())
    # As it is written there.
    line = told[0].split("after: ")[1]
    subprocess.run(["sh", "-ec", line], check=True)
    wait_until(lambda: not alive(shim), what="the end of the shim")
    assert not any("not taken over" in problem for problem in problems(own))
    assert own.submit("--gpus", "0", "--hold", "--", "true") > runs
