"""The tour of ./quickstart on simulated cards: what it claims is so."""

import os
import re
import subprocess

from live_daemon import ROOT, LiveDaemon

CONFIG = """
host: {cpus: 64}
making_room: {run_least: 2s, cool_down: 0, ram_reserve: 64M}
watch: {busy_period_ms: 200, idle_period_ms: 200}
"""
SCRIPT = r"""
set -euo pipefail
say() { printf '\n== %s\n' "$*"; }
die() { echo "tour: $*" >&2; exit 1; }
show() { printf '$ %s\n' "$*"; "$@"; }
restart() { echo restart >&"$ASK"; read -r _ <&"$BACK"; }
source "$ROOT/tools/tour.sh"
tour_of_simulated_cards "$STATE" "$DRIVER" restart
"""


def play(daemon, programs, place):
    """Runs the tour; kills and starts the daemon when it asks for that."""
    asked, ask = os.pipe()
    back, answer = os.pipe()
    environment = daemon.environment() | {
        "PATH": f"{programs}:/usr/bin:/bin", "ROOT": str(ROOT), "STATE": str(daemon.state),
        "DRIVER": str(programs.parent / "sim"), "ASK": str(ask), "BACK": str(back)}
    with open(place / "said", "w+", encoding="utf-8") as said:
        tour = subprocess.Popen(["bash", "-c", SCRIPT], env=environment, stdout=said, stderr=said,
                                pass_fds=(ask, back))
        for end in (ask, back):
            os.close(end)
        # Nothing comes if the tour has failed before.
        with open(asked, encoding="utf-8") as questions, open(answer, "w", encoding="utf-8") as answers:
            if questions.readline():
                daemon.kill()
                daemon.start()
                answers.write("done\n")
                answers.flush()
            code = tour.wait(timeout=120)
        said.seek(0)
        return code, said.read()


def test_the_tour_shows_what_it_says(programs, tmp_path):
    with LiveDaemon(programs, config=CONFIG, sim="2x24G") as daemon:
        code, said = play(daemon, programs, tmp_path)
        assert code == 0, said
        steps = re.split(r"\n== \d\. ", said)[1:]
        assert len(steps) == 5, said
        share, foreign, moved, killed, why = steps
        assert re.search(r"^ +0 .* 14.0 GiB .* 1,2 +ok", share, re.M), share
        assert "held by `gpusched-simjob`" in foreign and "job 3 runs" in foreign, foreign
        for step in (moved, killed):
            assert re.search(r"^ +4 +paused ", step, re.M) and re.search(r"^ +5 +running ", step, re.M), step
        assert "moved aside for job 5" in moved
        assert "Job 6 is queued" in why and "It should start at" in why, why
        assert "it goes on where it was" in why
        ended = {job["name"]: (job["state"], job["attempt"]) for job in daemon.jobs()}
        for name in ("polite", "train", "answer", "next"):
            assert ended[name] == ("completed", 1), ended
