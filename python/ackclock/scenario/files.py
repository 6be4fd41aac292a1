"""Scenario files: read as text, parsed, and refused in one line if they are neither."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ackclock.errors import shorten, shown, unreadable

LARGEST: Final = 50_000_000


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file into tables."""
    return _table(path, "TOML", tomllib.loads)


def read_scenario(path: Path) -> dict[str, Any]:
    """Read a scenario's TOML file into tables; the files that it names lie where it lies."""
    tables = read_toml(path)
    for trace in _traces(tables):
        if isinstance(trace.get("path"), str) and trace["path"]:
            trace["path"] = str(path.parent / trace["path"])
    return tables


def _traces(tables: dict[str, Any]) -> list[dict[str, Any]]:
    """Find the tables of a scenario, which may be wrong, that name files: sources, and the rates of links."""
    groups = [group for name in ("clients", "flows") for group in _listed(tables.get(name))]
    dumbbell = tables.get("dumbbell")
    links = [
        *_listed(tables.get("links")),
        *(_within(dumbbell, name) for name in ("bottleneck", "reverse", "access")),
        *(_within(group, "access") for group in groups),
    ]
    found = [_within(group, "source") for group in groups] + [_within(link, "rate_trace") for link in links]
    return [table for table in found if isinstance(table, dict)]


def _within(table: object, name: str) -> object:
    return table.get(name) if isinstance(table, dict) else None


def _listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else []


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds one object."""
    return _table(path, "JSON", json.loads)


def _table(path: Path, language: str, parse: Callable[[str], object]) -> dict[str, Any]:
    data = _parsed(path, language, parse)
    if not isinstance(data, dict):
        raise unreadable(path, f"it holds {shown(data)}", f"{language} that holds one table")
    return data


def _parsed(path: Path, language: str, parse: Callable[[str], object]) -> object:
    try:
        return parse(_text(path))
    except RecursionError:
        raise unreadable(path, "it nests too deep", f"{language} of a few levels") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        hint = ', with quantities in quotes, as in duration = "5 s"' if language == "TOML" else ""
        raise unreadable(path, shorten(str(error), 120), language + hint) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise unreadable(path, f"{error.strerror or error}", "a TOML or JSON file") from None
    except ValueError as error:  # a path with a null character
        raise unreadable(path, str(error), "a TOML or JSON file") from None
    if len(content) > LARGEST:
        raise unreadable(path, "it is too large", f"a file of at most {LARGEST // 1_000_000} MB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise unreadable(path, f"byte {error.start} is not UTF-8", "a text file") from None
