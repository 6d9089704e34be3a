"""The highest priority of a tenant: `high` for users, any for administrators, and what a rule says."""

import json
import os
import pwd
import subprocess

import pytest
from live_daemon import ROOMY, LiveDaemon
from users import MAY_MAKE_USERS, User, ml1, place, programs_for_everybody  # noqa: F401

needs_users = pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")


def refused(done):
    assert done.returncode == 77, done
    assert done.stderr.count("\n") == 1 and "the highest for tenant" in done.stderr
    return done.stderr


@needs_users
def test_users_ask_for_high_and_operators_for_urgent(place, ml1):
    said = refused(ml1.gpusched("submit", "--gpus", "0", "--priority", "urgent", "--", "true"))
    assert "priority 90 is above 84 (high)" in said
    assert f"gpusched tenant set {ml1.name} --highest-priority urgent" in said
    assert refused(ml1.gpusched("submit", "--gpus", "0", "--priority", "85", "--dry-run", "--", "true"))
    job = ml1.submit("--hold", "--priority", "84", "--", "true")
    refused(ml1.gpusched("set", job, "--priority", "85"))
    assert place.job(job)["priority"] == 84
    refused(ml1.gpusched("lease", "--priority", "85", "--", "true"))
    urgent = place.submit("--gpus", "0", "--hold", "--priority", "urgent", "--", "true")
    assert place.job(urgent)["priority"] == 90

    # What an operator gave stays, but only an operator lets it go.
    place.run("set", job, "--priority", "95")
    refused(ml1.gpusched("release", job))
    assert place.job(job)["state"] == "held"
    assert place.run("release", job).returncode == 0
    assert place.ended(job)["state"] == "completed"
    refused(ml1.gpusched("requeue", job))


@needs_users
def test_a_rule_raises_and_lowers_it(place, ml1):
    place.run("tenant", "set", ml1.name, "--highest-priority", "urgent")
    shown = json.loads(place.run("tenant", "show", ml1.name, "--json").stdout)["tenants"][0]
    assert shown["quota"]["highest_priority"] == 100
    assert "at most 100 (urgent)" in place.run("tenant", "show", ml1.name).stdout
    job = ml1.submit("--hold", "--priority", "100", "--", "true")
    assert place.job(job)["priority"] == 100
    place.run("tenant", "set", ml1.name, "--highest-priority", "normal")
    assert "above 69 (normal)" in refused(
        ml1.gpusched("submit", "--gpus", "0", "--priority", "high", "--", "true"))
    place.run("tenant", "unset", ml1.name)


@needs_users
def test_a_group_of_users_and_its_leases_have_their_tenants_rule(programs, tmp_path_factory):
    everybodys = programs_for_everybody(programs, tmp_path_factory.mktemp("gpusched"))
    daemon = LiveDaemon(everybodys)
    user = User(daemon, 1)
    try:
        config = ROOMY + f"tenants:\n  lab: {{highest_priority: urgent, users: [{user.name}]}}\n"
        (daemon.directory / "config.yaml").write_text(config)
        daemon.arguments += ["--config", str(daemon.directory / "config.yaml")]
        daemon.directory.chmod(0o755)
        with daemon:
            done = user.gpusched("lease", "--priority", "95", "--", "true")
            assert done.returncode == 0, done.stderr
            assert daemon.job(1)["tenant"] == "lab"
            assert user.gpusched("submit", "--priority", "95", "--", "true").returncode == 0
    finally:
        user.remove()


def test_who_starts_a_daemon_is_its_operator(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        job = daemon.submit("--gpus", "0", "--hold", "--priority", "100", "--", "true")
        assert daemon.job(job)["priority"] == 100


def test_a_wrong_word_is_one_sentence(programs):
    with LiveDaemon(programs, config=ROOMY) as daemon:
        name = pwd.getpwuid(os.getuid()).pw_name
        done = daemon.run("tenant", "set", name, "--highest-priority", "highest", check=False)
        assert done.returncode == 64
        assert "\"highest\" is no priority; write 0 to 100, or idle, low, normal, high, urgent" in done.stderr
        answer = daemon.http("PATCH", f"/v1/tenants/{name}", {"highest_priority": 101})
        assert answer.status == 400
        config = daemon.directory / "wrong.yaml"
        config.write_text("tenants: {default: {highest_priority: 200}}\n")
        checked = subprocess.run([programs / "gpusched", "config", "check", config],
                                 capture_output=True, text=True, check=False)
        assert checked.returncode != 0
        assert "tenants.default.highest_priority" in checked.stderr + checked.stdout
