"""Tenants through the whole way: quotas as reasons, weights, what survives, who may change them."""

import json
import os
import shutil

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

CONFIG = ROOMY + """
tenants:
  default: {queued: 40}
  lab: {weight: 3, cards: 2, users: [USER]}
"""


def user_name():
    import pwd
    return pwd.getpwuid(os.getuid()).pw_name


@pytest.fixture
def lab(programs):
    """A daemon whose only user is the tenant `lab`."""
    with LiveDaemon(programs, config=CONFIG.replace("USER", user_name()), sim="4x24G") as daemon:
        yield daemon


def tenant(daemon, name):
    return json.loads(daemon.run("tenant", "show", name, "--json").stdout)["tenants"][0]


def reason(daemon, job):
    return daemon.job(job)["reason"]


def test_a_quota_is_a_reason_and_changes_at_once(lab):
    jobs = [lab.submit("--", "sleep", "600") for _ in range(3)]
    for job in jobs[:2]:
        lab.wait_for(job, "running")
    assert lab.job(jobs[0])["tenant"] == "lab"
    wait_until(lambda: reason(lab, jobs[2]) is not None)
    assert reason(lab, jobs[2]) == "the tenant's quota of 2 cards is reached (2 held, 1 needed)"
    explained = json.loads(lab.run("explain", jobs[2], "--json").stdout)
    assert explained["reasons"][0]["code"] == "tenant_quota"
    assert "gpusched tenant set lab --cards " in explained["reasons"][0]["helps"]
    gang = lab.submit("--gpus", "3", "--", "true")
    assert reason(lab, gang) == "needs 3 cards, more than the tenant's quota of 2 cards"

    tried = json.loads(lab.run("tenant", "set", "lab", "--cards", "3", "--dry-run", "--json").stdout)
    assert tried["dry_run"] and tried["tenants"][0]["quota"]["cards"] == 3
    assert lab.job(jobs[2])["state"] == "queued"
    lab.run("tenant", "set", "lab", "--cards", "3")
    lab.wait_for(jobs[2], "running")
    lab.run("tenant", "set", "lab", "--cards", "none")
    shown = tenant(lab, "lab")
    assert shown["quota"]["cards"] is None and shown["set"] == {"cards": "none"}
    assert (shown["weight"], shown["running"], shown["cards"], shown["users"]) == \
        (3, 3, 3, [user_name()])
    lab.run("tenant", "unset", "lab")
    assert tenant(lab, "lab")["quota"]["cards"] == 2


def test_other_quotas_say_which(lab):
    lab.run("tenant", "set", "lab", "--gpu-hours", "0/week")
    hours = lab.submit("--", "true")
    wait_until(lambda: reason(lab, hours) is not None)
    assert reason(lab, hours) == \
        "the tenant's quota of 0 GPU-hours per week is used up (0 used)"
    lab.run("tenant", "set", "lab", "--gpu-hours", "none", "--vram", "10G")
    lab.wait_for(hours, "queued")
    assert reason(lab, hours) == "needs 24 GiB of VRAM, more than the tenant's quota of 10 GiB"
    small = lab.submit("--vram", "4G", "--", "sleep", "600")
    lab.wait_for(small, "running")
    lab.run("tenant", "set", "lab", "--vram", "none", "--running", "1")
    assert reason(lab, hours) == "the tenant's quota of 1 running job is reached (1 running)"
    lab.run("tenant", "set", "lab", "--running", "none", "--time-limit", "1h")
    assert reason(lab, hours) == "has no time limit; the tenant's longest is 1 h"
    limited = lab.submit("--", "sleep", "600")
    lab.wait_for(limited, "running")
    details = json.loads(lab.run("show", limited, "--json").stdout)["jobs"][0]
    assert details["time_limit_s"] == 3600
    lab.run("cancel", small)
    lab.run("set", hours, "--time", "10m")
    assert lab.ended(hours)["state"] == "completed"


def test_too_many_queued_jobs_are_refused_whole(lab):
    lab.run("tenant", "set", "lab", "--queued", "2", "--cards", "0")
    lab.submit("--", "true")
    refused = lab.run("submit", "--array", "0-1", "--", "true", check=False)
    assert refused.returncode == 65
    assert "tenant 'lab' may have at most 2 waiting jobs; 1 waits already and 2 would join" in refused.stderr
    assert refused.stdout == ""
    answer = lab.http("POST", "/v1/jobs", json.dumps({"command": ["true"], "array": "0-5"}))
    assert answer.status == 409 or answer.status == 400
    assert tenant(lab, "lab")["waiting"] == 1
    lab.submit("--", "true")


def test_what_was_set_and_used_survives_a_kill(lab):
    lab.run("tenant", "set", "lab", "--weight", "0.5", "--gpu-hours", "100/month")
    job = lab.submit("--", "sleep", "600")
    lab.wait_for(job, "running")
    wait_until(lambda: tenant(lab, "lab")["usage_gpu_seconds"] > 0.5)
    before = tenant(lab, "lab")
    lab.kill()
    lab.start()
    after = tenant(lab, "lab")
    assert (after["weight"], after["quota"]["gpu_hours"]) == (0.5, "100/month")
    assert after["usage_gpu_seconds"] >= before["usage_gpu_seconds"]
    assert after["gpu_hours_used"] >= before["gpu_hours_used"]
    assert after["cards"] == 1
    lab.run("cancel", job)
    lab.ended(job)
    ended = tenant(lab, "lab")
    assert ended["usage_gpu_seconds"] >= after["usage_gpu_seconds"] * 0.999
    lab.kill()
    lab.start()
    assert tenant(lab, "lab")["usage_gpu_seconds"] == pytest.approx(ended["usage_gpu_seconds"], rel=0.01)


def test_bad_words_are_one_sentence(lab):
    for words, said in [
            (["set", "lab"], "say what is to be set"),
            (["set"], "write the tenant"),
            (["set", "lab", "--cards", "x"], "--cards"),
            (["set", "lab", "--weight", "0"], "--weight"),
            (["set", "lab", "--gpu-hours", "5"], "100/week"),
            (["set", "lab", "--time-limit", "0"], "--time-limit"),
            (["show", "--cards", "2"], "belongs to gpusched tenant set"),
            (["unset"], "write the tenant"),
            (["unset", "nobody"], "nothing was set for tenant 'nobody'"),
            (["sett", "lab"], "tenant has no 'sett'")]:
        done = lab.run("tenant", *words, check=False)
        assert done.returncode in (64, 66), (words, done)
        assert said in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr
    table = lab.run("tenant").stdout
    assert table.startswith("TENANT") and "lab" in table
    assert "Weight       3" in lab.run("tenant", "show", "lab").stdout
