"""Why and when: start estimates, advice, reservations in advance, snapshots, with a real daemon."""

import json
import subprocess
from datetime import datetime, timezone

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until


@pytest.fixture
def daemon(programs):
    with LiveDaemon(programs, config=ROOMY, sim="2x24G") as one:
        yield one


def explained(daemon, job):
    return json.loads(daemon.run("explain", job, "--json").stdout)


def seconds_ahead(text):
    return (datetime.fromisoformat(text.replace("Z", "+00:00")) -
            datetime.now(timezone.utc)).total_seconds()


def test_a_waiting_job_is_told_when_it_starts(daemon):
    first = daemon.submit("--gpus", "2", "--time", "1h", "--", "sleep", "60")
    daemon.wait_for(first, "running")
    second = daemon.submit("--gpus", "2", "--time", "2h", "--", "true")
    third = daemon.submit("--gpus", "2", "--", "true")
    said = explained(daemon, second)
    assert 3500 < seconds_ahead(said["estimated_start"]) < 3700
    assert said["latest_start"] == said["estimated_start"] and said["start_guessed"] is False
    assert f"job {first} has 2 cards and ends in" in said["reasons"][0]["message"]
    assert 10600 < seconds_ahead(explained(daemon, third)["estimated_start"]) < 11000
    assert "It should start at" in daemon.run("explain", second).stdout
    # Lists show the same without being asked to look.
    wait_until(lambda: daemon.job(third)["estimated_start"], what="an estimate in the list")
    daemon.run("cancel", first)
    daemon.wait_for(second, "completed")
    assert daemon.job(second)["estimated_start"] is None


def test_no_time_is_invented(daemon):
    """Who has no end is named, by everybody who waits for it."""
    first = daemon.submit("--gpus", "2", "--", "sleep", "60")
    daemon.wait_for(first, "running")
    second = daemon.submit("--gpus", "2", "--time", "1h", "--", "true")
    held = daemon.submit("--gpus", "2", "--hold", "--", "true")
    behind = daemon.submit("--after", held, "--", "true")
    why = f"job {first} has no time limit and has not run before"
    for job, told in ((second, why), (behind, f"job {held} is held")):
        said = explained(daemon, job)
        assert said["estimated_start"] is None and said["latest_start"] is None
        assert said["start_unknown"] == told
        assert f"When it starts is unknown: {told}." in " ".join(daemon.run("explain", job).stdout.split())
        wait_until(lambda: daemon.job(job)["start_unknown"] == told, what="the list says it")
        assert f"unknown: {told}" in " ".join(daemon.run("show", job).stdout.split())
    said = explained(daemon, held)
    assert said["estimated_start"] is None and said["start_unknown"] is None
    # One that had a time has none while it is held.
    daemon.run("set", first, "--time", "1h")
    wait_until(lambda: daemon.job(second)["estimated_start"], what="an estimate")
    daemon.run("hold", second)
    assert daemon.job(second)["estimated_start"] is None
    assert "should start" not in daemon.run("explain", second).stdout


def test_explain_names_who_has_the_cpus_and_why_nobody_goes(programs):
    with LiveDaemon(programs, config="host: {cpus: 8}\n", sim="1x24G") as one:
        first = one.submit("--gpus", "0", "--cpus", "5", "--", "sleep", "60")
        one.wait_for(first, "running")
        stays = one.submit("--vram", "20G", "--preempt", "never", "--", "sleep", "60")
        one.wait_for(stays, "running")
        waits = one.submit("--gpus", "0", "--cpus", "6", "--", "true")
        assert f"needs 6 CPUs, 3 free; job {first} has 5" in one.run("explain", waits).stdout
        urgent = one.submit("--vram", "20G", "--priority", "urgent", "--", "true")
        reason = explained(one, urgent)["reasons"][0]
        assert reason["no_room"] == f"job {stays} asked not to be moved (--preempt never)"
        assert "Nobody is moved aside for it" in one.run("explain", urgent).stdout


def test_many_jobs_are_explained_together(daemon):
    blocks = daemon.submit("--gpus", "2", "--", "sleep", "60")
    daemon.wait_for(blocks, "running")
    array = int(daemon.run("submit", "--array", "0-29999", "--", "true").stdout.split("-")[0].split()[0])
    daemon.run("hold", array + 7)

    def together():
        told = json.loads(daemon.run("explain", "--array", array, "--json").stdout)
        assert told["count"] == 30000
        # A large submission joins the queue in slices.
        return told if [group["count"] for group in told["groups"]] == [29999, 1] else None
    told = wait_until(together, 60, "all of them in the queue")
    assert told["groups"][0]["first"]["reasons"][0]["code"] == "cards"
    assert told["groups"][1]["jobs"] == [array + 7]
    said = daemon.run("explain", "--array", array).stdout
    assert "29999 jobs are queued: " in said and "1 job is held: " in said
    # A few are told one by one.
    assert len(daemon.run("explain", f"{array}-{array + 2}", "--json").stdout.splitlines()) == 3
    daemon.run("cancel", "--array", array)


def test_what_would_help_does_help(daemon):
    first = daemon.submit("--gpus", "2", "--vram", "12G", "--share", "10", "--", "sleep", "60")
    daemon.wait_for(first, "running")
    second = daemon.submit("--vram", "20G", "--share", "10", "--", "sleep", "60")
    helps = explained(daemon, second)["reasons"][0]["helps"]
    assert helps == ("ask for --vram 10G instead of 20G and it starts now: "
                     f"gpusched set {second} --vram 10G")
    daemon.run("set", second, "--vram", "10G")
    daemon.wait_for(second, "running")


def test_cards_are_reserved_for_a_user(daemon):
    made = daemon.run("reserve", "--gpus", "0,1", "--user", "nobody", "--from", "+1h",
                      "--for", "3h", "--name", "demo")
    assert made.stdout.strip() == "1"
    long = daemon.submit("--time", "2h", "--", "sleep", "60")
    short = daemon.submit("--time", "10m", "--", "sleep", "60")
    daemon.wait_for(short, "running")
    assert daemon.job(long)["state"] == "queued"
    said = explained(daemon, long)
    assert said["reasons"][0]["code"] == "booked"
    assert "reserved for nobody (demo) in" in said["reasons"][0]["message"]
    assert 3 * 3600 < seconds_ahead(said["estimated_start"]) < 5 * 3600
    listed = json.loads(daemon.run("reserve", "--json").stdout)["reservations"]
    assert [card["number"] for card in listed[0]["cards"]] == [0, 1]
    assert "nobody" in daemon.run("reserve").stdout
    # It is still there after a restart, and gone when it is removed.
    daemon.kill()
    daemon.start()
    assert json.loads(daemon.run("reserve", "--json").stdout)["reservations"] == listed
    daemon.run("reserve", "remove", "1")
    daemon.wait_for(long, "running")


def test_one_reserves_for_oneself_and_runs_there(daemon):
    daemon.run("reserve", "--gpus", "2", "--for", "1h")
    job = daemon.submit("--gpus", "2", "--", "true")
    daemon.ended(job)


def test_maintenance_is_a_reservation_for_nobody(daemon):
    daemon.run("drain", "0", "--from", "+1h", "--for", "2h", "--reason", "new fan")
    job = daemon.submit("--gpu", "0", "--time", "3h", "--", "true")
    assert "card 0 is out of service (new fan) in" in explained(daemon, job)["reasons"][0]["message"]
    assert daemon.ended(daemon.submit("--gpu", "0", "--time", "10m", "--", "true"))


def test_the_calendar_keeps_cards_free(programs):
    always = ROOMY + "\nscheduling:\n  calendar: \"mon-sun 0:00-24:00 free 0\"\n"
    with LiveDaemon(programs, config=always, sim="2x24G") as daemon:
        assert daemon.ended(daemon.submit("--time", "1m", "--", "true"))["gpus"][0]["number"] == 1
        job = daemon.submit("--gpu", "0", "--time", "1m", "--", "true")
        reason = explained(daemon, job)["reasons"][0]
        assert reason["code"] == "booked" and "kept free by the calendar" in reason["message"]
        assert "calendar" in daemon.run("reserve").stdout
        assert 'mon,tue' in daemon.run("config", "show", "--running").stdout


@pytest.mark.parametrize("rule,cards", [("pack", [0, 0, 0]), ("spread", [0, 1, 0]),
                                        ("round-robin", [0, 1, 0])])
def test_cards_are_chosen_by_the_rule(programs, rule, cards):
    config = ROOMY + f"\nscheduling:\n  placement: {rule}\n"
    with LiveDaemon(programs, config=config, sim="2x24G") as daemon:
        jobs = []
        for _ in cards:
            jobs.append(daemon.submit("--vram", "2G", "--", "sleep", "60"))
            daemon.wait_for(jobs[-1], "running")
        assert [daemon.job(job)["gpus"][0]["number"] for job in jobs] == cards


@pytest.mark.parametrize("words,message", [
    (["--gpus", "9", "--for", "1h"], "only 2 of the 9 cards"),
    (["--gpu", "left", "--for", "1h"], "alias or tag 'left'"),
    (["--gpu", "7", "--for", "1h"], "there is no card 7"),
    (["--gpus", "1", "--user", "nosuch", "--for", "1h"], "there is no user 'nosuch'"),
    (["--gpus", "1"], "say how long"),
    (["--for", "1h"], "say which cards"),
    (["--gpus", "1", "--from", "soon", "--for", "1h"], "--from"),
    (["remove", "77"], "there is no reservation 77"),
    (["keep"], "reserve has no 'keep'"),
])
def test_a_bad_reservation_is_refused_in_one_sentence(daemon, words, message):
    refused = daemon.run("reserve", *words, check=False)
    assert refused.returncode != 0 and message in refused.stderr, refused.stderr
    assert json.loads(daemon.run("reserve", "--json").stdout)["reservations"] == []


def test_a_snapshot_is_decided_again_without_the_daemon(daemon, programs, tmp_path):
    first = daemon.submit("--gpus", "2", "--time", "1h", "--", "sleep", "60")
    daemon.wait_for(first, "running")
    second = daemon.submit("--gpus", "2", "--", "true")
    snapshot = tmp_path / "it.json"
    snapshot.write_text(daemon.run("debug", "snapshot").stdout)
    replayed = subprocess.run([programs / "gpusched", "debug", "replay", snapshot, "--json"],
                              capture_output=True, check=True, text=True, timeout=30)
    said = json.loads(replayed.stdout)
    assert said["starts"] == [] and said["reservation"]["job"] == int(second)
    assert said["waiting"][0]["reason"].startswith("needs 2 cards free")
    # The same with the running job taken out: now it starts.
    changed = json.loads(snapshot.read_text())
    changed["jobs"] = [job for job in changed["jobs"] if job["id"] == int(second)]
    snapshot.write_text(json.dumps(changed))
    replayed = subprocess.run([programs / "gpusched", "debug", "replay", snapshot],
                              capture_output=True, check=True, text=True, timeout=30)
    assert replayed.stdout == f"start job {second} on cards 0,1\n"
    simulated = subprocess.run([programs / "gpusched", "simulate", "--snapshot", snapshot],
                               capture_output=True, check=True, text=True, timeout=30)
    assert simulated.stdout == replayed.stdout
    refused = subprocess.run([programs / "gpusched", "debug", "replay", "/dev/null"],
                             capture_output=True, check=False, text=True, timeout=30)
    assert refused.returncode != 0 and "/dev/null" in refused.stderr
