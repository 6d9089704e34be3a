#!/usr/bin/env python3
"""Checks the rules of this repository that a compiler cannot see.

    tools/tidy.py [ROOT]      findings as path:line: rule: words; exit status 1 if there are errors

Every rule is a function from a Tree to findings; tools/tidy_test.py proves that each can fail.
docs/STYLE.md says why the rules exist.
"""

import ast
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS = 100
COLUMNS_PYTHON = 110
FILE_LINES_WARN, FILE_LINES_MOST = 400, 600
FUNCTION_LINES_MOST = 70
CODE = (".cc", ".h", ".c")
CHECKED = CODE + (".py", ".cmake", ".sh", ".sql")
TEXT = CHECKED + (".md", ".txt", ".yaml", ".yml", ".json", ".service", ".socket", "")

# Headers that take seconds to compile: only in these files, never in a header.
HEAVY = {
    "boost/beast": r"src/(api|loop)/[a-z_]+\.cc",
    "nlohmann/": r"src/json/json_value\.cc",
    "yaml-cpp/": r"src/(config/(config|card_rules_yaml|tenants_yaml)|cli/job_file)\.cc"
                 r"|simdriver/scenario_yaml\.cc",
    "curses.h": r"src/cli/top/(painter|terminfo)\.cc",
    "term.h": r"src/cli/top/terminfo\.cc",
    "sqlite3.h": r"src/store/sqlite\.cc",
    "boost/asio": r"src/(loop|process|gpu|api|daemon)/[a-z_]+\.(cc|h)",
}
CLOCKS = re.compile(r"system_clock::now|steady_clock::now|\bclock_gettime\b|\bgettimeofday\b|"
                    r"\btime\(nullptr\)")
CLOCK_READERS = re.compile(r"src/(base/clock\.cc|launcher/.*)")
SLEEPS = re.compile(r"sleep_for|sleep_until|\bu?sleep\(|\bnanosleep\(")
DRAWERS = {"util", "utils", "helper", "helpers", "manager", "common", "misc"}
# What src/watch may include: a Mac has these too.
PORTABLE = re.compile(r"[a-z_]+|fmt/[a-z]+\.h|gtest/gtest\.h|sys/(types|stat|wait|sysctl)\.h|"
                      r"(dirent|errno|fcntl|poll|signal|spawn|stdlib|string|unistd)\.h")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
PUBLIC_PLACES = {"/", "/tmp", "/home", "/root", "/usr", "/var", "/opt", "/srv", "/mnt", "/builds"}


@dataclass
class Finding:
    path: str
    line: int
    message: str
    warning: bool = False


@dataclass
class Tree:
    """The files of a checkout that belong to it: known to git, or new and not ignored."""

    root: Path
    _texts: dict = field(default_factory=dict)

    def __post_init__(self):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, check=False)
        names = listed.stdout.decode().split("\0") if listed.returncode == 0 else [
            str(p.relative_to(self.root)) for p in self.root.rglob("*")]
        self.paths = sorted({n for n in names if n and (self.root / n).is_file()})

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_bytes().decode("utf-8", "replace")
        return self._texts[path]

    def lines(self, path):
        return list(enumerate(self.text(path).splitlines(), 1))

    def named(self, *suffixes, under=""):
        return [p for p in self.paths if p.startswith(under) and Path(p).suffix in suffixes]

    def exists(self, path):
        return (self.root / path).exists()


def is_test(path):
    name = re.search(r"(/test_\w+|/fake_\w+|_test|_harness|_contract)\.(cc|h)$", path)
    return bool(name) or path.startswith("tests/") or "/fuzz/" in path


# Folders beside src/ that hold to the same rules; they are included by their whole path.
BESIDE = ("simdriver",)


def folder_of(path):
    parts = path.split("/")
    if len(parts) > 1 and parts[0] in BESIDE:
        return parts[0]
    return parts[1] if len(parts) > 2 and parts[0] == "src" else ""


def product_code(tree, *suffixes):
    return [p for p in tree.named(*suffixes) if p.startswith("src/") or folder_of(p) in BESIDE]


def included_as(path):
    return path.removeprefix("src/")


def matches(tree, paths, pattern, message):
    return [Finding(path, number, f"{message}: {found.group(0).strip()}")
            for path in paths for number, line in tree.lines(path)
            if (found := pattern.search(line))]


def may_use(tree):
    """The table of docs/ARCHITECTURE.md: folder -> folders it may use."""
    table = {}
    if not tree.exists("docs/ARCHITECTURE.md"):
        return table
    for _, line in tree.lines("docs/ARCHITECTURE.md"):
        row = re.match(r"\| `(\w+)` \|.*\|([^|]*)\|$", line)
        if row:
            table[row.group(1)] = set(re.findall(r"`(\w+)`", row.group(2)))
    return table


# --- Rules ------------------------------------------------------------------------------------

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
    paths = [p for p in tree.named(".cc", ".py")
             if is_test(p) and not p.startswith("tests/support/")]
    return matches(tree, paths, SLEEPS, "wait for a condition with a deadline instead")


def clocks(tree):
    paths = [p for p in tree.named(*CODE, under="src/")
             if not is_test(p) and not CLOCK_READERS.fullmatch(p)]
    return matches(tree, paths, CLOCKS, "only os/clock.cc reads a clock")


def unfinished(tree):
    paths = [p for p in tree.named(*TEXT) if not p.startswith("tools/tidy")]
    return matches(tree, paths, UNFINISHED, "finish it or leave it out")


def includes(tree):
    found, table = [], may_use(tree)
    folders = {folder_of(p) for p in tree.paths} - {""}
    for path in product_code(tree, *CODE):
        folder = folder_of(path)
        allowed = table.get(folder, set()) | {folder} | ({"sim"} if is_test(path) else set())
        for number, line in tree.lines(path):
            include = re.match(r'#include "([^"]+)"', line)
            if not include:
                continue
            used = include.group(1).split("/")[0]
            if used in folders and used not in allowed:
                found.append(Finding(path, number, f"{folder} may not use {used}"))
            elif used not in folders and not is_test(path):
                found.append(Finding(path, number, f"{include.group(1)}: include from src/"))
    for folder in sorted(folders):
        if folder not in table:
            found.append(Finding("docs/ARCHITECTURE.md", 1, f"no row for {folder}"))
    return found


def pure_core(tree):
    found = []
    for path in tree.named(*CODE, under="src/core/"):
        for number, line in tree.lines(path):
            include = re.match(r"#include <([^>]+)>", line)
            if include and not is_test(path) and not re.fullmatch(r"[a-z_]+", include.group(1)):
                found.append(Finding(path, number, f"the core may not use <{include.group(1)}>"))
    return found


def portable_watch(tree):
    found = []
    for path in tree.named(*CODE, under="src/watch/"):
        for number, line in tree.lines(path):
            include = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
            if include and not PORTABLE.fullmatch(include.group(1)):
                found.append(Finding(path, number, f"<{include.group(1)}> is not on every system"))
    return found


def heavy_headers(tree):
    found = []
    for path in product_code(tree, *CODE):
        for number, line in tree.lines(path):
            include = re.match(r'#include [<"]([^>"]+)[>"]', line)
            for header, allowed in HEAVY.items():
                if (include and include.group(1).startswith(header)
                        and not re.fullmatch(allowed, path) and not is_test(path)):
                    found.append(
                        Finding(path, number, f"<{include.group(1)}> does not belong here"))
    return found


def link_lines(tree):
    found, table, home, calls = [], may_use(tree), {}, {}
    target = re.compile(r"gpusched_(library|program)\(\s*([\w-]+)(.*?)\)", re.S)
    for path in [p for p in tree.paths
                 if re.fullmatch(r"(src/\w+|" + "|".join(BESIDE) + r")/CMakeLists\.txt", p)]:
        for call in target.finditer(tree.text(path)):
            if call.group(1) == "library":
                home["gpusched_" + call.group(2)] = folder_of(path)
            line = tree.text(path)[:call.start()].count("\n") + 1
            calls.setdefault(path, []).append((line, call.group(3)))
    for path, uses in calls.items():
        allowed = table.get(folder_of(path), set()) | {folder_of(path)}
        for line, arguments in uses:
            for linked in re.findall(r"\bgpusched_\w+", arguments):
                used = home.get(linked)
                if used is not None and used not in allowed:
                    found.append(Finding(path, line, f"{folder_of(path)} may not link {used}"))
    return found


def header_form(tree):
    found = []
    for path in tree.named(".h"):
        text = tree.text(path)
        if not text.startswith("// "):
            found.append(Finding(path, 1, "a header begins with its purpose"))
        if "#pragma once" not in text:
            found.append(Finding(path, 1, "#pragma once is missing"))
    return found


def dead_files(tree):
    found = []
    everything = "\n".join(tree.text(p) for p in tree.named(*CODE))
    for path in product_code(tree, ".cc", ".c"):
        lists = [f"{folder}/CMakeLists.txt" for folder in map(str, Path(path).parents)]
        words = set()
        for name in lists:
            if name in tree.paths:
                below = str(Path(path).relative_to(Path(name).parent))
                words.update(w for w in re.split(r"[\s()\"]+", tree.text(name)) if w == below)
        if not words:
            found.append(Finding(path, 1, "no CMakeLists.txt names it"))
    for path in product_code(tree, ".h"):
        if f'#include "{included_as(path)}"' not in everything:
            found.append(Finding(path, 1, "nobody includes it"))
    return found


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


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def cpp_functions(text):
    """Bodies that open at the end of a line and close at the same indentation (clang-format)."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        opening = re.match(r"( {0,2})(?! |namespace|struct|class|enum|union|extern|TEST|\})"
                           r".*\) ?.*\{$", line)
        if not opening or re.match(r" *(if|for|while|switch|else|do)\b", line):
            continue
        end = opening.group(1) + "}"
        for close in range(start + 1, len(lines)):
            if lines[close].startswith(end):
                yield start + 1, close - start + 1
                break


def function_length(tree):
    found = []
    for path in tree.named(".cc", ".h", ".py"):
        functions = python_functions if path.endswith(".py") else cpp_functions
        for line, length in functions(tree.text(path)):
            if length > FUNCTION_LINES_MOST:
                found.append(Finding(path, line, f"a function of {length} lines, at most "
                                                 f"{FUNCTION_LINES_MOST}", warning=is_test(path)))
    return found


def anchors_of(text):
    outside = re.sub(r"```.*?```", "", text, flags=re.S)
    slugs = set()
    for heading in re.findall(r"^#+ +(.*)$", outside, re.M):
        slugs.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return slugs


def links(tree):
    found = []
    for path in tree.named(".md"):
        fenced = False
        for number, line in tree.lines(path):
            fenced ^= line.startswith("```")
            for target in [] if fenced else re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = (tree.root / path).parent / name if name else tree.root / path
                if not file.exists():
                    found.append(Finding(path, number, f"{target} points nowhere"))
                elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
                    found.append(Finding(path, number, f"{target}: no such heading"))
    return found


def adr_index(tree):
    index = "docs/adr/README.md"
    listed = tree.text(index) if index in tree.paths else ""
    return [Finding(path, 1, f"{index} does not list it")
            for path in tree.named(".md", under="docs/adr/")
            if path != index and f"({Path(path).name})" not in listed]


def event_table(tree):
    """Every event has a row in the table of transitions."""
    source, page = "src/core/model/event.h", "docs/job-states.md"
    if source not in tree.paths:
        return []
    words = tree.text(page) if page in tree.paths else ""
    events = re.search(r"using Event =\s*std::variant<([^>]*)>", tree.text(source))
    return [Finding(page, 1, f"no row for {event}")
            for event in re.findall(r"\w+", events.group(1) if events else "")
            if f"`{event}`" not in words]


RULES = [columns, white_space, names, sleeps, clocks, unfinished, includes, pure_core,
         portable_watch, heavy_headers, link_lines, header_form, dead_files, machine_paths,
         file_length, function_length, links, adr_index, event_table]


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    tree = Tree(root)
    failed = 0
    for rule in RULES:
        findings = rule(tree)
        for f in findings:
            word = "warning: " if f.warning else ""
            print(f"{f.path}:{f.line}: {word}{rule.__name__}: {f.message}")
        failed += any(not f.warning for f in findings)
    print(f"{len(tree.paths)} files: {len(RULES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
