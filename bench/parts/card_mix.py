"""The mixed workload: 24 trainings and inferences of six programs, two without any needs said."""
import json
import os
import statistics
import subprocess
import sys
import time
from datetime import datetime

from parts.card_daemon import CardDaemon
from parts.card_jobs import WORK

# Program, GiB beside its model, how many, declared.
MIX = [("train_mlp", 2, 6, True), ("infer_cnn", 4, 5, True), ("train_transformer", 8, 4, False),
       ("infer_transformer", 12, 4, True), ("train_cnn", 20, 3, False), ("infer_mlp", 40, 2, True)]


def commands(arguments, directory):
    """One of each program in turn, so that large and small ones come mixed."""
    rounds = max(count for _, _, count, _ in MIX)
    for turn in range(rounds):
        for name, gib, count, declared in MIX:
            if turn < count:
                path = os.path.join(directory, f"{name}.py")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(WORK)
                yield name, gib, declared, [sys.executable, path, str(gib), str(arguments.rounds)]


def summary(began, ends, alone, deaths):
    """`ends`: (program, when it ended) of those that did their work."""
    slow = [(end - began) / alone[name] for name, end in ends]
    return {"makespan_s": round(max(end for _, end in ends) - began, 1), "deaths": deaths,
            "mean_slowdown": round(statistics.mean(slow), 2)}


def one_at_a_time(work):
    taken, ends, began = {}, [], time.time()
    for name, _, _, command in work:
        start = time.time()
        subprocess.run(command, check=True)
        ends.append((name, time.time()))
        taken.setdefault(name, []).append(time.time() - start)
    alone = {name: statistics.median(times) for name, times in taken.items()}
    return alone, summary(began, ends, alone, 0)


def all_at_once(work, alone):
    began = time.time()
    running = {subprocess.Popen(command, stderr=subprocess.DEVNULL): name for name, _, _, command in work}
    ends, deaths = [], 0
    while running:
        for process in [one for one in running if one.poll() is not None]:
            name = running.pop(process)
            deaths += process.returncode != 0
            if process.returncode == 0:
                ends.append((name, time.time()))
        time.sleep(0.02)
    return summary(began, ends, alone, deaths)


def at(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def through_daemon(daemon, work, alone):
    began = time.time()
    jobs = {}
    for name, gib, declared, command in work:
        needs = ["--vram", f"{gib + 1}G"] if declared else []
        jobs[daemon.run("submit", "--name", name, *needs, "--", *command)] = name
    rows = daemon.ended(*jobs, seconds=400)
    ends = [(jobs[str(row["id"])], at(row["ended_at"])) for row in rows if row["state"] == "completed"]
    found = summary(began, ends, alone, sum(row["state"] != "completed" for row in rows))
    found["out_of_memory"] = sum(row["cause"] == "cuda_oom" for row in rows)
    found["tries"] = sum(row["attempt"] for row in rows)
    return found


def stage_mixed(arguments, directory):
    work = list(commands(arguments, directory))
    found = {"jobs": len(work), "mps": arguments.mps}
    if arguments.alone:
        with open(arguments.alone, encoding="utf-8") as file:
            alone = json.load(file)["mixed"]["alone_s"]
    else:
        alone, found["one_at_a_time"] = one_at_a_time(work)
        found["alone_s"] = {name: round(value, 1) for name, value in alone.items()}
        found["all_at_once"] = all_at_once(work, alone)
    for mps in ([True] if arguments.mps else [False]):
        place = os.path.join(directory, f"mps-{mps}")
        os.mkdir(place, 0o755)
        daemon = CardDaemon(arguments.programs, place, settings="isolation: {mps: all}\n" if mps else "")
        try:
            for name in ("first", "again"):
                found[f"gpusched, {'MPS, ' if mps else ''}{name}"] = through_daemon(daemon, work, alone)
        finally:
            daemon.close()
    return found
