"""The page's build, with an npm that only pretends: what is made anew, what is kept, what stops it."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent / "build_page.mjs"
# Notes what it is asked, then says what `outcome` tells it to.
NPM = """#!/bin/sh
echo "$1" >>"{0}/asked"
outcome=$(cat "{0}/outcome-$1" 2>/dev/null)
[ -z "$outcome" ] || {{ echo "$outcome"; exit 1; }}
[ "$1" = ci ] && mkdir -p node_modules
[ "$1" = run ] && mkdir -p "$GPUSCHED_PAGE_OUT/assets" && cp index.html "$GPUSCHED_PAGE_OUT" &&
  echo 'a()' >"$GPUSCHED_PAGE_OUT/assets/index-1a2b3c4d.js" && touch "$GPUSCHED_PAGE_OUT/a.map"
exit 0
"""


@pytest.fixture(name="place")
def made_place(tmp_path):
    if not shutil.which("node"):
        pytest.skip("no node here")
    files = {"web/index.html": "<p>1", "web/package.json": "{}", "web/package-lock.json": "{}",
             "web/src/a b.ts": "", "docs/openapi.json": "{}", "bin/npm": NPM.format(tmp_path)}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin/npm").chmod(0o755)
    return tmp_path


def build(place, preset="dev"):
    """The exit code, what npm was asked for, what was said, and the source that was made."""
    (place / "asked").write_text("")
    made = place / "build" / preset / "page_files.cc"
    done = subprocess.run(["node", TOOL, place / "web", place / "build/web", made], text=True, check=False,
                          env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}"}, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    asked = (place / "asked").read_text().split()
    return done.returncode, asked, done.stdout, made.read_text() if made.exists() else ""


def files_in(source):
    arrays = {name: gzip.decompress(bytes(map(int, re.findall(r"\d+", body))))
              for name, body in re.findall(r"unsigned char (k\d+)\[\] = \{([^}]*)\}", source)}
    rows = re.findall(r'\{"([^"]+)", "[^"]+", .*?, (k\d+), \d+\}', source)
    return {path: arrays[name] for path, name in rows}


def test_only_what_has_changed_is_made_again(place):
    code, asked, _, source = build(place)
    assert (code, asked) == (0, ["ci", "run"])
    assert files_in(source) == {"index.html": b"<p>1", "assets/index-1a2b3c4d.js": b"a()\n"}
    assert (place / "build/docs/openapi.json").exists(), "the page reads it as ../docs/openapi.json"
    assert build(place)[1] == []
    code, asked, _, other = build(place, "release")
    assert (code, asked, other) == (0, [], source), "presets share it"
    (place / "web/index.html").write_text("<p>2")
    code, asked, _, source = build(place)
    assert asked == ["run"] and files_in(source)["index.html"] == b"<p>2"
    (place / "docs/openapi.json").write_text('{"x":1}')
    assert build(place)[1] == ["run"]
    (place / "web/package-lock.json").write_text('{"x":1}')
    assert build(place)[1] == ["ci", "run"]
    (place / "web/src/a b.ts").unlink()
    build(place)
    assert not (place / "build/web/src").exists(), "what is gone is gone there, too"


def test_what_it_depends_on_is_told_to_the_build(place):
    build(place)
    depends = (place / "build/dev/page_files.cc.d").read_text()
    assert f"{place}/web/src/a\\ b.ts" in depends and f" {place}/web/src" in depends
    assert f"{place}/docs/openapi.json" in depends


def test_without_packages_there_is_no_page(place):
    (place / "outcome-ci").write_text("npm error code ENOTFOUND")
    code, asked, said, source = build(place)
    assert code == 0 and asked == ["ci"] and files_in(source) == {} and "return {};" in source
    assert said.count("\n") == 1 and "docs/guide/page.md" in said
    missing = place / "build/dev/page_files.cc.missing"
    assert missing.exists()
    (place / "outcome-ci").unlink()
    assert build(place)[1] == ["ci", "run"] and not missing.exists()


@pytest.mark.parametrize("step, words", [("ci", "npm error code EUSAGE\nMissing: x from lock file"),
                                         ("run", "src/a.ts(1,5): error TS2322")])
def test_what_is_wrong_in_the_sources_stops_the_build(place, step, words):
    (place / f"outcome-{step}").write_text(words)
    code, _, said, _ = build(place)
    assert code == 1 and words in said and "npm.log" in said


def test_a_file_of_no_known_type_stops_the_build(place):
    build(place)
    (place / "build/web/dist/a.exe").write_text("")
    code, _, said, _ = build(place, "release")
    assert code != 0 and "a.exe" in said
