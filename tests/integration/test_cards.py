"""Cards as the daemon sees them, through the whole way: simulated driver, sampler, admission."""

import json
import re
import subprocess
import time

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until

FAST = ROOMY + "\nwatch:\n  busy_period_ms: 200\n  idle_period_ms: 200\n  deadline_ms: 500\n"


@pytest.fixture
def lab(programs):
    with LiveDaemon(programs, config=FAST, sim="2x24G") as daemon:
        daemon.world = daemon.state / "sim-world"
        daemon.simjob = programs / "gpusched-simjob"

        def simworld(verb, *words):
            done = subprocess.run([programs / "gpusched-simworld", verb, daemon.world, *words],
                                  capture_output=True, text=True, check=True, timeout=30)
            return done.stdout.strip()

        daemon.simworld = simworld
        yield daemon


def cards(daemon):
    return {card["number"]: card for card in daemon.http("GET", "/v1/gpus").json()["cards"]}


def processes_on(daemon, number):
    return cards(daemon)[number].get("processes", [])


def card_in(daemon, number, state):
    return wait_until(lambda: (c := cards(daemon)[number])["state"] == state and c, 30,
                      f"card {number} {state}")


def test_a_job_is_seen_on_its_card_and_accounted(lab):
    job = lab.submit("--vram", "8G", "--", lab.simjob, "--vram", "6G", "--util", "60",
                     "--seconds", "3")
    lab.wait_for(job, "running")
    seen = wait_until(lambda: [p for p in processes_on(lab, 0) if p.get("vram_bytes") == 6 << 30],
                      30, "its process with all its memory")
    assert (seen[0]["job"], seen[0]["attempt"]) == (job, 1)
    assert "gpusched-simjob" in seen[0]["command"]
    ended = lab.ended(job)
    assert ended["state"] == "completed"
    usage = lab.http("GET", f"/v1/jobs/{job}").json()["jobs"][0]["usage"]["gpu"]
    assert usage["peak_vram_bytes"] == 6 << 30
    assert usage["gpu_seconds"] == pytest.approx(3, abs=2)
    assert usage["energy_joules"] > 0
    wait_until(lambda: not cards(lab)[0]["processes"], 30, "an empty card")


def test_processes_that_a_job_forks_are_the_jobs(lab):
    line = f"{lab.simjob} --vram 1G --seconds 0 & {lab.simjob} --vram 1G --seconds 0 & wait"
    job = lab.submit("--vram", "4G", "--cmd", line)
    wait_until(lambda: [p.get("job") for p in processes_on(lab, 0)] == [job, job], 30,
               "both processes")
    lab.run("cancel", job)
    lab.ended(job)
    wait_until(lambda: not cards(lab)[0]["processes"], 30, "an empty card")


def test_a_foreign_process_delays_is_named_and_its_end_admits(lab):
    pids = [lab.simworld("add-process", f"card={n}", "vram=20G", "util=10", "name=vllm")
            for n in (0, 1)]
    wait_until(lambda: all(c["foreign_bytes"] == 20 << 30 for c in cards(lab).values()), 30,
               "both seen")
    job = lab.submit("--vram", "9G", "--", "true")
    waiting = lab.wait_for(job, "queued")
    explained = lab.run("explain", job).stdout
    assert re.search(r"20\.0 GiB on card 0 are held by .*pid \d+", explained), explained
    assert waiting["state"] == "queued"
    lab.simworld("remove-process", pids[1])
    ended = lab.ended(job)
    assert ended["state"] == "completed" and ended["gpus"][0]["number"] == 1


def test_a_forgotten_script_costs_its_memory_and_not_a_card(lab):
    for number in (0, 1):
        lab.simworld("add-process", f"card={number}", "vram=600M", "util=0", "name=forgotten")
    wait_until(lambda: all(c["foreign_bytes"] == 600 << 20 for c in cards(lab).values()), 30,
               "both seen")
    job = lab.submit("--", "true")
    assert lab.ended(job)["state"] == "completed"


def test_a_card_that_hangs_is_unknown_and_comes_back(lab):
    lab.simworld("set", "card=0", "hang=all")
    hung = card_in(lab, 0, "unknown")
    assert not hung["usable"] and "answer" in hung["reason"]
    assert cards(lab)[1]["state"] == "ok"
    assert lab.ended(lab.submit("--", "true"))["gpus"][0]["number"] == 1
    stuck = lab.submit("--gpus", "2", "--", "true")
    assert lab.wait_for(stuck, "queued")
    assert "card 0" in lab.run("explain", stuck).stdout
    lab.simworld("set", "card=0", "clear=faults")
    card_in(lab, 0, "ok")
    assert lab.ended(stuck)["state"] == "completed"


def test_a_lost_card_ends_its_job_and_harms_nobody_else(lab):
    jobs = [lab.submit("--", lab.simjob, "--vram", "1G", "--seconds", "0") for _ in range(2)]
    for job in jobs:
        lab.wait_for(job, "running")
    wait_until(lambda: all(c["processes"] for c in cards(lab).values()), 30, "both at work")
    lab.simworld("set", "card=0", "lost=on")
    lost = lab.ended(jobs[0])
    assert (lost["state"], lost["cause"]) == ("failed", "gpu_lost")
    assert lab.job(jobs[1])["state"] == "running"
    drained = card_in(lab, 0, "drained")
    assert "reboot" in drained["reason"]
    assert "gpu_lost" in lab.run("events", jobs[0]).stdout


def test_an_error_of_a_program_costs_no_card(lab):
    lab.simworld("set", "card=0", "xid=31")
    lab.simworld("set", "card=0", "xid=48")
    drained = card_in(lab, 0, "drained")
    assert "XID 48" in drained["reason"] and "reset" in drained["reason"]
    lab.run("undrain", "0")
    assert card_in(lab, 0, "ok")["usable"]


def test_a_replaced_driver_is_seen_anew(lab):
    lab.simworld("set", "driver=590.44.01")
    wait_until(lambda: "590.44.01" in lab.run("gpus", "--json").stdout, 30, "the new driver")
    card_in(lab, 0, "ok")
    assert lab.ended(lab.submit("--", "true"))["state"] == "completed"


def test_a_drained_card_stays_so_over_a_restart(lab):
    lab.run("drain", "0", "1", "--reason", "fan is loud")
    job = lab.submit("--", "true")
    assert "fan is loud" in lab.run("explain", job).stdout
    lab.kill()
    lab.start()
    assert {c["state"] for c in cards(lab).values()} == {"drained"}
    assert lab.job(job)["state"] == "queued"
    lab.run("undrain", "1")
    assert lab.ended(job)["gpus"][0]["number"] == 1
    refused = lab.run("undrain", "1", check=False)
    assert refused.returncode == 65 and "card 1 is not drained" in refused.stderr


def test_another_simulation_on_an_old_world_is_refused(lab):
    lab.process.terminate()
    lab.process.wait(timeout=30)
    place = lab.arguments.index("2x24G")
    lab.arguments[place] = "4x80G"
    with pytest.raises(AssertionError, match="sim-world"):
        lab.start()
    lab.arguments[place] = "2x24G"
    lab.start()


def test_the_sampler_dies_and_nobody_minds(lab):
    job = lab.submit("--", lab.simjob, "--vram", "1G", "--seconds", "0")
    lab.wait_for(job, "running")
    pid = subprocess.run(["pgrep", "-P", str(lab.process.pid), "gpusched-sample"],
                         capture_output=True, text=True, check=True).stdout.split()[0]
    before = cards(lab)[0]["sampled_at"]
    subprocess.run(["kill", "-KILL", pid], check=True)
    wait_until(lambda: cards(lab)[0]["state"] == "ok" and cards(lab)[0]["sampled_at"] > before, 30,
               "a new sample")
    assert lab.job(job)["state"] == "running"
    lab.run("cancel", job)


def test_gpus_as_json_has_what_the_protocol_says(lab):
    shown = json.loads(lab.run("gpus", "--json").stdout)
    card = shown["cards"][0]
    assert card["sample"]["vram_bytes"] == 24 << 30
    assert shown["backends"][0]["name"] == "nvml" and shown["source"] == "simulated"
    assert time.strptime(card["sampled_at"][:19], "%Y-%m-%dT%H:%M:%S")


def test_a_hot_card_gets_nothing_new_until_it_has_cooled(programs):
    config = FAST + "gpus:\n  hottest_celsius: 90\n  hot_for: 1s\n" \
                    "  cards:\n    - match: {number: 1}\n      hottest_celsius: 0\n"
    with LiveDaemon(programs, config=config, sim="2x24G") as daemon:
        def simworld(*words):
            subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world",
                            *words], check=True, timeout=30)

        simworld("card=0", "temperature=96")
        simworld("card=1", "temperature=96")
        hot = card_in(daemon, 0, "drained")
        assert hot["drained_by"] == "health"
        assert hot["reason"] == "it is 96 °C hot (limit 90 °C); it works again below 80 °C"
        assert cards(daemon)[1]["state"] == "ok"
        waiting = daemon.submit("--gpu", "0", "--", "true")
        assert "hot" in daemon.run("explain", waiting).stdout
        simworld("card=0", "temperature=85")
        wait_until(lambda: cards(daemon)[0]["sample"]["temperature_c"] == 85, 30, "a look")
        assert cards(daemon)[0]["state"] == "drained"
        simworld("card=0", "temperature=70")
        assert daemon.ended(waiting)["state"] == "completed"


def test_a_card_that_was_missing_at_the_start_is_seen_when_it_is_back(lab):
    uuid = cards(lab)[1]["uuid"]
    lab.kill()
    lab.simworld("set", "card=1", "lost=on")
    lab.start()
    assert list(cards(lab)) == [0]
    job = lab.submit("--gpu", "0", "--", lab.simjob, "--vram", "1G", "--seconds", "0")
    lab.wait_for(job, "running")
    lab.simworld("set", "card=1", "lost=off")
    wait_until(lambda: 1 in cards(lab), 60, "the card")
    assert card_in(lab, 1, "ok")["uuid"] == uuid
    other = lab.submit("--gpu", "1", "--", lab.simjob, "--vram", "1G", "--seconds", "0.5")
    assert lab.ended(other)["state"] == "completed"
    assert lab.job(job)["state"] == "running", "the others did not notice"
    lab.run("cancel", job)
