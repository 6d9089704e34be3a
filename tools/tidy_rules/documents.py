"""Rules about documents."""

import re
from pathlib import Path

from tidy_rules.tree import Finding


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
