#!/usr/bin/env python3
"""Checks the rules of this repository that a compiler cannot see.

    tools/tidy.py [ROOT]      findings as path:line: rule: words; exit status 1 if there are errors

Every rule is a function from a Tree to findings; tools/tidy_test.py proves that each can fail.
docs/STYLE.md says why the rules exist.
"""

import sys
from pathlib import Path

from tidy_rules.documents import adr_index, event_table, links
from tidy_rules.functions import function_length, hidden_twice
from tidy_rules.rooms import (clocks, cycles, dead_files, header_form, heavy_headers, includes,
                              link_lines, portable_watch, pure_core, rooms, sorted_sources)
from tidy_rules.text import (columns, file_length, machine_paths, names, sleeps, unfinished,
                             white_space, words_in_one_place)
from tidy_rules.tree import Tree

RULES = [columns, white_space, names, sleeps, clocks, unfinished, includes, rooms, cycles,
         pure_core, portable_watch, heavy_headers, link_lines, sorted_sources, header_form,
         dead_files, machine_paths, file_length, function_length, hidden_twice, links, adr_index,
         event_table, words_in_one_place]


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
