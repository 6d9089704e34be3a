"""Who changed what: one entry with each change, durable with it, bounded, and nobody else's."""

import csv
import io
import json
import os
import re
import signal
import sqlite3

import pytest
import raw_http
from live_daemon import ROOMY, LiveDaemon, wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def entries(box, *flags):
    """The newest last."""
    answer = json.loads(box.run("audit", "--json", *flags).stdout)
    return list(reversed(answer["entries"]))


def last(box, *flags):
    return entries(box, *flags)[-1]


HELD = {"command": ["true", "--password=hunter2"], "working_directory": "/tmp", "gpus": 0, "hold": True,
        "environment": ["SECRET=hunter3"]}


def test_changes_are_listed_with_who_and_what(box):
    job = box.submit("--hold", "--gpus", "0", "--cmd", "true")
    box.run("cancel", str(job))
    box.run("group", "set", "night", "4")
    submitted, cancelled, group = entries(box, "--last", "3")
    assert submitted["operation"] == "submit_jobs" and submitted["summary"] == f"job {job}"
    assert cancelled["target"] == str(job) and cancelled["result"] == "done"
    assert group["operation"] == "set_group" and group["target"] == "night"
    assert submitted["uid"] == os.getuid() and submitted["proof"] == "socket"
    assert submitted["from"] == "this machine" and submitted["role"] == "admin" and submitted["user"]
    shown = box.run("audit", "--last", "3").stdout.splitlines()
    assert re.search(r"WHEN +WHO +ROLE +FROM +WHAT", shown[0])
    assert "cancel jobs" in shown[2] and "set group" in shown[3], shown
    table = list(csv.DictReader(io.StringIO(box.run("audit", "--csv", "--what", "group").stdout)))
    assert table[-1]["target"] == "night" and table[-1]["result"] == "done"
    assert box.run("audit", "--user", "nobody").stdout == ""


def test_a_change_and_its_entry_survive_kill_9_together(box):
    job = box.submit("--hold", "--gpus", "0", "--cmd", "true")
    box.run("drain", "1", "--reason", "loud")
    before = entries(box, "--last", "2")
    box.kill()
    box.start()
    found = [one for one in entries(box) if one["operation"] != "start_daemon"]
    assert found[-2:] == before
    assert before[0]["summary"] == f"job {job}" and before[1]["operation"] == "drain_gpu"
    box.run("undrain", "1")
    assert last(box)["sequence"] > before[1]["sequence"]


def test_starts_and_reloads_by_a_signal_are_there(box):
    wait_until(lambda: any(one["operation"] == "start_daemon" for one in entries(box)), what="the start")
    os.kill(box.process.pid, signal.SIGHUP)
    wait_until(lambda: entries(box, "--what", "config"), what="the reload")
    reload = last(box, "--what", "config")
    assert reload["operation"] == "reload_config" and reload["proof"] == "signal"
    box.run("config", "reload")
    assert last(box, "--what", "config")["proof"] == "socket"


def test_refusals_are_told_and_wrong_tokens_are_counted(box):
    assert box.run("cancel", "999999", check=False).returncode == 66
    wait_until(lambda: entries(box, "--refused", "--what", "cancel"), what="the refusal")
    refused = last(box, "--refused", "--what", "cancel")
    assert refused["target"] == "999999" and refused["code"] == "not_found"
    for _ in range(5):
        answer = box.http("GET", "/v1/jobs", headers={"Authorization": "Bearer gpst_aaaaaaaa_guess"})
        assert answer.status == 401
    wait_until(lambda: entries(box, "--what", "authenticate"), what="the wrong token")
    wrong = entries(box, "--what", "authenticate")
    assert len(wrong) == 1 and wrong[0]["code"] == "unauthenticated"


def test_the_audit_holds_no_secrets(box):
    made = json.loads(box.run("token", "create", "--json", "--name", "audit").stdout)
    secret, token = made["secret"], made["token"]["id"]
    answer = box.http("POST", "/v1/jobs", HELD, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status == 200, answer.body
    submitted = last(box)
    assert submitted["proof"] == "token" and submitted["token"] == token
    everything = box.run("audit", "--json", "--last", "1000").stdout
    assert token in everything
    for hidden in (secret, secret.split("_")[2], "hunter2", "hunter3"):
        assert hidden not in everything


def test_names_move_no_cursor(box):
    box.http("PUT", "/v1/groups/a%1b%5b2Jb", {"limit": 1})
    wait_until(lambda: entries(box, "--refused", "--what", "group"), what="the refusal")
    shown = box.run("audit").stdout
    assert "\x1b" not in shown and "\\x1b[2Jb" in shown


def test_a_very_large_request_is_one_entry(box):
    sweep = box.submit("--hold", "--gpus", "0", "--array", "0-2999", "--cmd", "true")
    box.run("cancel", "--array", str(sweep))
    submitted, cancelled = entries(box, "--last", "2")
    assert submitted["summary"] == f"jobs {sweep} to {sweep + 2999}"
    assert cancelled["summary"] == "3000 jobs" and cancelled["result"] == "done"


def test_bad_flags_are_one_sentence(box):
    for flags in (["--last", "0"], ["--since", "soon"]):
        done = box.run("audit", *flags, check=False)
        assert done.returncode == 64 and done.stderr.count("\n") == 1


def test_it_is_bounded_and_the_bound_can_change(programs):
    small = ROOMY + "audit: {most: 10, keep: 1d}\n"
    with LiveDaemon(programs, config=small) as box:
        for _ in range(30):
            assert box.http("PUT", "/v1/groups/night", {"limit": 4}).status == 200
        assert len(entries(box, "--last", "1000", "--what", "group")) <= 10
        (box.directory / "config.yaml").write_text(ROOMY + "audit: {most: 5, keep: 1d}\n")
        assert "audit.most: 10 → 5" in box.run("config", "reload").stdout
        box.run("group", "set", "night", "5")
        box.run("group", "set", "night", "6")
        assert len(entries(box, "--last", "1000")) <= 5


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root, to be other users")
def test_users_see_their_own(place, ml1, ml2):  # noqa: F811
    def own(user, *flags):
        return json.loads(user.gpusched("audit", "--json", *flags).stdout)["entries"]
    job = ml1.submit("--hold", "--cmd", "true")
    assert ml2.gpusched("cancel", job).returncode == 77
    assert own(ml1, "--what", "submit")[0]["user"] == ml1.name
    refused = wait_until(lambda: own(ml2, "--refused"), what="the refusal")
    assert [one["user"] for one in refused] == [ml2.name] and refused[0]["code"] == "forbidden"
    assert {one["user"] for one in own(ml2)} == {ml2.name}
    everybody = json.loads(place.run("audit", "--json", "--user", ml1.name).stdout)["entries"]
    assert {one["uid"] for one in everybody} == {ml1.uid}


def keyed(box, method, target, body, key):
    return box.http(method, target, body, headers={"Idempotency-Key": key})


def kept_keys(box):
    with sqlite3.connect(f"file:{box.state / 'gpusched.db'}?mode=ro", uri=True) as store:
        return {key for key, in store.execute("SELECT key FROM kept_changes WHERE over")}


def count_of(box, target, name):
    return len(box.http("GET", target).json()[name])


def test_a_change_with_a_key_is_done_once_whenever_the_daemon_dies(box):
    """Killed when the change is on disk and nobody has read its answer."""
    job = box.submit("--gpus", "0", "--cmd", "true")
    box.ended(job)
    before = count_of(box, "/v1/reservations", "reservations"), count_of(box, "/v1/leases", "leases")
    changes = {
        "reservation": ("POST", "/v1/reservations", {"cards": [1], "for_s": 3600}),
        "lease": ("POST", "/v1/leases", {"vram_bytes": 1 << 30}),
        "requeue": ("POST", f"/v1/jobs/{job}/requeue", None),
        "group": ("PUT", "/v1/groups/once", {"limit": 3}),
        "drain": ("POST", "/v1/gpus/0/drain", {"reason": "once"}),
        "tenant": ("PATCH", "/v1/tenants/once", {"weight": 2}),
    }
    unread = []
    for name, (method, target, body) in changes.items():
        client = raw_http.connect(box.socket)
        unread.append(client)
        text = b"" if body is None else json.dumps(body).encode()
        raw_http.send(client, f"{method} {target} HTTP/1.1\r\nHost: x\r\nIdempotency-Key: {name}\r\n"
                              f"Content-Length: {len(text)}\r\n\r\n".encode() + text)
        wait_until(lambda key=name: key in kept_keys(box), what=name)
    box.ended(job)
    attempts = box.job(job)["attempt"]
    box.kill()
    box.start()
    for client in unread:
        client.close()
    done = len(entries(box, "--last", "1000", "--leases"))
    for name, (method, target, body) in changes.items():
        answer = keyed(box, method, target, body, name)
        assert answer.status == 200, (name, answer.body)
        assert answer.headers.get("idempotency-replayed") == "true", name
    assert count_of(box, "/v1/reservations", "reservations") == before[0] + 1
    assert count_of(box, "/v1/leases", "leases") == before[1] + 1
    assert box.job(job)["attempt"] == attempts and box.job(job)["state"] == "completed"
    other = keyed(box, "PUT", "/v1/groups/once", {"limit": 4}, "group")
    assert other.status == 409 and "another request" in other.json()["error"]["message"]
    later = entries(box, "--last", "1000", "--leases")[done:]
    assert not [one for one in later if one["result"] == "done" and one["operation"] != "start_daemon"]
    box.run("undrain", "0")


def test_a_token_is_made_once_with_one_key(box):
    first = keyed(box, "POST", "/v1/tokens", {"name": "once"}, "a token")
    assert first.status == 200
    box.kill()
    box.start()
    again = keyed(box, "POST", "/v1/tokens", {"name": "once"}, "a token")
    assert again.status == 409 and first.json()["token"]["id"] in again.json()["error"]["message"]
    assert first.json()["secret"].encode() not in again.body
    names = [one["name"] for one in json.loads(box.run("token", "list", "--json").stdout)["tokens"]]
    assert names.count("once") == 1
