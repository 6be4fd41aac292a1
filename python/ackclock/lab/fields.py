"""The fields of scenarios that the page reads, as the schema of the models describes them."""

from collections.abc import Mapping
from typing import Any, Final

from ackclock.engine.catalogue import catalogue
from ackclock.scenario.files import TRACES
from ackclock.scenario.law_fields import DISCIPLINE_FIELDS, LAW_FIELDS
from ackclock.scenario.schema import models_schema
from ackclock.values.kinds import Kind, word

_UNREAD: Final = {
    "Scenario": {"nodes", "links", "flows", "media", "topology", "routing"},
    "Measure": {"links"},
    "Clients": {"ceiling", "dscp"},
    "Link": {*TRACES, "framing", "policer", "shaper", "jitter", "reorder", "medium"},
    "Queue": {*DISCIPLINE_FIELDS},
    "Tcp": {*LAW_FIELDS},
}
"""Fields that the page does not read. It opens scenarios with them only with their plan."""
_UNREAD_KINDS: Final = {"connections", "requests", "frames", "pages", "video", "call", "trace", "table"}
_KEPT: Final = {
    *("type", "enum", "const", "minItems", "uniqueItems", "minimum", "maximum", "exclusiveMinimum"),
    *("x-allowed", "x-quantity", "x-least", "x-most"),
}
_OPEN: Final = {"Queue", "Tcp"}
"""Tables with further fields, which their kind declares."""
_REQUIRED: Final[Mapping[str, list[str]]] = {"Scenario": ["dumbbell", "clients"], "Link": ["rate", "delay"]}
"""Fields without an alternative among those that the page reads."""


def page_tables() -> dict[str, Any]:
    """Return the schema of each table of a scenario that the page reads, by the name of its model.

    A field that is a table is ``{"table": NAME}``, or ``{"kinds": {KIND: NAME}}`` if its ``kind`` selects the model.
    """
    schema = models_schema()
    models = schema.pop("$defs") | {"Scenario": schema}
    models["Queue"]["properties"]["kind"] = field_schema(word(catalogue().queues))
    tables: dict[str, Any] = {}
    waiting = ["Scenario"]
    while waiting:
        name = waiting.pop()
        if name in tables:
            continue
        fields = {
            field: _trimmed(each)
            for field, each in models[name]["properties"].items()
            if field not in _UNREAD.get(name, ())
        }
        required = [*models[name].get("required", ()), *_REQUIRED.get(name, ())]
        tables[name] = {"fields": fields, "required": required, "isOpen": name in _OPEN}
        for field in fields.values():
            items = field.get("items", field)
            waiting += [items["table"]] if "table" in items else items.get("kinds", {}).values()
    return tables


def field_schema(kind: Kind) -> dict[str, Any]:
    """Return the schema of a kind of values, as in `page_tables`."""
    return _trimmed({**kind.schema, "x-allowed": kind.allowed})


def _trimmed(schema: Mapping[str, Any]) -> dict[str, Any]:
    default = schema.get("default")
    trimmed: dict[str, Any] = {} if default is None else {"default": {} if isinstance(default, dict) else default}
    if "$ref" in schema:
        return trimmed | {"table": _name(schema)}
    if "discriminator" in schema:
        mapping = schema["discriminator"]["mapping"]
        return {"kinds": {kind: _name({"$ref": mapping[kind]}) for kind in mapping if kind not in _UNREAD_KINDS}}
    trimmed |= {word: value for word, value in schema.items() if word in _KEPT}
    if "pattern" in schema and "x-quantity" not in schema:
        trimmed["pattern"] = schema["pattern"]
    if "anyOf" in schema:
        trimmed["anyOf"] = [_trimmed(each) for each in schema["anyOf"]]
    if "prefixItems" in schema:
        trimmed["pair"] = _trimmed(schema["prefixItems"][0])
    if "items" in schema:
        trimmed["items"] = _trimmed(schema["items"])
    return trimmed


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]
