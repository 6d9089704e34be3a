"""docs/openapi.json, and how a value differs from one of its schemas."""

import json

from live_daemon import ROOT

PLACE = ROOT / "docs/openapi.json"
DESCRIPTION = json.loads(PLACE.read_text())


def resolve(schema):
    while "$ref" in schema:
        schema = DESCRIPTION["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def answer_of(method, path):
    """The schema of what a route gives as JSON."""
    content = DESCRIPTION["paths"][path][method.lower()]["responses"]["200"]["content"]
    return content["application/json"]["schema"]


def unknown_fields(value, schema, where):
    """Names in the value that the schema does not have."""
    choices = [resolve(one) for one in resolve(schema).get("anyOf", [schema])]
    if isinstance(value, list):
        lists = [one["items"] for one in choices if "items" in one]
        for entry in value if lists else ():
            yield from unknown_fields(entry, lists[0], f"{where}[]")
    if not isinstance(value, dict):
        return
    known = {}
    for choice in choices:
        known.update(choice.get("properties", {}))
        if choice.get("additionalProperties") or choice == {"type": "object"}:
            return
    for name, entry in value.items():
        if name in known:
            yield from unknown_fields(entry, known[name], f"{where}.{name}")
        else:
            yield f"{where}.{name}"
