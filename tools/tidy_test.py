"""Every rule of tidy.py accepts a good file and finds a bad one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy  # noqa: E402

TABLE = """
| folder | what it is | may use |
| --- | --- | --- |
| `core` | values | nothing |
| `core/model` | values | nothing |
| `core/state` | tables | `model` |
| `base` | text | `core` |
| `store` | disk | `core`, `base` |
| `simdriver` | simulated cards | `base` |
"""


def tree_of(tmp_path, files):
    for name, text in {"docs/ARCHITECTURE.md": TABLE, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tidy.Tree(tmp_path)


BODY = "void long_one(int a) {\n" + "  a();\n" * 80 + "}\n"
# The brace of the body stands on another line than the name.
WRAPPED = BODY.replace("(int a) {", "(int a,\n              int b) {")
HIDDEN = "namespace {\n\nvoid twice(int number) {\n  use(number);\n}\n\n}  // namespace\n"
UNFINISHED_WORD = "TO" + "DO"

# rule, files that are fine, files of which one line is not
CASES = [
    (tidy.columns, {"a.cc": "x" * 100 + "\n"}, {"a.cc": "x" * 101 + "\n"}),
    (tidy.white_space, {"a.cc": "int a;\n"}, {"a.cc": "int a; \n"}),
    (tidy.white_space, {"a.cc": "int a;\n"}, {"a.cc": "\tint a;\n"}),
    (tidy.white_space, {"a.md": "end\n"}, {"a.md": "no end"}),
    (tidy.names, {"src/os/fd.h": ""}, {"src/base/string_utils.h": ""}),
    (tidy.names, {"src/core/model/job.cc": ""}, {"src/common/job.cc": ""}),
    (tidy.sleeps, {"src/core/a_test.cc": "wait_until(x);\n"},
     {"src/core/a_test.cc": "std::this_thread::sleep_for(1s);\n"}),
    (tidy.sleeps, {"src/mover/a.cc": "pause_for(kLap);\n"},
     {"src/mover/a_test.cc": "pause_for(kLap);\n"}),
    (tidy.sleeps, {"src/os/clock.cc": "::poll(nullptr, 0, 5);\n"},
     {"src/mover/a.cc": "::poll(nullptr, 0, 5);\n"}),
    (tidy.sleeps, {"src/mover/a_harness.h": "eventually(x);\n"},
     {"src/mover/a_harness.h": "::poll(nullptr, 0, 5);\n"}),
    (tidy.sleeps, {"tests/a.py": "run('sleep 5')\n"}, {"tests/a.py": "time.sleep(1)\n"}),
    (tidy.clocks, {"src/os/clock.cc": "clock_gettime(x);\n"},
     {"src/os/log.cc": "clock_gettime(x);\n"}),
    (tidy.clocks, {"src/core/a_test.cc": "std::chrono::steady_clock::now();\n"},
     {"src/core/a.cc": "std::chrono::steady_clock::now();\n"}),
    (tidy.unfinished, {"a.md": "to do so\n"}, {"a.md": UNFINISHED_WORD + ": later\n"}),
    (tidy.includes, {"src/base/a.cc": '#include "core/model/job.h"\n', "src/core/model/job.h": ""},
     {"src/core/a.cc": '#include "base/text.h"\n', "src/base/text.h": ""}),
    (tidy.includes, {"src/core/a.cc": ""}, {"src/unknown/a.cc": ""}),
    (tidy.includes, {"simdriver/a.cc": '#include "base/b.h"\n', "src/base/b.h": ""},
     {"src/base/a.cc": '#include "simdriver/b.h"\n', "simdriver/b.h": ""}),
    (tidy.includes, {"src/base/a.cc": '#include "base/b.h"\n'},
     {"src/base/a.cc": '#include "b.h"\n'}),
    (tidy.rooms, {"src/core/state/a.cc": '#include "core/model/b.h"\n'},
     {"src/core/model/a.cc": '#include "core/state/b.h"\n'}),
    (tidy.rooms, {"src/core/model/a.cc": ""}, {"src/core/a.cc": ""}),
    (tidy.rooms, {"src/core/state/a_test.cc": ""}, {"src/core/cellar/a.cc": ""}),
    (tidy.cycles, {"src/core/model/a.cc": '#include "core/model/a.h"\n#include "core/model/b.h"\n',
                   "src/core/model/b.cc": ""},
     {"src/core/model/a.cc": '#include "core/model/b.h"\n',
      "src/core/model/b.h": '#include "core/model/c.h"\n',
      "src/core/model/c.cc": '#include "core/model/a.h"\n'}),
    (tidy.cycles, {"src/base/a_impl.h": '#include "base/a.h"\n',
                   "src/base/a.cc": '#include "base/a_impl.h"\n'},
     {"src/base/a_impl.h": '#include "base/b.h"\n', "src/base/b.cc": '#include "base/a.h"\n'}),
    (tidy.sorted_sources, {"src/base/CMakeLists.txt": "x(SOURCES\n  a.cc\n  b.cc\n  c.cc\n  d.cc)\n"},
     {"src/base/CMakeLists.txt": "x(SOURCES\n  a.cc\n  b.cc\n  d.cc\n  c.cc)\n"}),
    (tidy.sorted_sources, {"src/base/CMakeLists.txt": "x(SOURCES a.cc b.cc LINKS c)\n"},
     {"src/base/CMakeLists.txt": "x(SOURCES a.cc b.cc c.cc d.cc LINKS c)\n"}),
    (tidy.hidden_twice, {"src/base/a.cc": HIDDEN, "src/store/a.cc": HIDDEN},
     {"src/base/a.cc": HIDDEN, "src/base/b.cc": HIDDEN}),
    (tidy.hidden_twice, {"src/base/a.cc": HIDDEN, "src/base/b.cc": HIDDEN.replace("int", "long")},
     {"src/base/a.cc": HIDDEN, "src/base/b.cc": HIDDEN.replace("number", "other")}),
    (tidy.pure_core, {"src/core/a.cc": "#include <vector>\n"},
     {"src/core/a.cc": "#include <unistd.h>\n"}),
    (tidy.pure_core, {"src/core/a.cc": "#include <vector>\n"},
     {"src/core/a.cc": "#include <fmt/format.h>\n"}),
    (tidy.portable_watch, {"src/watch/a.cc": "#include <poll.h>\n",
                           "src/process/a.cc": "#include <sys/epoll.h>\n"},
     {"src/watch/a.cc": "#include <sys/epoll.h>\n"}),
    (tidy.portable_watch, {"src/watch/a.cc": "#include <vector>\n"},
     {"src/watch/a.h": "#include <linux/perf_event.h>\n"}),
    (tidy.heavy_headers, {"src/store/sqlite.cc": "#include <sqlite3.h>\n"},
     {"src/store/sqlite.h": "#include <sqlite3.h>\n"}),
    (tidy.heavy_headers, {"src/config/config_file.cc": "#include <yaml-cpp/yaml.h>\n"},
     {"src/base/a.cc": "#include <yaml-cpp/yaml.h>\n"}),
    (tidy.link_lines,
     {"src/core/CMakeLists.txt": "gpusched_library(core SOURCES a.cc)\n",
      "src/base/CMakeLists.txt": "gpusched_library(base SOURCES b.cc LINKS gpusched_core)\n"},
     {"src/core/CMakeLists.txt": "gpusched_library(core SOURCES a.cc LINKS gpusched_base)\n",
      "src/base/CMakeLists.txt": "gpusched_library(base SOURCES b.cc)\n"}),
    (tidy.header_form, {"a.h": "// Why.\n#pragma once\n"}, {"a.h": "#pragma once\n"}),
    (tidy.header_form, {"a.h": "// Why.\n#pragma once\n"}, {"a.h": "// Why.\n"}),
    (tidy.dead_files,
     {"src/core/a.cc": "", "src/core/CMakeLists.txt": "gpusched_library(core SOURCES a.cc)\n"},
     {"src/core/a.cc": "", "src/core/CMakeLists.txt": "gpusched_library(core SOURCES aa.cc)\n"}),
    (tidy.dead_files, {"simdriver/n/a.cc": "", "simdriver/CMakeLists.txt": "add(x n/a.cc)\n"},
     {"simdriver/n/a.cc": "", "simdriver/CMakeLists.txt": "add(x a.cc)\n"}),
    (tidy.dead_files, {"src/core/a.h": "", "tests/a.cc": '#include "core/a.h"\n'},
     {"src/core/a.h": ""}),
    (tidy.file_length, {"a.cc": "\n" * 600}, {"a.cc": "\n" * 601}),
    (tidy.words_in_one_place, {"src/core/model/a_test.cc": 'EXPECT_EQ(x, 1) << "it is on its way";\n'},
     {"src/core/model/a_test.cc": 'EXPECT_EQ(said(1),\n          "it is on its way");\n'}),
    (tidy.words_in_one_place, {"src/core/model/a_test.cc": 'EXPECT_EQ(program_of(a), "python x.py");\n'},
     {"src/core/model/a_test.cc": 'EXPECT_NE(describe(a).find("paused"), std::string::npos);\n'}),
    (tidy.words_in_one_place, {"src/core/model/a_test.cc": 'EXPECT_EQ(what_would_help(a), "");\n'},
     {"src/core/model/a_test.cc": 'EXPECT_TRUE(why_no_room(a).starts_with("job"));\n'}),
    (tidy.function_length, {"a.cc": BODY.replace("  a();\n" * 80, "  a();\n")}, {"a.cc": BODY}),
    (tidy.function_length, {"a.cc": WRAPPED.replace("  a();\n" * 80, "  a();\n")}, {"a.cc": WRAPPED}),
    (tidy.function_length, {"a.py": "def f():\n" + "  a()\n" * 10},
     {"a.py": "def f():\n" + "  a()\n" * 80}),
    (tidy.links, {"a.md": "[b](b.md#one-two)\n", "b.md": "# One, two\n"}, {"a.md": "[b](b.md)\n"}),
    (tidy.links, {"a.md": "```\n[b](b.md)\n```\n"}, {"a.md": "# A\n[b](#bb)\n"}),
    (tidy.adr_index, {"docs/adr/README.md": "[1](0001-a.md)\n", "docs/adr/0001-a.md": ""},
     {"docs/adr/README.md": "", "docs/adr/0001-a.md": ""}),
    (tidy.event_table,
     {"src/core/model/event.h": "using Event = std::variant<A,\n  B>;\n",
      "docs/job-states.md": "`A`, `B`\n"},
     {"src/core/model/event.h": "using Event = std::variant<A, B>;\n", "docs/job-states.md": "`A`\n"}),
]


def errors(findings):
    return [f for f in findings if not f.warning]


@pytest.mark.parametrize("rule,good,bad", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_rule(tmp_path, rule, good, bad):
    assert errors(rule(tree_of(tmp_path / "good", good))) == []
    assert len(errors(rule(tree_of(tmp_path / "bad", bad)))) == 1


def test_a_path_of_this_machine_is_found(tmp_path):
    here = tmp_path / "checkout"
    assert tidy.machine_paths(tree_of(here, {"a.md": "/usr/bin/true\n"})) == []
    assert len(tidy.machine_paths(tree_of(here, {"a.md": f"cd {here}/build\n"}))) == 1


def test_every_rule_has_a_case():
    assert {case[0] for case in CASES} | {tidy.machine_paths} == set(tidy.RULES)


def test_findings_make_the_exit_status(tmp_path, capsys):
    tree_of(tmp_path, {"a.cc": "x" * 101 + "\n"})
    assert tidy.main([str(tmp_path)]) == 1
    assert "a.cc:1: columns: 101 columns" in capsys.readouterr().out
