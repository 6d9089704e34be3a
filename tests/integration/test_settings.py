"""Every setting, its value, and where it comes from: by the API and by `config show --origins`."""

import json

import pytest
from live_daemon import LiveDaemon

BASE = """host: {cpus: 8}
jobs:
  # A comment.
  grace: 0s
"""


@pytest.fixture
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE, extra=("--log-level", "info")) as daemon:
        yield daemon


def settings_of(box):
    answer = box.http("GET", "/v1/settings")
    assert answer.status == 200, answer.body
    assert answer.json()["file"] == str(box.directory / "config.yaml")
    return {one["name"]: one for one in answer.json()["settings"]}


def where(one):
    return one["value"], one["from"], one["line"], one["at_restart"], one["waits"]


def test_each_says_where_it_comes_from(box):
    found = settings_of(box)
    assert where(found["jobs.grace"]) == ("0s", "file", 4, False, None)
    assert found["jobs.grace"]["default"] == "10s" and "TERM" in found["jobs.grace"]["about"]
    assert where(found["host.cpus"]) == ("8", "file", 1, False, None)
    assert found["sim"]["from"] == found["socket"]["from"] == "command line"
    assert found["state_directory"]["from"] == found["log.level"]["from"] == "command line"
    assert where(found["scheduling.sharing"]) == ("on", "default", None, False, None)
    # One list, as the sample has it.
    sample = box.run("config", "show", "--defaults").stdout
    assert all(f"#{name.rpartition('.')[2]}:" in sample for name in found)


def test_a_reload_moves_lines_and_what_waits_is_told(box):
    (box.directory / "config.yaml").write_text(
        "\n" + BASE + "scheduling:\n  sharing: off\nlimits: {clients: 99}\n")
    assert where(settings_of(box)["scheduling.sharing"])[:2] == ("on", "default"), "not read yet"
    box.run("config", "reload", "--dry-run")
    assert where(settings_of(box)["scheduling.sharing"])[:2] == ("on", "default"), "only compared"
    box.run("config", "reload")
    found = settings_of(box)
    assert where(found["scheduling.sharing"]) == ("off", "file", 7, False, None)
    assert where(found["jobs.grace"]) == ("0s", "file", 5, False, None)
    assert where(found["limits.clients"]) == ("256", "default", None, True, "99")
    (box.directory / "config.yaml").write_text(BASE)
    box.run("config", "reload")
    assert where(settings_of(box)["limits.clients"]) == ("256", "default", None, False, None)


def test_a_level_that_was_chosen_by_hand_is_of_run_time(box):
    assert box.http("PUT", "/v1/log-level", {"level": "debug"}).status == 200
    assert where(settings_of(box)["log.level"]) == ("debug", "run time", None, False, None)


def test_users_are_refused_and_operators_see_no_addresses(box):
    (box.directory / "config.yaml").write_text(
        BASE + 'receivers: {hook: {channel: webhook, url: "https://127.0.0.1/T0/secret"}}\n')
    box.run("config", "reload")

    def asked_as(role):
        made = box.http("POST", "/v1/tokens", {"role": role}).json()
        return box.http("GET", "/v1/settings", headers={"Authorization": f"Bearer {made['secret']}"})
    refused = asked_as("user")
    assert refused.status == 403 and "an operator or an administrator" in refused.error()["message"]
    seen = asked_as("operator")
    assert seen.status == 200 and b"T0/secret" not in seen.body and b"(hidden)" in seen.body
    assert b"T0/secret" in box.http("GET", "/v1/settings").body


def test_the_command_line_says_the_same(box):
    file = box.directory / "config.yaml"
    file.write_text(BASE + "scheduling:\n  sharing: off\nlimits: {clients: 99}\n")
    box.run("config", "reload")
    said = box.run("config", "show", "--origins").stdout
    lines = {line.split(":")[0]: line for line in said.splitlines()}
    assert lines["scheduling.sharing"].endswith(f"# {file}:6; default on"), said
    assert lines["limits.clients"].endswith("# default; 99 at the next restart"), said
    assert lines["sim"].split("#")[1].startswith(" command line"), said
    assert set(lines) >= set(settings_of(box))
    shown = json.loads(box.run("config", "show", "--origins", "--json").stdout)
    assert {one["name"]: one for one in shown["settings"]} == settings_of(box)
