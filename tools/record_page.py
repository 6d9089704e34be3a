#!/usr/bin/env python3
"""Takes the README's pictures of the web page: the real page of a real daemon on eight simulated cards.

    tools/record_page.py [--programs build/release/bin] [--out docs/pictures] [--all DIRECTORY]

`--all` takes every view instead, wide and narrow, light and dark, in both languages."""
import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
import browser as browsers  # noqa: E402
from live_daemon import wait_until  # noqa: E402
from page_desk import PageDaemon, Window  # noqa: E402

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
VIEWS = {"overview": "#/", "timeline": "#/timeline", "jobs": "#/jobs", "job": "#/job/{job}",
         "sweep": "#/sweep/{sweep}", "submit": "#/submit", "whatif": "#/whatif",
         "tenants": "#/people/tenants", "report": "#/people/report",
         "alarms": "#/people/alarms", "tokens": "#/people/tokens", "audit": "#/people/audit",
         "settings": "#/people/settings", "groups": "#/people/groups", "cards": "#/people/cards",
         "reservations": "#/people/reservations", "about": "#/people/about"}
PICTURES = ["overview", "job"]
LOSSES = "for n in $(seq 1 40); do echo \"step $n/40 loss=0.$((60 - n))\"; sleep 0.05; done; exec {simjob}"


def simjob(daemon, vram, load, seconds=0):
    return [daemon.programs / "gpusched-simjob", "--vram", f"{vram}G", "--util", str(load), "--ramp", "0s",
            "--seconds", str(seconds)]


def busy_machine(daemon):
    """Jobs that run, share, wait, were moved aside and have ended; a sweep; a process of somebody else."""
    for number in range(6):
        job = daemon.submit("--vram", "6G", "--time", "1h", "--name", f"eval-{number}", "--",
                            *simjob(daemon, 5, 30, 0.3))
        daemon.ended(job, 60)
    failed = daemon.submit("--vram", "4G", "--name", "broken", "--cmd", "echo cannot open data >&2; exit 3")
    daemon.ended(failed, 60)
    daemon.run("submit", "--gpus", "2", "--vram", "22G", "--time", "6h", "--name", "baseline", "--",
               *simjob(daemon, 18, 85))
    shown = daemon.submit("--vram", "12G", "--time", "2h", "--name", "finetune", "--cmd",
                          LOSSES.format(simjob=" ".join(map(str, simjob(daemon, 10, 45)))))
    for number, (vram, load) in enumerate([(8, 40), (9, 35), (14, 60), (6, 20), (11, 50), (7, 30)]):
        daemon.run("submit", "--vram", f"{vram}G", "--time", "3h", "--name", f"train-{number}", "--",
                   *simjob(daemon, vram - 1, load))
    low = daemon.submit("--priority", "low", "--vram", "22G", "--time", "4h", "--name", "night", "--",
                        *simjob(daemon, 20, 70))
    daemon.wait_for(low, "running", seconds=60)
    sweep = daemon.submit("--vram", "9G", "--time", "30m", "--name", "search",
                          "--param", "lr=0.1,0.03,0.01", "--param", "seed=1:6", "--",
                          *simjob(daemon, 8, 40, 20))
    daemon.run("submit", "--gpus", "4", "--vram", "22G", "--time", "8h", "--name", "large", "--",
               *simjob(daemon, 20, 90))
    daemon.run("submit", "--priority", "urgent", "--vram", "22G", "--time", "20m", "--name", "deadline", "--",
               *simjob(daemon, 20, 80, 60))
    return {"job": shown, "sweep": sweep}


def any_process(daemon):
    return any(card.get("processes") for card in daemon.http("GET", "/v1/gpus").json()["cards"])


def take(window, names, place, out, suffix=""):
    for name in names:
        window.go(VIEWS[name].format(**place))
        window.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        window.page.wait_for_timeout(1500)  # Curves are drawn, and figures have come.
        window.page.screenshot(path=out / f"page-{name}{suffix}.png", full_page=False)


def set_looks(window, theme, language):
    window.page.evaluate("([theme, language]) => { localStorage.setItem('gpusched.theme', theme);"
                         " localStorage.setItem('gpusched.language', language); }", [theme, language])
    window.page.reload()
    window.page.wait_for_selector("[data-link=live]")


def take_all(browser, daemon, place, out):
    for form, viewport in (("wide", WIDE), ("narrow", NARROW)):
        window = Window(browser, daemon, viewport=viewport).log_in()
        for theme in ("light", "dark"):
            for language in ("en", "zh"):
                set_looks(window, theme, language)
                take(window, VIEWS, place, out, f"-{form}-{theme}-{language}")
        window.context.close()


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--programs", type=Path, default=ROOT / "build/release/bin")
    asked.add_argument("--out", type=Path, default=ROOT / "docs/pictures")
    asked.add_argument("--all", type=Path, help="take every view into this directory instead")
    given = asked.parse_args()
    with PageDaemon(given.programs, sim="8x24G") as daemon, browsers.playwright() as started:
        world = {"GPUSCHED_SIM_WORLD": str(daemon.state / "sim-world"), "CUDA_VISIBLE_DEVICES": "7",
                 "LD_LIBRARY_PATH": str(given.programs.parent / "sim")}
        foreign = subprocess.Popen(list(map(str, simjob(daemon, 6, 25))), stdout=subprocess.DEVNULL,
                                   env={**daemon.environment(), **world})
        try:
            place = busy_machine(daemon)
            wait_until(lambda: any_process(daemon), 60, "the process of somebody else")
            chrome = browsers.launch(started)
            if given.all:
                given.all.mkdir(parents=True, exist_ok=True)
                take_all(chrome, daemon, place, given.all)
            else:
                window = Window(chrome, daemon, viewport={"width": 1280, "height": 800}).log_in()
                set_looks(window, "light", "en")
                take(window, PICTURES, place, given.out)
            chrome.close()
        finally:
            foreign.kill()


if __name__ == "__main__":
    main()
