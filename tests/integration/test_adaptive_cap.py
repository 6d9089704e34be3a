"""The adaptive cap, through the whole way with the simulated driver."""

import subprocess

from live_daemon import ROOMY, LiveDaemon, wait_until

FAST = ROOMY + "\nwatch:\n  busy_period_ms: 200\n  idle_period_ms: 200\n  deadline_ms: 500\n"


def card(daemon):
    return daemon.http("GET", "/v1/gpus").json()["cards"][0]


def share_a_hot_card(daemon, programs):
    jobs = [daemon.submit("--vram", "2G", "--share", "20", "--", "sleep", "60") for _ in range(2)]
    for job in jobs:
        daemon.wait_for(job, "running")
    subprocess.run([programs / "gpusched-simworld", "set", daemon.state / "sim-world", "card=0",
                    "temperature=92"], capture_output=True, check=True, timeout=30)


def test_a_hot_card_that_is_shared_is_shared_less_and_says_why(programs):
    config = FAST + "scheduling:\n  adaptive_cap: on\n"
    with LiveDaemon(programs, config=config, sim="1x24G") as daemon:
        share_a_hot_card(daemon, programs)
        wait_until(lambda: card(daemon).get("share_cap_percent", 90) < 90, what="a lower cap")
        assert card(daemon)["share_cap_reason"].startswith("lowered: heat")
        assert "is shared up to 8" in daemon.run("gpus").stdout


def test_off_nothing_is_said_or_changed(programs):
    with LiveDaemon(programs, config=FAST, sim="1x24G") as daemon:
        share_a_hot_card(daemon, programs)
        wait_until(lambda: card(daemon)["sample"]["temperature_c"] == 92, what="the heat")
        assert "share_cap_percent" not in card(daemon)
