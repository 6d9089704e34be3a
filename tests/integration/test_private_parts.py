"""What one user is not told of another's jobs."""

import json

import pytest
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401

pytestmark = pytest.mark.skipif(not MAY_MAKE_USERS, reason="needs root and useradd")


def test_others_see_no_values_of_a_sweep(place, ml1, ml2):
    first = ml1.submit("--hold", "--name", "run-{token}", "--tag", "is-{token}", "--output", "{token}.log",
                       "--param", "token=hush1,hush2", "--", "true", "{token}")
    lines = ml1.gpusched("submit", "--gpus", "0", "--hold", "--each-line", "-", "--cmd", "{line}",
                         input="echo hush3\necho hush4\n")
    assert lines.returncode == 0, lines.stderr
    last = int(lines.stdout.split("-")[1])
    ids = f"{first}-{last}"
    asked = [("status", ids, "--json"), ("status", ids, "--csv", "--columns", "id,name,values,tags,command"),
             ("status", "--user", ml1.name), ("status", ids, "-x"), ("show", ids, "-x"),
             ("show", ids, "--json", "-x"), ("sweep", str(first)), ("sweep", str(first), "--csv"),
             ("sweep", str(last), "--json"), ("explain", ids), ("events", ids), ("--json",),
             ("report", "--json")]
    told = [ml2.gpusched(*words) for words in asked]
    socket_path = place.socket
    for target in ("/v1/events?after=0", f"/v1/jobs/{ids}", "/v1/jobs?sweeps=1", "/v1/overview"):
        told.append(ml2.do("curl", "-s", "-m", "2", "--unix-socket", socket_path, f"http://x{target}"))
    for words, done in zip([*asked, *[("curl",)] * 4], told):
        assert "hush" not in done.stdout + done.stderr, (words, done.stdout, done.stderr)
    # Nor can they be guessed; the template is the name that others see.
    for value, count in (("run-hush1", 0), ("run-{token}", 2)):
        rows = json.loads(ml2.gpusched("status", "--name", value, "--json").stdout)["jobs"]
        assert len(rows) == count, value
    own = json.loads(ml1.gpusched("status", first, "--json").stdout)["jobs"][0]
    assert (own["name"], own["tags"], own["values"]) == ("run-hush1", ["is-hush1"], {"token": "hush1"})
    ml1.gpusched("cancel", ids)


def test_only_the_owner_attaches(place, ml1, ml2):
    # As run submits it, but for its client.
    asked = json.dumps({"command": ["true"], "working_directory": "/", "attach": "pipes", "hold": True})
    done = ml1.do("curl", "-s", "--unix-socket", place.socket, "http://x/v1/jobs", "-d", asked)
    job = json.loads(done.stdout)["first"]
    refused = ml2.gpusched("attach", job)
    assert (refused.returncode, refused.stdout) == (77, "")
    assert refused.stderr == (f"gpusched: job {job} belongs to {ml1.name}; only its owner and administrators "
                              "attach to it\n")
    ml1.gpusched("cancel", job)
