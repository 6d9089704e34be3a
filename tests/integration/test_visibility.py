"""Where the configuration hides users from each other, nothing that one of them is shown names another."""

import pytest
from live_daemon import wait_until
from users import MAY_MAKE_USERS, ml1, ml2, place  # noqa: F401

pytestmark = pytest.mark.skipif(not MAY_MAKE_USERS, reason="only root makes accounts")
CONFIG = "jobs: {grace: 2s}\nhost: {cpus: 64}\n"


@pytest.fixture
def show(place):  # noqa: F811
    """Sets what users see of others; at the end all of it again."""
    def set_to(what):
        (place.directory / "config.yaml").write_text(f"{CONFIG}isolation: {{visibility: {what}}}\n")
        place.run("config", "reload")
    yield set_to
    set_to("all")


@pytest.fixture
def jobs(place, ml1, ml2):  # noqa: F811
    """Three of one user, of which one runs on a card and two wait, and one of the other behind them."""
    held = [int(ml1.gpusched("submit", "--gpus", "2", "--exclusive", "--name", "hidden-work", "--", "sleep",
                             "600").stdout.split()[0]) for _ in range(3)]
    place.wait_for(held[0], "running")
    words = ("--gpus", "1", "--name", "own-work", "--", "sleep", "600")
    own = int(ml2.gpusched("submit", *words).stdout.split()[0])
    yield held, own
    for job in (*held, own):
        place.run("cancel", job)
    for job in (*held, own):
        place.ended(job)


VIEWS = (["status"], ["status", "--all"], ["gpus"], ["tenant"], ["report"], ["group"],
         ["reserve"], ["lease", "list"], ["status", "--json"], ["gpus", "--json"])


@pytest.mark.parametrize("what", ["counts", "own"])
def test_who_is_hidden_is_named_nowhere(place, ml1, ml2, show, jobs, what):  # noqa: F811
    held, own = jobs
    show(what)
    for words in (*VIEWS, ["explain", own], ["show", own], ["explain", own, "--json"]):
        said = ml2.gpusched(*words)
        assert said.returncode == 0, (words, said)
        text = said.stdout + said.stderr
        for secret in (ml1.name, "hidden-work"):
            assert secret not in text, (words, text)
    for words in (["show", held[0]], ["explain", held[0]], ["logs", held[0]], ["cancel", held[0]],
                  ["submit", "--after", held[0], "--", "true"]):
        refused = ml2.gpusched(*words)
        absent = ml2.gpusched(*[90000 if word == held[0] else word for word in words])
        assert refused.returncode == 66, (words, refused)
        assert refused.stderr.replace(str(held[0]), "N") == absent.stderr.replace("90000", "N"), words
    counted = ml2.gpusched("gpus").stdout
    assert ("of others" in counted) == (what == "counts"), counted
    assert "hidden-work" in place.run("status").stdout, "root sees all"


def test_what_is_seen_of_others_changes_with_a_reload(place, ml1, ml2, show, jobs):  # noqa: F811
    assert "hidden-work" in ml2.gpusched("status").stdout
    show("own")
    assert "hidden-work" not in ml2.gpusched("status").stdout
    (place.directory / "config.yaml").write_text(
        f"{CONFIG}isolation: {{visibility: own}}\nroles: {{operator: [{ml2.name}]}}\n")
    place.run("config", "reload")
    wait_until(lambda: "hidden-work" in ml2.gpusched("status").stdout, what="what operators see")
