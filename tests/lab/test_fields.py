"""The schema of the fields that the lab's page reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.lab.catalogue import page_catalogue
from ackclock.lab.fields import page_tables
from ackclock.scenario.schema import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator


def words(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            yield name
            yield from words(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from words(each)


def test_the_published_schema_has_no_extensions() -> None:
    assert not [word for word in words(json_schema()) if word.startswith("x-")]


def test_each_table_that_a_field_names_is_there() -> None:
    tables = page_tables()
    for table in tables.values():
        for field in table["fields"].values():
            each = field.get("items", field)
            assert {*each.get("kinds", {}).values(), *([each["table"]] if "table" in each else [])} <= tables.keys()
    assert {"Flow", "RateTrace", "Connections"}.isdisjoint(tables)
    assert tables["Clients"]["fields"]["source"]["kinds"]["fgn"] == "FractionalNoise"
    assert tables["Scenario"]["fields"]["changes"]["items"] == {"table": "Change"}
    pair = tables["Clients"]["fields"]["active"]["items"]["pair"]
    assert (pair["x-quantity"], pair["x-least"]) == ("time", "0 s")


def test_fields_have_their_ranges_defaults_and_texts() -> None:
    tables = page_tables()
    assert tables["Clients"]["fields"]["priority"] == {
        "default": 0,
        "type": "integer",
        "minimum": 0,
        "maximum": 7,
        "x-allowed": "must be an integer from 0 to 7",
    }
    delay = tables["Link"]["fields"]["delay"]
    assert (delay["x-quantity"], delay["x-least"], delay["x-most"]) == ("time", "0 s", "3600 s")
    assert tables["Link"]["required"] == ["rate", "delay"], "the page has no traces"
    assert "python" not in tables["Queue"]["fields"]["kind"]["enum"]
    packet: Any = tables["Scenario"]["fields"]["packet_size"]["anyOf"][1]
    assert packet["x-most"] == "65535 B"


def test_parameters_have_a_schema_and_options_are_fields() -> None:
    catalogue = page_catalogue()
    for entry in (*catalogue["queues"].values(), *catalogue["laws"].values()):
        for parameter in entry["parameters"]:
            assert "x-allowed" in parameter["schema"], parameter
    assert {option["name"] for option in catalogue["options"]} <= catalogue["tables"]["Tcp"]["fields"].keys()
