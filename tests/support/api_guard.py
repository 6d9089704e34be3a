"""Keeps what schemathesis makes up from doing harm, and from waiting (SCHEMATHESIS_HOOKS).

Loaded by schemathesis in its own Python: it knows nothing of the other tests.
"""

import itertools
import os

import schemathesis

# A process that may be named: nothing happens to it but that it is watched.
SLEEPER = int(os.environ["API_GUARD_SLEEPER"])
REAL = {"selector": ["1", "last", "1-3", "all", "2"], "id": ["1", "2", "5"],
        "name": ["night", "lab"], "number": ["0", "1"]}
TURN = itertools.count()


def is_within(value, most):
    """It is a number from 0 to `most`, or written as one."""
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    return text.isascii() and text.isdigit() and int(text) <= most


# What is wrong on purpose stays as it is: the daemon has to refuse it.

def harmless_job(body):
    """Its command becomes one that does nothing, and writes nowhere."""
    command = body.get("command")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        body["command"] = ["true"]
    if isinstance(body.get("working_directory", ""), str):
        body["working_directory"] = "/tmp"
    for name in ("output_path", "error_path", "shell_program"):
        if isinstance(body.get(name), str) and len(body[name]) <= 255:
            body[name] = ""


def harmless_lease(body):
    if body.get("holder") == "connection":
        body["holder"] = "process"
    if body.get("pid") is None or (is_within(body["pid"], (1 << 31) - 1) and body["pid"]):
        body["pid"] = SLEEPER


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.label
    query = case.query if isinstance(case.query, dict) else {}
    if isinstance(case.body, dict):
        if operation in ("POST /v1/jobs", "PATCH /v1/jobs/{selector}"):
            harmless_job(case.body)
        if operation == "POST /v1/leases":
            several = case.body.get("leases")
            for lease in several if isinstance(several, list) else [case.body]:
                if isinstance(lease, dict):
                    harmless_lease(lease)
    if operation == "POST /v1/adopt":
        query["dry_run"] = "1"  # A number may be that of any process of this machine.
    if operation == "GET /v1/jobs/{selector}/wait" and is_within(query.get("timeout_ms", 0), 604_800_000):
        query["timeout_ms"] = "20"
    for name, most in (("wait_ms", (1 << 63) - 1), ("follow", 1)):
        if is_within(query.get(name), most):
            query[name] = "0"
    case.query = query
    # Names that are made up hit nothing; every second request is about something that is there.
    if case.path_parameters and next(TURN) % 2:
        for name in case.path_parameters:
            if name in REAL:
                case.path_parameters[name] = REAL[name][next(TURN) % len(REAL[name])]
