"""The README's picture is made by a script: the script still works, and the story still goes that way."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_is_drawn_from_what_happens(programs, tmp_path):
    out = tmp_path / "story.svg"
    done = subprocess.run([sys.executable, ROOT / "tools" / "record_story.py", "--programs", programs,
                           "--out", out], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    drawn = out.read_text(encoding="utf-8")
    told = ("moved aside for job 2; comes back when it ends", "it goes on where it was")
    for seen in (*told, "paused", "resuming"):
        assert seen in drawn
    for seen in told:
        assert seen in (ROOT / "docs" / "pictures" / "making-room.svg").read_text(encoding="utf-8")
