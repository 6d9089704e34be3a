"""The examples of docs/api.md: those of requests are sent, those of answers are compared with the
description of the API, and both list the same routes.
"""

import json
import re

import pytest
from api_description import DESCRIPTION, unknown_fields
from live_daemon import ROOMY, ROOT, LiveDaemon

PAGE = (ROOT / "docs/api.md").read_text()
METHODS = "GET|POST|PUT|PATCH|DELETE"
# The heading of a block and what it is an example of.
ANSWERS = {"History": "CardHistory", "A tenant": "Tenant", "Leases": "OneLease",
           "A preview": "Previewed", "What if": "WhatIf",
           "A sweep": "Sweep", "A reservation": "Reservation", "A job": "Job"}
# What the text below a block says besides, or what only some answers have.
ELSEWHERE = {"Job": {"time_limit_s", "lease", "adopted"}, "Tenant": set(), "Sweep": set()}


def blocks():
    """Every ```json block: the heading it stands under and its text."""
    for found in re.finditer(r"^```json\n(.*?)^```$", PAGE, re.S | re.M):
        yield re.findall(r"^##+ (.*)$", PAGE[:found.start()], re.M)[-1], found.group(1)


def example(text):
    """… stands for anything, as a value or for more of a list."""
    text = re.sub(r",\s*…\s*(?=[\]}])", "", text)
    return json.loads(re.sub(r"(?<=[:\[,])(\s*)…", r"\1null", text.replace("[job…]", "[]")))


@pytest.mark.parametrize("heading,name", sorted(ANSWERS.items()))
def test_an_answer_is_what_the_description_says(heading, name):
    found = [example(text) for title, text in blocks() if title == heading]
    shown = [one for one in found if not (heading == "Leases" and "lease" not in one)]
    assert shown, f"{heading} has no example"
    schema = DESCRIPTION["components"]["schemas"][name]
    for one in shown:
        assert list(unknown_fields(one, schema, name)) == []
        missing = set(schema["required"]) - set(one) - ELSEWHERE.get(name, set())
        assert missing == set(), f"the example of {heading} does not show them"


def routes_of_the_page():
    table = PAGE[PAGE.index("## Routes"):PAGE.index("## History")]
    for methods, path in re.findall(rf"`((?:{METHODS})) (/v1/[^`? ]*|/metrics)", table):
        yield methods, path
    # Further verbs and methods of a row that has named its path.
    for row in table.splitlines():
        paths = re.findall(r"`(?:POST|PATCH) (/v1/[^`? ]*)", row)
        for verb in re.findall(r"`(/\w+)`", row.split("|")[1] if "|" in row else ""):
            yield "POST", paths[0].rsplit("/", 1)[0] + verb
        for method in re.findall(r"`(PUT|DELETE)`", row.split("|")[1] if "|" in row else ""):
            yield method, paths[0]


def test_the_page_and_the_description_have_the_same_routes():
    described = {(method.upper(), path) for path, methods in DESCRIPTION["paths"].items()
                 for method in methods}
    assert set(routes_of_the_page()) == described


def test_every_parameter_of_the_page_is_in_the_description():
    for method, path, query in re.findall(rf"`({METHODS}) (/v1/[^`? ]*)\?([^`]*)`", PAGE):
        known = {one["name"] for one in DESCRIPTION["paths"][path][method.lower()]["parameters"]}
        for word in query.replace("\\|", "|").split("&"):
            assert word.partition("=")[0] in known, f"{method} {path}: {word}"


@pytest.fixture(scope="module")
def daemon(programs):
    config = ROOMY + "gpus: {cards: [{match: {number: 0}, alias: left}]}\n"
    with LiveDaemon(programs, sim="4x80G:A100", config=config) as running:
        # Those that examples are about.
        running.run("submit", "--gpus", "0", "--hold", "--array", "1-25", "--", "true")
        yield running


def first_of(value):
    """Alternatives are written a|b|c."""
    if isinstance(value, dict):
        return {name: first_of(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [first_of(entry) for entry in value]
    if isinstance(value, str) and re.fullmatch(r"[\w-]+(\|[\w-]+)+", value):
        return value.split("|")[0]
    return value


def test_the_example_of_a_submission_is_taken(daemon):
    body, = [example(text) for heading, text in blocks() if heading == "Submit"]
    body = first_of(body)
    known = DESCRIPTION["components"]["schemas"]["SubmitRequest"]["properties"]
    # All fields that have a name of their own in the table are shown, but for the youngest ones.
    assert set(body) - set(known) == set()
    tasks = body.pop("tasks")
    answer = daemon.http("POST", "/v1/jobs?dry_run=1", body)
    assert answer.status == 200, answer.body
    assert answer.json()["count"] == 100
    del body["array"]
    answer = daemon.http("POST", "/v1/jobs?dry_run=1", {**body, "tasks": tasks})
    assert answer.status == 200, answer.body


def test_the_example_of_a_submission_can_be_previewed(daemon):
    body, = [first_of(example(text)) for heading, text in blocks() if heading == "Submit"]
    del body["tasks"]
    before = daemon.http("GET", "/v1/jobs?fields=id").body
    answer = daemon.http("POST", "/v1/preview", body)
    assert answer.status == 200, answer.body
    shown, = [example(text) for heading, text in blocks() if heading == "A preview"]
    assert set(answer.json()) == set(shown)
    assert answer.json()["count"] == 100
    assert daemon.http("GET", "/v1/jobs?fields=id").body == before


def test_the_example_of_a_page_is_what_comes(daemon):
    shown, = [example(text) for heading, text in blocks() if heading == "Pages"]
    target = re.search(r"'http://gpusched(/v1/jobs\?[^']*)'", PAGE).group(1)
    answer = daemon.http("GET", target)
    assert answer.status == 200, answer.body
    assert set(answer.json()) == set(shown)
    assert [set(job) for job in answer.json()["jobs"]] == [set(job) for job in shown["jobs"]]


def test_the_example_of_a_lease_is_taken(daemon):
    body = next(first_of(example(text)) for heading, text in blocks() if heading == "Leases")
    del body["…"]
    answer = daemon.http("POST", "/v1/leases?dry_run=1", {**body, "pid": daemon.process.pid})
    assert answer.status == 200, answer.body


def bodies_in_routes():
    """`PUT /v1/groups/{name}` `{"limit":4}` in the table."""
    table = PAGE[PAGE.index("## Routes"):PAGE.index("## History")]
    yield from re.findall(rf"`({METHODS}) (/v1/[^`?]*)(?:\?[^`]*)?` `(\{{[^`]*)`", table)


# Of two ways to say something, one; and what stands for something that the test has.
PLAIN = {'"cards":[0,"left"] or "count":2': '"cards":[0,"left"]',
         '"for_s":10800 or "until":"…"': '"for_s":10800', '"user":"…","tenant":"…",': "", '"from":"…",': ""}
NOT_SENT = {"/v1/adopt": "it names a process", "/v1/leases/{id}/renew": "it needs a lease of one's own",
            "/v1/whatif": "it needs a past"}


@pytest.mark.parametrize("method,path,body", bodies_in_routes())
def test_the_body_of_a_route_is_taken(daemon, method, path, body):
    for written, meant in PLAIN.items():
        body = body.replace(written, meant)
    if path == "/v1/leases":  # {…} is the body of one.
        body = '{"leases":[{},{}]}'
    body = example(body)
    content = DESCRIPTION["paths"][path][method.lower()]["requestBody"]["content"]
    assert list(unknown_fields(body, content["application/json"]["schema"], path)) == []
    if path in NOT_SENT:
        return
    target = path.replace("{name}", "night").replace("{number}", "0")
    answer = daemon.http(method, f"{target}?dry_run=1", body)
    assert answer.status == 200, answer.body
