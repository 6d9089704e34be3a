"""Rules about functions: how long they are, and whether two have the same name."""

import ast
import re
from pathlib import Path

from tidy_rules.tree import Finding, folder_of, is_test, product_code

FUNCTION_LINES_MOST = 70
# What opens a block that is no function, or may be long.
NO_FUNCTION = re.compile(r" *(namespace|struct|class|enum|union|extern|TEST|RC_GTEST|if|for|while|"
                         r"switch|else|do|case|return|try|catch|\}|#|//)")


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def cpp_functions(text):
    """First line, number of lines and signature of each function, as clang-format lays it out:
    its body opens at the end of a line, maybe lines after its name, and closes at the indentation
    of its first line."""
    lines = text.splitlines()
    for close, line in enumerate(lines):
        end = re.match(r"( {0,2})\}$", line)
        if not end:
            continue
        indent = end.group(1)
        # Back to the line that opened what is closed here.
        start = close - 1
        while start >= 0 and not re.match(indent + r"[^ }]", lines[start]):
            start -= 1
        if start < 0 or NO_FUNCTION.match(lines[start]):
            continue
        opening = start
        while opening < close and not lines[opening].endswith("{"):
            opening += 1
        signature = " ".join(each.strip() for each in lines[start:opening + 1])
        if opening < close and re.search(r"\w\(.*\)[^=]*\{$", signature):
            yield start + 1, close - start + 1, signature


def function_length(tree):
    found = []
    for path in tree.named(".cc", ".h", ".py"):
        functions = python_functions if path.endswith(".py") else cpp_functions
        for line, length, *_ in functions(tree.text(path)):
            if length > FUNCTION_LINES_MOST:
                found.append(Finding(path, line, f"a function of {length} lines, at most "
                                                 f"{FUNCTION_LINES_MOST}", warning=is_test(path)))
    return found


def hidden_functions(text):
    """Of the anonymous namespaces: line and signature."""
    for block in re.finditer(r"^namespace \{$(.*?)^\}  // namespace$", text, re.S | re.M):
        before = text[:block.start(1)].count("\n")
        lines = block.group(1).splitlines()
        for line, _, signature in cpp_functions(block.group(1)):
            name = re.match(r"[^(]*?(\w+)\((.*)\)", signature)
            if name and not lines[line - 1].startswith((" ", "template")):
                types = re.sub(r"\b\w+(?=[,)])", "", name.group(2) + ")")
                yield before + line, name.group(1) + "()", types
        for line, text_of_it in enumerate(lines, 1):
            constant = re.match(r"(?:constexpr|const|inline) .*?\b(k[A-Z]\w*)\b.*[={]", text_of_it)
            if constant:
                yield before + line, constant.group(1), ""


def compiled_with(path):
    """Files of one folder of src/ are; beside it, those that lie together."""
    return folder_of(path) if path.startswith("src/") else str(Path(path).parent)


def hidden_twice(tree):
    """Several files are compiled as one: what is hidden in one of them is seen by the others."""
    found, seen = [], {}
    for path in [p for p in product_code(tree, ".cc") if not is_test(p)]:
        for line, name, types in hidden_functions(tree.text(path)):
            first = seen.setdefault((compiled_with(path), name, types), path)
            if first != path:
                found.append(Finding(path, line, f"{name} is in {Path(first).name}, too"))
    return found
