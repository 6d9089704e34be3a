"""GET /metrics, read by the programs that it is for: promtool, the official parser, Prometheus itself and
the queries of the dashboard. Figures are those that the API tells."""

import json
import re
import socket
import subprocess

import prometheus_server
import pypi_tools
import pytest
import raw_http
from live_daemon import ROOT, LiveDaemon, wait_until

CONFIG = 'jobs: {grace: 0s}\nhost: {cpus: 8}\nnetwork: {listen: ["127.0.0.1:0"]}\n'
OPEN = {"Accept": "application/openmetrics-text;version=1.0.0"}
RULES = ROOT / "packaging/prometheus"
DASHBOARD = ROOT / "packaging/grafana/gpusched.json"
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


@pytest.fixture(scope="module")
def box(programs):
    """Two cards; a job on one of them, one that waits, one that is held, ended ones, a driver's error."""
    # Such cards tell everything there is to tell.
    with LiveDaemon(programs, sim="2x24G:H100", config=CONFIG) as daemon:
        daemon.token = daemon.run("token", "create", "--role", "viewer").stdout.strip()
        work = ["--", programs / "gpusched-simjob", "--vram", "2G", "--util", "60", "--seconds", "0"]
        for job in (daemon.submit("--gpus", "0", "--", "true"),
                    daemon.submit("--gpus", "0", "--", "false")):
            daemon.ended(job)
        first = daemon.submit("--gpu", "0", "--exclusive", *work)
        daemon.wait_for(first, "running")
        daemon.submit("--gpus", "2", "--exclusive", *work)
        daemon.submit("--hold", *work)
        world = daemon.state / "sim-world"
        subprocess.run([programs / "gpusched-simworld", "set", world, "card=1", "xid=31"], check=True)
        yield daemon


@pytest.fixture(scope="module")
def tools():
    try:
        return prometheus_server.programs()
    except OSError as error:
        pytest.skip(f"Debian's Prometheus cannot be had here: {error}")


def scrape(box, headers=None):
    answer = box.http("GET", "/metrics", headers=headers or {})
    assert answer.status == 200, answer
    return answer.body.decode()


def samples(text):
    """{name: {labels as a sorted tuple: value}}"""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        key = tuple(sorted(LABEL.findall(labels or "")))
        assert key not in found.setdefault(name, {}), line
        found[name][key] = float(value)
    return found


def families(text):
    return dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))


def port_of(box):
    return int(re.search(r"the network can reach the daemon at=\S*?:(\d+)", box.log()).group(1))


def test_promtool_finds_nothing_to_say(box, tools):
    done = subprocess.run([tools / "promtool", "check", "metrics"], input=scrape(box),
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_official_parser_reads_openmetrics(box):
    try:
        python = pypi_tools.install("metrics-tools", "requirements-metrics.txt") / "python"
    except OSError as error:
        pytest.skip(f"prometheus_client cannot be had here: {error}")
    script = ("import sys, json\n"
              "from prometheus_client.openmetrics.parser import text_string_to_metric_families as read\n"
              "families = list(read(sys.stdin.read()))\n"
              "print(json.dumps({f.name: [f.type, f.unit, len(f.samples)] for f in families}))\n")
    text = scrape(box, OPEN)
    assert text.endswith("# EOF\n")
    done = subprocess.run([python, "-c", script], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert read["gpusched_jobs_ended"][0] == "counter"
    assert read["gpusched_job_wait_seconds"][:2] == ["histogram", "seconds"]
    assert read["gpusched_card"][0] == "info"
    assert set(families(text)) == set(read)


def test_both_formats_tell_the_same_series(box):
    def series(headers):
        return {name: set(found) for name, found in samples(scrape(box, headers)).items()}
    # What happens meanwhile may add one.
    wait_until(lambda: series({}) == series(OPEN), what="the same series in both formats")


def same_moment(box):
    """Figures and answers between which no card was looked at."""
    def look():
        before = box.http("GET", "/v1/gpus").json()
        text = scrape(box)
        after = box.http("GET", "/v1/gpus").json()
        return (samples(text), after) if before == after else None
    return wait_until(look, 60, "a moment in which nothing changes")


def test_figures_of_cards_are_those_of_the_api(box):
    figures, gpus = same_moment(box)
    assert len(gpus["cards"]) == 2
    for card in gpus["cards"]:
        own = (("card", str(card["number"])),)
        seen = card["sample"]
        for name, value in (("memory_total_bytes", card["vram_bytes"]),
                            ("memory_held_bytes", card["held_vram_bytes"]),
                            ("memory_foreign_bytes", card["foreign_bytes"]),
                            ("memory_used_bytes", seen["used_bytes"]),
                            ("busy_ratio", seen["busy_percent"] / 100),
                            ("power_watts", seen["power_watts"]),
                            ("energy_joules_total", seen["energy_joules"])):
            assert figures[f"gpusched_card_{name}"][own] == pytest.approx(value), name
        heat = figures["gpusched_card_temperature_celsius"]
        assert heat[(*own, ("sensor", "core"))] == pytest.approx(seen["temperature_c"])
        states = {dict(key)["state"]: value for key, value in figures["gpusched_card_state"].items()
                  if own[0] in key}
        assert states.pop(card["state"]) == 1
        assert set(states.values()) == {0}
        info = next(dict(key) for key in figures["gpusched_card_info"] if own[0] in key)
        assert (info["uuid"], info["model"]) == (card["uuid"], card["model"])
    assert figures["gpusched_host_cpus"][()] == gpus["host"]["cpus"]


def test_figures_of_jobs_are_those_of_the_api(box):
    figures = samples(scrape(box))
    counts = box.http("GET", "/v1/overview").json()["counts"]
    for state, count in counts.items():
        assert figures["gpusched_jobs"][(("state", state),)] == count, state
    waiting = {dict(key)["reason"]: value for key, value in figures["gpusched_jobs_waiting"].items()}
    assert sum(waiting.values()) == counts["queued"] + counts["held"]
    assert (waiting["room"], waiting["held"]) == (1, 1)
    tenant = box.http("GET", "/v1/tenants").json()["tenants"]
    named = next(one for one in tenant if one["running"] == 1)
    own = ("tenant", named["name"])
    assert figures["gpusched_tenant_jobs"][(("state", "running"), own)] == named["running"]
    assert figures["gpusched_tenant_jobs"][(("state", "waiting"), own)] == named["waiting"]
    assert figures["gpusched_tenant_cards"][(own,)] == named["cards"]
    assert figures["gpusched_tenant_share_due_ratio"][(own,)] == pytest.approx(named["share_due"])
    ended = figures["gpusched_jobs_ended_total"]
    assert ended[(("cause", "none"), ("outcome", "completed"))] == counts["completed"]
    assert ended[(("cause", "exit"), ("outcome", "failed"))] == counts["failed"]
    over, kind = counts["completed"] + counts["failed"], (("kind", "command"),)
    assert figures["gpusched_job_run_seconds_count"][kind] == over
    assert figures["gpusched_job_wait_seconds_count"][kind] == over + 1
    assert figures["gpusched_job_start_seconds_count"][kind] == over + 1
    assert figures["gpusched_oldest_wait_seconds"][()] > 0


def test_gpu_seconds_are_those_of_the_report(box):
    def counted():
        return sum(samples(scrape(box))["gpusched_gpu_seconds_total"].values())

    def reported():
        return box.http("GET", "/v1/report").json()["total"]["gpu_seconds"]
    # One card is held all the time: what grows inside of what grew cannot have grown more.
    steps = [counted(), reported(), counted(), reported(), counted()]
    assert 0 < steps[3] - steps[1] <= steps[4] - steps[0] + 0.01, steps
    steps = [reported(), counted(), reported(), counted(), reported()]
    assert 0 < steps[3] - steps[1] <= steps[4] - steps[0] + 0.01, steps


def test_an_error_of_the_driver_is_counted(box):
    key = (("card", "1"), ("xid", "31"))
    wait_until(lambda: samples(scrape(box)).get("gpusched_card_xid_total", {}).get(key) == 1,
               what="the error among the figures")


def documented():
    """{family: (type, labels)} of the tables of docs/metrics.md."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|([^|]*)\|", (ROOT / "docs/metrics.md").read_text(), re.M)
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def test_what_is_served_is_what_is_documented(box):
    wanted, text = documented(), scrape(box)
    assert len(wanted) > 50
    served = families(text)
    assert set(served) == set(wanted)
    for name, kind in served.items():
        shown = "gauge" if wanted[name][0] == "info" else wanted[name][0]
        assert kind == shown, name
    for name, series in samples(text).items():
        family = name if name in wanted else re.sub(r"_(bucket|sum|count)$", "", name)
        for key in series:
            assert {label for label, _ in key} - {"le"} == wanted[family][1], (name, key)


def test_over_the_network_it_takes_a_token(box):
    def ask(headers):
        with socket.create_connection(("127.0.0.1", port_of(box)), timeout=30) as client:
            client.sendall(raw_http.request_bytes("GET", "/metrics", headers=headers)
                           .replace(b"Host: gpusched", b"Host: localhost"))
            return raw_http.parse(raw_http.read_until_closed(client))
    refused = ask({})
    assert refused.status == 401 and "token" in refused.error()["message"]
    told = ask({"Authorization": f"Bearer {box.token}"})
    assert told.status == 200 and b"gpusched_jobs{" in told.body


def test_the_rules_pass_their_own_tests(tools):
    for command in (["check", "rules", "gpusched.rules.yml"], ["test", "rules", "gpusched.rules.test.yml"]):
        done = subprocess.run([tools / "promtool", *command], cwd=RULES, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_rules_and_dashboard_ask_for_nothing_that_is_not_there():
    wanted = documented()
    texts = [(RULES / "gpusched.rules.yml").read_text(), *queries()]
    for name in set(re.findall(r"\b((?:gpusched|process)_\w+)", "\n".join(texts))):
        assert name in wanted or re.sub(r"_(bucket|sum|count)$", "", name) in wanted, name


def queries():
    """All that the dashboard asks, for any machine, over the last minute."""
    found = []
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", ()):
            found.append(target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m"))
    return found


def test_prometheus_scrapes_it_and_the_dashboard_has_data(box, tools, tmp_path):
    assert len(queries()) > 30
    with prometheus_server.PrometheusServer(tmp_path, f"127.0.0.1:{port_of(box)}", box.token,
                                            RULES / "gpusched.rules.yml") as server:
        def is_up():
            return [one["value"][1] for one in server.query('up{job="gpusched"}')] == ["1"]
        wait_until(is_up, 120, "a scrape")
        # So that there is a rate of everything.
        box.ended(box.submit("--gpus", "0", "--", "false"))
        missing = set(queries())

        def all_answered():
            missing.difference_update([one for one in missing if server.query(one)])
            return not missing
        try:
            wait_until(all_answered, 120, "data for all queries")
        except AssertionError:
            raise AssertionError(f"no data: {sorted(missing)}\n{server.targets()}\n{server.log()}") from None
        ratio = wait_until(lambda: server.query("gpusched:cards_in_use:ratio"), 60, "a recorded rule")
        assert ratio[0]["value"][1] == "0.5"
        wait_until(lambda: is_up() and not server.targets()[0]["lastError"], 60, "a scrape without fault")
