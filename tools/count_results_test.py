"""The sum of ./check is only as right as this."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "count_results.py"


def count(tmp_path, *texts):
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.xml")
        files[-1].write_text(text)
    done = subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True,
                          check=True)
    return done.stdout.strip(), done.stderr


def test_counts_googletest(tmp_path):
    text = """<testsuites tests="3"><testsuite name="A">
      <testcase name="Good" status="run" result="completed" classname="A"/>
      <testcase name="Bad" status="run" result="completed" classname="A"><failure/></testcase>
      <testcase name="Off" status="notrun" result="suppressed" classname="A"/>
      </testsuite></testsuites>"""
    numbers, names = count(tmp_path, text)
    assert numbers == "1 1 1"
    assert "A.Bad" in names


def test_counts_pytest(tmp_path):
    text = """<testsuites><testsuite><testcase classname="t" name="a"/>
      <testcase classname="t" name="b"><skipped/></testcase>
      <testcase classname="t" name="c"><error/></testcase></testsuite></testsuites>"""
    assert count(tmp_path, text)[0] == "1 1 1"


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path):
    assert count(tmp_path, "<testsuites", "<testsuites/>")[0] == "0 1 0"


def test_sums_several_files(tmp_path):
    one = '<testsuite><testcase name="a"/></testsuite>'
    assert count(tmp_path, one, one, one)[0] == "3 0 0"
