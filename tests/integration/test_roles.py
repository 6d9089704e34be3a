"""Roles of real users, by name and by Unix group, read again while the daemon runs."""

import pytest
from live_daemon import ROOMY
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401

pytestmark = pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")


@pytest.fixture
def give(place):
    """Writes roles into the configuration, and takes them away at the end."""
    def write(roles):
        (place.directory / "config.yaml").write_text(ROOMY + (f"roles: {roles}\n" if roles else ""))
        place.run("config", "reload")
    yield write
    write("")


def refused(done, *words):
    assert done.returncode == 77 and done.stderr.count("\n") == 1, done
    assert all(word in done.stderr for word in words), done.stderr


def test_an_operator_steers_what_others_run_and_sees_nothing_private(place, ml1, ml2, give):
    job = ml1.submit("--hold", "--env", "SECRET=hidden", "--cmd", "echo private")
    refused(ml2.gpusched("cancel", job), ml1.name, "an operator or an administrator")
    refused(ml2.gpusched("drain", "0"), "only an operator or an administrator may drain a card")
    give(f'{{operator: ["group:{ml2.group}"]}}')
    assert ml2.gpusched("set", job, "--priority", "60").returncode == 0
    assert place.job(job)["priority"] == 60
    assert ml2.gpusched("release", job).returncode == 0
    place.ended(job)
    assert "hidden" not in ml2.gpusched("show", job, "--json").stdout
    refused(ml2.gpusched("logs", job))
    refused(ml2.gpusched("set", job, "--name", "mine"), "only its owner or an administrator may change it")
    refused(ml2.gpusched("tenant", "set", ml2.name, "--weight", "9"), "only an administrator")
    refused(ml2.gpusched("config", "show", "--running"), "only an administrator")
    assert ml2.gpusched("drain", "0", "--reason", "dust").returncode == 0
    assert ml2.gpusched("undrain", "0").returncode == 0
    assert ml2.gpusched("group", "set", "everybodys", "--limit", "2").returncode == 0
    assert '"everybodys"' in place.run("group", "--json").stdout
    assert ml2.gpusched("group", "remove", "everybodys").returncode == 0


def test_all_of_an_operator_are_the_operators_own(place, ml1, ml2, give):
    give(f"{{operator: [{ml2.name}]}}")
    theirs = ml1.submit("--hold", "--cmd", "true")
    own = ml2.submit("--hold", "--cmd", "true")
    assert ml2.gpusched("cancel", "--all").returncode == 0
    assert place.job(own)["state"] == "cancelled" and place.job(theirs)["state"] == "held"
    other = place.submit("--gpus", "0", "--hold", "--", "true")
    assert ml2.gpusched("cancel", "--user", ml1.name).returncode == 0
    assert place.job(theirs)["state"] == "cancelled" and place.job(other)["state"] == "held"
    place.run("cancel", other)


def test_a_viewer_only_looks(place, ml1, ml2, give):
    job = ml1.submit("--hold", "--cmd", "true")
    give(f'{{viewer: ["group:{ml1.group}"]}}')
    refused(ml1.gpusched("submit", "--gpus", "0", "--cmd", "true"), "your role is viewer")
    refused(ml1.gpusched("cancel", job), "your role is viewer")
    assert ml1.gpusched("status").returncode == 0 and ml1.gpusched("gpus").returncode == 0
    # Named, one is what the name says, whatever the groups are.
    give(f'{{viewer: ["group:{ml1.group}"], user: [{ml1.name}]}}')
    assert ml1.gpusched("cancel", job).returncode == 0


def test_a_named_administrator_is_one(place, ml1, give):
    give(f"{{admin: [{ml1.name}]}}")
    shown = ml1.gpusched("config", "show", "--running")
    assert shown.returncode == 0 and ml1.name in shown.stdout
    give("")
    refused(ml1.gpusched("config", "show", "--running"), "only an administrator")


@pytest.fixture
def tenants(place):
    """The same for tenants."""
    def write(text):
        (place.directory / "config.yaml").write_text(ROOMY + (f"tenants: {text}\n" if text else ""))
        place.run("config", "reload")
    yield write
    write("")


def test_a_unix_group_is_a_tenant(place, ml1, ml2, tenants):
    tenants(f'{{"group:{ml1.group}": {{queued: 1}}, "group:{ml1.name}": {{weight: 2}}}}')
    first = ml1.submit("--hold", "--cmd", "true")
    # In two groups: the first in the file.
    assert place.job(first)["tenant"] == f"group:{ml1.group}"
    full = ml1.gpusched("submit", "--gpus", "0", "--hold", "--cmd", "true")
    assert full.returncode == 65 and "queued" in full.stderr or "wait" in full.stderr, full
    other = ml2.submit("--hold", "--cmd", "true")
    assert place.job(other)["tenant"] == ml2.name
    # A tenant by name counts more; what was submitted keeps its own.
    tenants(f'{{"group:{ml1.group}": {{}}, lab: {{users: [{ml1.name}]}}}}')
    named = ml1.submit("--hold", "--cmd", "true")
    assert place.job(named)["tenant"] == "lab" and place.job(first)["tenant"] == f"group:{ml1.group}"
    for job in (first, other, named):
        place.run("cancel", job)


def test_a_group_is_chosen_by_those_who_are_in_it(place, ml1, ml2, tenants):
    tenants(f'{{"group:{ml1.group}": {{}}, "group:{ml1.name}": {{}}, "group:{ml2.group}": {{}}}}')
    made = ml1.gpusched("token", "create", "--tenant", f"group:{ml1.name}")
    assert made.returncode == 0, made
    body = {"command": ["true"], "working_directory": "/tmp", "gpus": 0, "hold": True}
    answer = place.http("POST", "/v1/jobs", body, headers={"Authorization": f"Bearer {made.stdout.strip()}"})
    job = answer.json()["first"]
    assert place.job(job)["tenant"] == f"group:{ml1.name}"
    place.run("cancel", job)
    refused(ml1.gpusched("token", "create", "--tenant", f"group:{ml2.group}"), "another tenant")
