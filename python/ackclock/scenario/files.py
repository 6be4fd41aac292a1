"""Scenario files: reading and parsing, with a one-line error for files that are not valid text, TOML or JSON."""

import itertools
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ackclock.files import reading
from ackclock.values.errors import shorten, shown, unreadable

LARGEST: Final = 50_000_000


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file into tables."""
    return _table(path, "TOML", tomllib.loads)


def read_scenario(path: Path) -> dict[str, Any]:
    """Read a scenario's TOML file into tables; the paths in it are relative to its folder."""
    tables = read_toml(path)
    if "scenario" in tables:
        raise unreadable(path, "it is a study, which `ackclock sweep` runs", "a scenario")
    if {"rate", "users"} <= tables.keys():
        raise unreadable(path, "it is a question, which `ackclock advise` answers", "a scenario")
    return beside(tables, path.parent)


def beside(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Make the file paths in a scenario's tables relative to a folder. The tables may still be invalid."""
    for _, trace in traces(tables):
        if isinstance(trace.get("path"), str) and trace["path"]:
            trace["path"] = str(folder / trace["path"])
    places = [(transport, "law") for transport in transports(tables)]
    places += [(queue, "discipline") for _, queue in named_queues(tables)]
    for table, field in places:
        file, colon, name = str(table.get(field)).rpartition(":")
        if colon and isinstance(table[field], str):
            table[field] = f"{folder / file}:{name}"
    return tables


def transports(tables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tables of the transports of a scenario, which may be invalid."""
    return (transport for _, transport in named_transports(tables))


def named_transports(tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of the transports, each with its path in the scenario."""
    for name in ("clients", "flows"):
        for at, group in _listed(name, tables.get(name)):
            yield from _within(at, group, "transport")


def named_queues(tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of the queues of a scenario, which may be invalid, each with its path in the scenario."""
    for link in _links(tables):
        yield from _within(*link, "queue")


TRACES: Final = ("rate_trace", "reverse_rate_trace", "delay_trace", "loss_trace")
"""Fields of a link that may name files."""


def traces(tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of a scenario, possibly invalid, that can name files, each with its path in the scenario."""
    for name in ("clients", "flows"):
        for at, group in _listed(name, tables.get(name)):
            yield from _within(at, group, "source")
    for link in _links(tables):
        yield from _courses(*link)


def _links(tables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the links of a scenario, which may be invalid, each with its path in the scenario."""
    for name in ("clients", "flows"):
        for at, group in _listed(name, tables.get(name)):
            yield from _within(at, group, "access")
    sides = (
        _within(table, tables.get(table), name)
        for table in ("dumbbell", "topology")
        for name in ("bottleneck", "reverse", "access", "fabric")
    )
    yield from itertools.chain(*sides, _listed("links", tables.get("links")))


def _courses(at: str, link: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the traces of a link, each with its path in the scenario."""
    for name in TRACES:
        yield from _within(at, link, name)


def _within(at: str, table: object, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a nested table with its path, if it exists."""
    found = table.get(name) if isinstance(table, dict) else None
    if isinstance(found, dict):
        yield f"{at}.{name}", found


def _listed(at: str, given: object) -> list[tuple[str, Any]]:
    """List the tables of an array with their paths."""
    return [(f"{at}.{place}", each) for place, each in enumerate(given)] if isinstance(given, list) else []


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds one object."""
    return _table(path, "JSON", json.loads)


def json_table(name: object, text: object) -> dict[str, Any]:
    """Read a text in JSON that holds one object; ``name`` says in errors where it comes from."""
    return _parsed(name, "JSON", json.loads, text if isinstance(text, str) else "")


def _table(path: Path, language: str, parse: Callable[[str], object]) -> dict[str, Any]:
    return _parsed(path, language, parse, _text(path, language))


def _parsed(path: object, language: str, parse: Callable[[str], object], text: str) -> dict[str, Any]:
    try:
        data = parse(text)
    except RecursionError:
        raise unreadable(path, "it is nested too deeply", f"{language} of a few levels") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        hint = ', with quantities in quotes, as in duration = "5 s"' if language == "TOML" else ""
        raise unreadable(path, shorten(str(error), 120), language + hint) from None
    if not isinstance(data, dict):
        raise unreadable(path, f"it holds {shown(data)}", f"{language} that holds one table")
    return data


def _text(path: Path, language: str) -> str:
    found = reading.content(path, "a TOML or JSON file", most=LARGEST)
    if (problem := reading.encoding(found, whole=True)) is not None:
        raise unreadable(path, problem, "a text file")
    reading.check_nesting(path, found, language)
    return found.decode()
