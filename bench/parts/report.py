"""The table for people and the same as Markdown for docs/benchmarks.md."""
import datetime
import os
import platform


def _number(value):
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def _ratio(result, results):
    """Against gpusched's own value of the same measure and unit."""
    same = [r for r in results if r.measure == result.measure and r.unit == result.unit]
    ours = next((r for r in same if r.who.split(",")[0] == "gpusched"), None)
    if ours is None or len(same) < 2 or not ours.value or not result.value:
        return ""
    return f"{result.value / ours.value:.2f}"


def rows(results):
    for result in results:
        yield (result.measure, result.who, f"{_number(result.value)} {result.unit}",
               _ratio(result, results), result.target, result.note, str(result.samples))


HEAD = ("measure", "who", "median", "÷ gpusched", "wanted", "remarks", "samples")


def table(results):
    lines = [HEAD, *rows(results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    last = None
    for line in lines:
        shown = ("" if line[0] == last else line[0],) + line[1:]
        last = line[0]
        yield "  ".join(cell.ljust(width) for cell, width in zip(shown, widths)).rstrip()


def _cpu():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return names[0] if names else platform.machine()
    except OSError:
        return platform.machine()


def _memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)


def _file_system(path):
    best = ("", "unknown")
    with open("/proc/self/mounts", encoding="utf-8") as file:
        for line in file:
            _, place, kind = line.split()[:3]
            if path.startswith(place) and len(place) >= len(best[0]):
                best = (place, kind)
    return best[1]


def conditions(directory, versions, command, load):
    today = datetime.date.today().isoformat()
    loads = " → ".join(f"{one:.1f}" for one in load)
    return [f"Date: {today}. Command: `{command}`.",
            f"Machine: {os.cpu_count()} × {_cpu()}, {_memory_gib():.0f} GiB; Linux "
            f"{platform.release()}; jobs and stores on {_file_system(directory)}.",
            f"Load average over the run: {loads} (a figure above {os.cpu_count()} means that others "
            "were working beside it).",
            "Versions: " + ", ".join(f"{name} {version}" for name, version in versions) + "."]


def markdown(results, said, facts):
    yield from (f"{line}  " for line in facts)
    yield ""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|" + " --- |" * len(HEAD)
    for row in rows(results):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    if said:
        yield ""
        yield from (f"- {line}" for line in said)
