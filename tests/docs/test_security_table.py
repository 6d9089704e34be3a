"""Every test that docs/security.md names is there."""

import re

from live_daemon import ROOT

UNIT = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)
WHOLE = re.compile(r"^def (test_\w+)", re.M)


def rows():
    text = (ROOT / "docs" / "security.md").read_text()
    cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in cells if "---" not in row[0]][1:]


def all_names():
    units = {f"{suite}.{name}" for path in ROOT.glob("src/**/*_test.cc")
             for suite, name in UNIT.findall(path.read_text())}
    return units | {name for path in ROOT.glob("tests/integration/test_*.py")
                    for name in WHOLE.findall(path.read_text())}


def test_every_row_names_tests_that_are_there():
    there = all_names()
    assert len(rows()) >= 25 and len(there) > 1000
    missing = []
    for threat, _, tests in rows():
        named = re.findall(r"`([^`]+)`", tests)
        assert named, threat
        missing += [name for name in named if name not in there
                    and not name.startswith("./check ") and not (ROOT / "tests/integration" / name).exists()]
    assert not missing, missing
