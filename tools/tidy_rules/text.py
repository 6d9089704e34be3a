"""Rules about lines and files of any kind."""

import re

from tidy_rules.tree import CHECKED, CODE, TEXT, Finding, is_test, matches

COLUMNS = 100
COLUMNS_PYTHON = 110
FILE_LINES_WARN, FILE_LINES_MOST = 400, 600
SLEEPS = re.compile(r"sleep_for|sleep_until|\bu?sleep\(|\bnanosleep\(|\bpoll\(nullptr")
# In the product there is one way to pause, which tests may not take.
PAUSES = re.compile(SLEEPS.pattern + r"|\bpause_for\(")
DRAWERS = {"util", "utils", "helper", "helpers", "manager", "common", "misc"}
STRING = r'"((?:[^"\\\n]|\\.)*)"'
# What a test compares, without the words that it says when that fails.
CHECKS = re.compile(r'\b(?:EXPECT|ASSERT)_\w+(\((?:[^;"]|' + STRING + r')*?\))\s*(?:<<|;)')
# Three words in a row are a sentence; a command or a name is not.
SENTENCE = re.compile(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b(?![./])")
DESCRIBES = re.compile(r"\b(?:describe|what_would_help|why_no_room)\(")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
PUBLIC_PLACES = {"/", "/tmp", "/home", "/root", "/usr", "/var", "/opt", "/srv", "/mnt", "/builds"}


def columns(tree):
    found = []
    for path in tree.named(*CHECKED):
        # Tables of cases in Python tests are wide, and no formatter breaks them.
        most = COLUMNS_PYTHON if path.endswith(".py") else COLUMNS
        found += [Finding(path, number, f"{len(line)} columns, at most {most}")
                  for number, line in tree.lines(path) if len(line) > most]
    return found


def white_space(tree):
    found = []
    for path in [p for p in tree.named(*TEXT) if "/seeds/" not in p]:
        text = tree.text(path)
        if text and not text.endswith("\n"):
            found.append(Finding(path, text.count("\n") + 1, "the last line has no end"))
        for number, line in tree.lines(path):
            if line != line.rstrip() and not path.endswith(".md"):
                found.append(Finding(path, number, "blanks at the end of the line"))
            if "\t" in line and path.endswith(CODE):
                found.append(Finding(path, number, "a tab"))
    return found


def names(tree):
    return [Finding(path, 1, f"\"{word}\" says nothing about what the file does")
            for path in tree.paths
            for word in re.split(r"[/_.\-]", path) if word.lower() in DRAWERS]


def sleeps(tree):
    paths = [p for p in tree.named(".cc", ".h", ".py")
             if not p.startswith(("tests/support/", "simdriver/", "tools/"))]
    tests = [p for p in paths if is_test(p)]
    product = [p for p in paths if p.startswith("src/") and not is_test(p) and p != "src/os/clock.cc"]
    return (matches(tree, tests, PAUSES, "wait for a condition with a deadline instead")
            + matches(tree, product, SLEEPS, "os/clock.h has pause_for()"))


def unfinished(tree):
    paths = [p for p in tree.named(*TEXT) if not p.startswith("tools/tidy")]
    return matches(tree, paths, UNFINISHED, "finish it or leave it out")


def machine_paths(tree):
    place = str(tree.root.resolve())
    if place in PUBLIC_PLACES:
        return []
    return matches(tree, tree.named(*TEXT),
                   re.compile(r"(?<![\w.])" + re.escape(place) + r"(?=[/\"'\s]|$)"),
                   "a path of this machine")


def file_length(tree):
    found = []
    for path in tree.named(*CHECKED):
        count = len(tree.lines(path))
        if count > FILE_LINES_WARN:
            most = FILE_LINES_MOST if count > FILE_LINES_MOST else FILE_LINES_WARN
            found.append(Finding(path, count, f"{count} lines, {most} are enough",
                                 warning=count <= FILE_LINES_MOST))
    return found


def words_in_one_place(tree):
    """Core tests compare codes; their words are golden (tests/support/core_words.h)."""
    message = "compare a code or a field; words are golden: expect_words()"
    found = []
    for path in [p for p in tree.named(".cc", under="src/core/") if is_test(p)]:
        text = tree.text(path)
        for check in CHECKS.finditer(text):
            strings = re.findall(STRING, check.group(1))
            described = DESCRIBES.search(check.group(1)) and any(strings)
            if described or any(SENTENCE.search(one) for one in strings):
                found.append(Finding(path, text.count("\n", 0, check.start()) + 1, message))
    return found
