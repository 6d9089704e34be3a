"""The most expensive requests that one user can send to each route. The routes are read from the description
that is made of the daemon's own table, so a new one cannot be forgotten."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent.parent / "docs/openapi.json"
ORDINARY = 64 << 10  # The largest body of every route but one.
SUBMISSION = 64 << 20
TARGET = 15_000  # As much as a request line may have.


@dataclass(frozen=True)
class Route:
    method: str
    pattern: str
    changes: bool
    parameters: tuple

    def __str__(self):
        return f"{self.method} {self.pattern}"

    def submits(self):
        return (self.method, self.pattern) == ("POST", "/v1/jobs")


def routes():
    found = []
    for path, methods in json.loads(TABLE.read_text())["paths"].items():
        for method, said in methods.items():
            names = [one["name"] for one in said.get("parameters", ()) if one["in"] == "query"]
            found.append(Route(method.upper(), re.sub(r"{\w+}", "{}", path), "dry_run" in names,
                               tuple(name for name in names if name != "dry_run")))
    return found


def places(route):
    """What stands for the part of the path that the client chooses."""
    if "{}" not in route.pattern:
        return {"": route.pattern}
    chosen = {"one": "1", "long name": "n" * TARGET, "escapes": "%2e" * (TARGET // 3)}
    if "/jobs/" in route.pattern:
        chosen |= {"all": "all", "all, again and again": ",".join(["all"] * (TARGET // 4)),
                   "all numbers": "1-999999999", "ranges over all": ",".join(["1-999999999"] * 1000),
                   "many numbers": ",".join(str(n) for n in range(1, 3000))}
    return {name: route.pattern.replace("{}", place) for name, place in chosen.items()}


def queries(route):
    made = {"": "",
            "unknown parameters": "&".join(f"p{n}" for n in range(2000)),
            "one parameter again and again": "&".join(["limit=1"] * 1900),
            "a long parameter": "n" * TARGET}
    for name in route.parameters:
        made[f"{name} is long"] = f"{name}={'1' * (TARGET - 20)}"
        made[f"{name} is a list"] = f"{name}={','.join(['queued'] * 2000)}"
        made[f"{name} is all stars"] = f"{name}={'*a' * 5000}b"
    if "ids" in route.parameters:
        made["all ids"] = "ids=" + ",".join(["1-999999999"] * 1000)
    if "waiting" in route.parameters:
        made["all that waits"] = "waiting=1000"
    return made


def filled(text, most):
    return (text * (most // len(text) + 1))[:most]


def bodies(most):
    inside = most - 100
    return {
        "nothing": b"",
        "deep lists": b"[" * most,
        "deep objects": filled(b'{"a":', most),
        "one large name": b'{"' + b"n" * inside + b'":1}',
        "the same name": b"{" + filled(b'"a":1,', inside) + b"}",
        "many names": b"{" + b",".join(b'"n%d":1' % n for n in range(inside // 12)) + b"}",
        "a large text": b'{"name":"' + b"x" * inside + b'"}',
        "escapes": b'{"name":"' + filled(b"\\u0041", inside // 6 * 6) + b'"}',
        "a large number": b'{"priority":' + b"9" * inside + b"}",
        "a large exponent": b'{"priority":1e' + b"9" * inside + b"}",
        "a long list": b'{"tags":[' + filled(b'"a",', inside // 4 * 4) + b'"a"]}',
        "a list of lists": b'{"tags":[' + filled(b"[],", inside // 3 * 3) + b"[]]}",
        "no text at all": b"\xff" * most,
    }


def submissions(most):
    """Such as are well-formed, too: only these are taken apart to the end."""
    base = '{"command":["true"],"working_directory":"/","hold":true,'
    inside = most - 1000

    def whole(rest):
        return (base + rest + "}").encode()
    return {
        "a large command": json.dumps({"command": ["true", "x" * 100_000], "working_directory": "/",
                                       "hold": True}).encode(),
        "many variables": whole('"environment":['
                                + ",".join(f'"N{n}=1"' for n in range(inside // 16)) + "]"),
        "one large variable": whole('"environment":["N=' + "x" * inside + '"]'),
        "many tags": whole('"tags":[' + ",".join(['"a"'] * (inside // 4)) + "]"),
        "many that come before": whole('"after":[' + ",".join(['{"job":1}'] * (inside // 10)) + "]"),
        "many placeholders": json.dumps({"command": ["{index}" * 10_000], "working_directory": "/",
                                         "hold": True, "array": {"indices": "0-9"}}).encode(),
    }


def targets(route):
    """The path and query of each: every place with a plain query, every query with a plain place."""
    all_places = places(route)
    plain = next(iter(all_places.values()))
    # Nothing changes, and nobody waits for what does not come.
    always = [word for word, there in (("dry_run=1", route.changes),
                                       ("timeout_ms=0", "timeout_ms" in route.parameters)) if there]
    for name, place in all_places.items():
        yield name, "?".join([place, *always])
    for name, query in queries(route).items():
        more = [word for word in always if not query.startswith(word.split("=", 1)[0])]
        if name:
            yield name, f"{plain}?{'&'.join([query, *more])}"


def requests(route, body_most=None):
    """(what is bad about it, target, body, headers); nothing of it changes a job."""
    for name, target in targets(route):
        yield name, target, None, ()
    if route.method == "GET":
        return
    dry = "?dry_run=1"
    target = next(iter(places(route).values())) + dry
    for name, body in bodies(ORDINARY).items():
        yield name, target, body, ()
    yield "a body that is too large", target, b"[" * (ORDINARY + 1), ()
    if route.submits():
        most = body_most or SUBMISSION
        for name, body in (bodies(most) | submissions(most)).items():
            yield f"{name}, large", target, body, ()
        lines = b"\n".join([b'{"command":["true"],"working_directory":"/","hold":true}'] * 2)
        yield "lines", target, filled(lines + b"\n", most), {"Content-Type": "application/x-ndjson"}
