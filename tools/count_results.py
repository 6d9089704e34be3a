#!/usr/bin/env python3
"""Sums JUnit files, as GoogleTest, pytest and ctest write them: prints passed, failed, skipped.

    tools/count_results.py FILE…      names of failed tests go to stderr
"""

import sys
import xml.etree.ElementTree as ElementTree


def outcome_of(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
    return "skipped" if skipped or case.get("result") in ("skipped", "suppressed") else "passed"


def main(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        try:
            cases = list(ElementTree.parse(path).iter("testcase"))
        except (OSError, ElementTree.ParseError) as error:
            print(f"  failed: {path}: {error}", file=sys.stderr)
            counts["failed"] += 1
            continue
        for case in cases:
            outcome = outcome_of(case)
            counts[outcome] += 1
            if outcome == "failed":
                name = f"{case.get('classname') or ''}.{case.get('name')}"
                print(f"  failed: {name.lstrip('.')}", file=sys.stderr)
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main(sys.argv[1:])
