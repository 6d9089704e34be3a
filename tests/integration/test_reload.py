"""The configuration is read again while the daemon runs: by a verb, by the API and by SIGHUP."""

import json
import signal

import pytest
from live_daemon import LiveDaemon, wait_until

BASE = "host: {cpus: 8}\njobs: {grace: 0s}\n"


@pytest.fixture
def box(programs):
    with LiveDaemon(programs, sim="1x24G", config=BASE) as daemon:
        yield daemon


def write(box, text):
    (box.directory / "config.yaml").write_text(BASE + text)


def running(box):
    return box.run("config", "show", "--running").stdout


def test_a_changed_rule_lets_a_job_start(box):
    write(box, "scheduling: {sharing: false}\n")
    assert "scheduling.sharing: on → off" in box.run("config", "reload").stdout
    first = box.submit("--vram", "4G", "--cmd", "sleep 600")
    box.wait_for(first, "running")
    second = box.submit("--vram", "4G", "--cmd", "sleep 600")
    wait_until(lambda: box.job(second)["reason"], what="a reason to wait")
    assert box.job(second)["state"] == "queued"
    write(box, "")
    shown = box.run("config", "reload", "--dry-run")
    assert "scheduling.sharing: off → on" in shown.stdout and "would" in shown.stderr
    assert box.job(second)["state"] == "queued"
    box.run("config", "reload")
    box.wait_for(second, "running")
    assert "nothing differs" in box.run("config", "reload").stderr
    assert box.job(first)["state"] == "running"


def test_a_wrong_file_changes_nothing(box):
    before = running(box)
    write(box, "scheduling: {sharing: maybe}\n")
    done = box.run("config", "reload", check=False)
    assert done.returncode == 64 and "config.yaml:3:" in done.stderr and done.stderr.count("\n") == 1, done
    assert running(box) == before
    box.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the configuration stays as it was" in box.log(), what="a word about it")
    assert running(box) == before


def test_a_hangup_reads_it_and_what_needs_a_restart_waits(box):
    write(box, "limits: {clients: 99}\nretention: {keep_for: 3d}\n")
    box.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "was read again" in box.log(), what="the reload")
    assert "a changed setting waits for a restart setting=limits.clients" in box.log()
    shown = json.loads(box.run("config", "reload", "--json").stdout)
    assert [(one["setting"], one["at_restart"]) for one in shown["changes"]] == [("limits.clients", True)]
    assert "keep_for: 3d" in running(box)
    said = box.run("config", "reload")
    assert "(at the next restart)" in said.stdout and "restart" in said.stderr


def test_a_file_that_is_gone_changes_nothing(box):
    write(box, "retention: {keep_for: 3d}\n")
    box.run("config", "reload")
    (box.directory / "config.yaml").unlink()
    done = box.run("config", "reload", check=False)
    assert done.returncode == 66 and "not there any more" in done.stderr, done
    assert "keep_for: 3d" in running(box)


def test_a_learned_share_goes_with_its_rule(box):
    write(box, "scheduling: {adaptive_cap: on}\n")
    box.run("config", "reload")
    box.wait_for(box.submit("--vram", "2G", "--", "sleep", "600"), "running")
    write(box, "scheduling: {share_cap_percent: 60}\n")
    box.run("config", "reload")
    second = box.submit("--vram", "2G", "--share", "70", "--", "true")
    said = wait_until(lambda: box.http("GET", f"/v1/jobs/{second}/explain").json()["reasons"],
                      what="a reason")
    assert said[0]["code"] == "cards", said


def test_quotas_of_tenants_come_with_it(box):
    user = box.http("GET", "/v1/tenants").json()["tenants"]
    assert not [one for one in user if one["name"] == "lab"]
    write(box, "tenants: {lab: {weight: 4}}\n")
    assert "tenants: changed" in box.run("config", "reload").stdout
    assert "lab" in box.run("tenant", "show", "lab").stdout


def test_it_reads_its_own_file_alone(box):
    other = box.run("config", "reload", "/some/file", check=False)
    assert other.returncode == 64 and "started" in other.stderr
