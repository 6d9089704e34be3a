"""Rules about who may use whom: folders, the rooms of the core, headers, link lines."""

import re
from pathlib import Path

from tidy_rules.tree import (BESIDE, CODE, Finding, folder_of, included_as, is_test, matches,
                             product_code)

# Headers that take seconds to compile: only in these files, never in a header.
HEAVY = {
    "boost/beast": r"src/(http|loop)/[a-z_]+\.cc",
    "nlohmann/": r"src/json/json_value\.cc",
    "yaml-cpp/": r"src/config/(config_file|(alarms|card_rules|receivers|roles|tenants)_yaml)\.cc"
                 r"|src/cli/(servers|submit/job_file)\.cc|simdriver/scenario_yaml\.cc",
    "curses.h": r"src/cli/top/(painter|terminfo)\.cc",
    "term.h": r"src/cli/top/terminfo\.cc",
    "openssl/": r"src/tls/[a-z_]+\.cc",
    "sqlite3.h": r"src/store/sqlite\.cc",
    "zlib.h": r"src/http/gzip\.cc",
    "boost/asio": r"src/(loop|child|launch|gpu|http|notify|api|daemon)/[a-z_/]+\.(cc|h)",
}
CLOCKS = re.compile(r"system_clock::now|steady_clock::now|\bclock_gettime\b|\bgettimeofday\b|"
                    r"\btime\(nullptr\)")
CLOCK_READERS = re.compile(r"src/(os/clock\.cc|launcher/.*)")
# What src/watch may include: a Mac has these too.
PORTABLE = re.compile(r"[a-z_]+|fmt/[a-z]+\.h|gtest/gtest\.h|sys/(types|stat|wait|sysctl)\.h|"
                      r"(dirent|errno|fcntl|poll|signal|spawn|stdlib|string|unistd)\.h")


def may_use(tree):
    """The tables of docs/ARCHITECTURE.md: folder or room -> those it may use."""
    table = {}
    if not tree.exists("docs/ARCHITECTURE.md"):
        return table
    for _, line in tree.lines("docs/ARCHITECTURE.md"):
        row = re.match(r"\| `([\w/]+)` \|.*\|([^|]*)\|$", line)
        if row:
            table[row.group(1)] = set(re.findall(r"`(\w+)`", row.group(2)))
    return table


# --- Rules ------------------------------------------------------------------------------------


def clocks(tree):
    paths = [p for p in tree.named(*CODE, under="src/")
             if not is_test(p) and not CLOCK_READERS.fullmatch(p)]
    return matches(tree, paths, CLOCKS, "only os/clock.cc reads a clock")


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


def rooms(tree):
    """Inside the core: a room uses those of its row, and itself."""
    found, table = [], may_use(tree)
    for path in tree.named(*CODE, under="src/core/"):
        parts = path.split("/")
        if len(parts) != 4:
            found.append(Finding(path, 1, "a file of the core lies in one of its rooms"))
            continue
        room = parts[2]
        if f"core/{room}" not in table and not is_test(path):
            found.append(Finding("docs/ARCHITECTURE.md", 1, f"no row for core/{room}"))
        allowed = table.get(f"core/{room}", set()) | {room}
        for number, line in tree.lines(path):
            used = re.match(r'#include "core/(\w+)/', line)
            if used and not is_test(path) and used.group(1) not in allowed:
                found.append(Finding(path, number, f"{room} may not use {used.group(1)}"))
    return found


def module_of(path):
    """What is private to a class (thing_impl.h) is part of its module."""
    return included_as(path).rsplit(".", 1)[0].removesuffix("_impl")


def circles(uses):
    """Sets of names that use each other, directly or not (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for used in sorted(uses.get(name, ())):
            if used not in index:
                visit(used)
                low[name] = min(low[name], low[used])
            elif used in stack:
                low[name] = min(low[name], index[used])
        if low[name] == index[name]:
            circle = stack[stack.index(name):]
            del stack[stack.index(name):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in sorted(uses):
        if name not in index:
            visit(name)
    return found


def cycles(tree):
    """A header and its source are one module; modules do not use each other in a circle."""
    uses, first = {}, {}
    for path in product_code(tree, *CODE):
        if is_test(path):
            continue
        module = module_of(path)
        first.setdefault(module, path)
        for _, line in tree.lines(path):
            include = re.match(r'#include "([^"]+)\.h"', line)
            used = include and include.group(1).removesuffix("_impl")
            if used and used != module:
                uses.setdefault(module, set()).add(used)
    return [Finding(first.get(circle[0], circle[0]), 1, "a circle: " + ", ".join(circle))
            for circle in circles(uses)]


def sorted_sources(tree):
    """Lists of source files are in order, one on each line: they merge without conflicts."""
    found = []
    for path in [p for p in tree.paths if Path(p).name == "CMakeLists.txt"]:
        for call in re.finditer(r"SOURCES\s(.*?)(?=\bLINKS\b|\))", tree.text(path), re.S):
            sources = re.findall(r"(?<![\w/.}])[\w/.-]+\.(?:cc|c)\b", call.group(1))
            line = tree.text(path)[:call.start()].count("\n") + 1
            if len(sources) > 3 and any(len(re.findall(r"\.(?:cc|c)\b", each)) > 1
                                        for each in call.group(0).splitlines()):
                found.append(Finding(path, line, "one source file on each line"))
            elif sources != sorted(sources):
                found.append(Finding(path, line, "source files in order"))
    return found
