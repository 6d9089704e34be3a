"""The files of a checkout, and what rules find in them."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CODE = (".cc", ".h", ".c")
CHECKED = CODE + (".py", ".cmake", ".sh", ".sql")
TEXT = CHECKED + (".md", ".txt", ".yaml", ".yml", ".json", ".service", ".socket", "")
# Folders beside src/ that hold to the same rules; they are included by their whole path.
BESIDE = ("simdriver",)


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
