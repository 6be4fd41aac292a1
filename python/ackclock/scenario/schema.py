"""Generates the JSON Schema of scenarios, for editors, from the models and the engine's declarations."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ackclock.engine.catalogue import Entry, catalogue
from ackclock.scenario import Scenario
from ackclock.scenario.law_fields import DISCIPLINE_FIELDS, LAW_FIELDS, PYTHON


class _Generator(GenerateJsonSchema):
    """Generator that omits ``null``, which TOML does not have."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") is None or schema["default"] == ():
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def models_schema() -> dict[str, Any]:
    """Return the JSON Schema of the models, with the extensions of `Kind.schema`, but without declared parameters."""
    return Scenario.model_json_schema(schema_generator=_Generator)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of scenarios.

    Examples
    --------
    >>> sorted(json_schema()["properties"])[:3]
    ['changes', 'clients', 'dumbbell']
    """
    known = catalogue()
    schema = models_schema()
    definitions = schema["$defs"]
    laws: dict[str, list[str]] = {}
    for name, variant in known.variants.items():
        laws.setdefault(variant.congestion, []).append(name)
    by_variant = [(variants, known.congestion[law]) for law, variants in laws.items()]
    definitions["Tcp"] = _tcp(definitions["Tcp"], by_variant)
    by_kind = [([name], entry) for name, entry in known.queues.items()]
    definitions["Queue"] = _queue(definitions["Queue"], by_kind)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_standard(schema)}


def _standard(schema: Any) -> Any:
    """Return a part of a schema without extensions."""
    if isinstance(schema, list):
        return [_standard(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {name: _standard(each) for name, each in schema.items() if not name.startswith("x-")}


def _tcp(table: Mapping[str, Any], choices: list[tuple[list[str], Entry]]) -> dict[str, Any]:
    """Return the schema of TCP: one alternative for each window law, and one for a law written in Python."""
    common = {name: field for name, field in table["properties"].items() if name not in LAW_FIELDS}
    whole = _with_parameters({**table, "properties": common}, "variant", choices)
    own = {
        "title": "a law written in Python",
        "description": "The window law is a class derived from ackclock.Law, whose parameters are further fields",
        "type": "object",
        "properties": table["properties"],
        "additionalProperties": {"type": ["number", "boolean", "string"]},
        "required": ["law"],
    }
    return {**whole, "oneOf": [*whole["oneOf"], own]}


def _queue(table: Mapping[str, Any], choices: list[tuple[list[str], Entry]]) -> dict[str, Any]:
    """Return the schema of a queue: one alternative for each kind, and one for a discipline written in Python."""
    common = {name: field for name, field in table["properties"].items() if name not in DISCIPLINE_FIELDS}
    whole = _with_parameters({**table, "properties": common}, "kind", choices)
    properties = dict(table["properties"])
    properties["kind"] = properties["kind"] | {"enum": [PYTHON]}
    own = {
        "title": PYTHON,
        "description": "The discipline is a class derived from ackclock.Discipline; its parameters are further fields",
        "type": "object",
        "properties": properties,
        "additionalProperties": {"type": ["number", "boolean", "string"]},
        "required": ["discipline"],
    }
    return {**whole, "oneOf": [*whole["oneOf"], own]}


def _with_parameters(table: Mapping[str, Any], subject: str, choices: list[tuple[list[str], Entry]]) -> dict[str, Any]:
    """Return the schema of a table with one alternative for each group of kinds that declare the same parameters."""
    default = table["properties"][subject].get("default")
    forms = []
    for words, entry in choices:
        properties = dict(table["properties"])
        properties[subject] = properties[subject] | {"enum": words}
        properties |= {name: {"description": each.doc, **each.kind.schema} for name, each in entry.parameters.items()}
        required = [*table.get("required", [])]
        if default not in words and subject not in required:
            properties[subject].pop("default", None)
            required.append(subject)
        forms.append(
            {
                "title": " or ".join(words),
                "description": entry.doc,
                "type": "object",
                "properties": properties,
                "additionalProperties": False,
                **({"required": required} if required else {}),
            }
        )
    return {"title": table["title"], "description": table["description"], "oneOf": forms}
