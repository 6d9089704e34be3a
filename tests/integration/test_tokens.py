"""Tokens on the Unix socket: made, used, listed, revoked, expired, kept; of other users; guessed."""

import json
import sqlite3

import pytest
from live_daemon import ROOMY, LiveDaemon, wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401


@pytest.fixture(scope="module")
def box(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        yield daemon


def make(box, *flags):
    made = json.loads(box.run("token", "create", "--json", *flags).stdout)
    return made["secret"], made["token"]["id"]


def call(box, secret, method, target, body=None):
    return box.http(method, target, body, headers={"Authorization": f"Bearer {secret}"})


def row(box, token):
    rows = json.loads(box.run("token", "list", "--json").stdout)["tokens"]
    return next((one for one in rows if one["id"] == token), None)


JOB = {"command": ["true"], "working_directory": "/tmp", "gpus": 0}


def test_a_token_is_made_used_listed_and_revoked(box):
    done = box.run("token", "create", "--name", "laptop", "--expires", "90d")
    secret = done.stdout.strip()
    token = secret.split("_")[1]
    assert secret.startswith("gpst_") and len(secret) == 57
    assert token in done.stderr and secret not in done.stderr
    assert row(box, token)["used_at"] is None
    assert "never" in box.run("token", "list").stdout
    answer = call(box, secret, "POST", "/v1/jobs", JOB)
    assert answer.status == 200, answer.body
    assert row(box, token)["used_at"] is not None and row(box, token)["name"] == "laptop"
    box.ended(answer.json()["first"])
    assert f"token {token} is revoked" in box.run("token", "revoke", token).stderr
    refused = call(box, secret, "GET", "/v1/jobs")
    assert refused.status == 401 and refused.headers["www-authenticate"] == "Bearer"
    assert row(box, token) is None
    again = box.run("token", "revoke", token, check=False)
    assert again.returncode == 66 and again.stderr.count("\n") == 1


def test_a_read_only_token_only_looks(box):
    secret, _ = make(box, "--read-only")
    assert call(box, secret, "GET", "/v1/jobs").status == 200
    refused = call(box, secret, "POST", "/v1/jobs", JOB)
    assert refused.status == 403 and "viewer" in refused.json()["error"]["message"]


def test_an_expired_token_is_refused(box):
    secret, token = make(box, "--expires", "1s")
    wait_until(lambda: call(box, secret, "GET", "/v1/jobs").status == 401, what="its end")
    assert "has expired" in call(box, secret, "GET", "/v1/jobs").json()["error"]["message"]
    assert row(box, token)["expired"] and "expired" in box.run("token", "list").stdout


def test_a_token_outlives_the_daemon_and_is_kept_as_a_hash(box):
    secret, token = make(box)
    assert call(box, secret, "GET", "/v1/jobs").status == 200
    used = row(box, token)["used_at"]
    gone, revoked = make(box)
    box.run("token", "revoke", revoked)
    # An answer is one that is kept, however the daemon ends.
    box.kill()
    box.start()
    assert call(box, secret, "GET", "/v1/jobs").status == 200
    assert call(box, gone, "GET", "/v1/jobs").status == 401
    assert used is not None and row(box, token)["used_at"] >= used
    copy = box.directory / "copy.db"
    box.run("backup", copy)
    for path in (copy, box.log_path):
        content = path.read_bytes()
        assert secret.encode() not in content and secret[14:].encode() not in content, path
    with sqlite3.connect(copy) as database:
        hashes = [line[0] for line in database.execute("SELECT hash FROM tokens WHERE id = ?", [token])]
    assert len(hashes) == 1 and len(hashes[0]) == 64


@pytest.mark.parametrize("words,code", [
    (("create", "--role", "boss"), 64), (("create", "--expires", "soon"), 64),
    (("create", "--expires", "0s"), 64), (("create", "--user", "no-such-user"), 66),
    (("create", "what"), 64), (("revoke",), 64), (("revoke", "none"), 66), (("make",), 64),
    (("list", "--role", "user"), 64), (("create", "--read-only", "--role", "admin"), 64)],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_mistakes_are_one_sentence(box, words, code):
    done = box.run("token", *words, check=False)
    assert done.returncode == code and done.stderr.count("\n") == 1 and not done.stdout, done


def test_guesses_are_slowed_down(programs):
    """Of the same user on the same socket; who shows no token notices nothing."""
    with LiveDaemon(programs, config=ROOMY) as box:
        secret, token = make(box)
        guess = f"gpst_{token}_{'A' * 43}"
        statuses = [call(box, guess, "GET", "/v1/jobs").status for _ in range(20)]
        assert statuses == [401] * 10 + [503] * 10
        assert call(box, secret, "GET", "/v1/jobs").status == 200
        slowed = call(box, guess, "GET", "/v1/jobs")
        assert slowed.status == 503 and 1 <= int(slowed.headers["retry-after"]) <= 60
        assert box.http("GET", "/v1/jobs").status == 200
        assert box.run("status").returncode == 0


@pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")
def test_a_token_is_its_user(place, ml1, ml2):
    """An administrator's gift; what it may do is what its owner may, at that time."""
    secret, token = make(place, "--user", ml1.name, "--role", "operator")
    job = call(place, secret, "POST", "/v1/jobs", JOB).json()["first"]
    assert place.ended(job)["user"] == ml1.name
    other = ml2.submit("--hold", "--cmd", "true")
    cancel = f"/v1/jobs/{other}/cancel"
    assert call(place, secret, "POST", cancel).status == 403
    config = place.directory / "config.yaml"
    config.write_text(ROOMY + f"roles: {{operator: [{ml1.name}]}}\n")
    place.run("config", "reload")
    assert call(place, secret, "POST", cancel).status == 200
    assert place.job(other)["state"] == "cancelled"
    config.write_text(ROOMY)
    place.run("config", "reload")
    # Users see and revoke their own alone, and make none for others, nor stronger ones.
    assert token in ml1.gpusched("token", "list").stdout
    assert token not in ml2.gpusched("token", "list").stdout
    assert ml2.gpusched("token", "revoke", token).returncode == 66
    assert ml2.gpusched("token", "create", "--user", ml1.name).returncode == 77
    refused = ml2.gpusched("token", "create", "--role", "operator")
    assert refused.returncode == 77 and "your role is user" in refused.stderr
    assert ml1.gpusched("token", "revoke", token).returncode == 0
    assert call(place, secret, "GET", "/v1/jobs").status == 401


def test_a_token_is_not_for_jobs(box):
    secret, _ = make(box)
    box.extra_environment = {"GPUSCHED_TOKEN": secret}
    try:
        job = box.submit("--gpus", "0", "--hold", "--", "true")
        asked = box.submit("--gpus", "0", "--hold", "--env", "GPUSCHED_TOKEN", "--", "true")
    finally:
        box.extra_environment = {}
    assert secret not in box.run("show", job, "--json").stdout
    assert secret in box.run("show", asked, "--json").stdout, "by name it is"
    box.run("cancel", job, asked)


def test_what_a_token_cannot_do_is_said_with_its_role(box):
    secret, _ = make(box, "--role", "user")
    for target in ("/v1/gpus/0/drain", "/v1/config/reload"):
        refused = call(box, secret, "POST", target, {})
        message = refused.json()["error"]["message"]
        assert refused.status == 403 and message.endswith("; the role of this token is user"), message


def test_a_token_that_will_hardly_do_what_was_meant(box):
    said = box.run("token", "create", "--tenant", "no-such-lab", "--dry-run").stderr
    assert "there is no tenant 'no-such-lab' yet" in said, said
    said = box.run("token", "create", "--user", "nobody", "--role", "operator", "--dry-run").stderr
    assert "the role of nobody is user" in said, said
    made = box.run("token", "create", "--tenant", "no-such-lab")
    assert "TENANT" in box.run("token", "list").stdout and "no-such-lab" in box.run("token", "list").stdout
    token = made.stdout.split("_")[1]
    assert token in box.run("__complete", "--", "token", "revoke", "").stdout
    box.run("token", "revoke", token)
    gone = box.run("token", "revoke", token, check=False)
    assert "of yours" not in gone.stderr and f"there is no token {token}" in gone.stderr, gone
    nothing = box.http("POST", "/v1/tokens")
    assert nothing.status == 400 and "say what the token may do" in nothing.json()["error"]["message"]


def test_who_drains_a_card_is_in_the_log(box):
    box.run("drain", "0")
    assert "somebody drained a card card=0 uid=0" in box.log()
    box.run("undrain", "0")
