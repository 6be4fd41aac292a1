"""Changes single fields of a scenario by their paths, such as ``clients.0.count``."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from ackclock.values.errors import refuse


def override(tables: dict[str, Any], assignments: Iterable[str]) -> None:
    """Set fields by path, in place.

    Parameters
    ----------
    tables
        A scenario, as tables parsed from TOML.
    assignments
        ``PATH=VALUE``: a path as in error messages, and a value in TOML or a text without quotes.

    Raises
    ------
    ScenarioError
        A path is not the path of a field.

    Examples
    --------
    >>> tables = {"duration": "200 s", "clients": [{"count": 60}]}
    >>> override(tables, ["duration=20 s", "clients.0.count=40", "measure.bin='50 ms'"])
    >>> tables
    {'duration': '20 s', 'clients': [{'count': 40}], 'measure': {'bin': '50 ms'}}
    """
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not all(path.strip().split(".")):
            raise refuse("set", assignment, "must be PATH=VALUE, such as clients.0.count=40")
        tables.update(assigned(tables, path.strip(), _value(text.strip())))


def _value(text: str) -> object:
    """Parse a value as TOML; return a value that is not TOML as text."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return parsed["value"] if parsed.keys() == {"value"} else text


def assigned(tables: Mapping[str, Any], path: str, value: object) -> dict[str, Any]:
    """Copy tables with one field set. Missing tables are created; unchanged tables are shared with the original.

    Examples
    --------
    >>> assigned({"duration": "200 s", "clients": [{"count": 60}]}, "clients.0.count", 40)
    {'duration': '200 s', 'clients': [{'count': 40}]}
    """
    whole: dict[str, Any] = _assigned(dict(tables), path.split("."), 0, value)
    return whole


def _assigned(at: Any, steps: list[str], place: int, value: object) -> Any:
    if place == len(steps):
        return value
    step = steps[place]
    if isinstance(at, dict):
        return {**at, step: _assigned(at.get(step, {}), steps, place + 1, value)}
    if isinstance(at, list) and step.isascii() and step.isdecimal() and int(step[:9]) < len(at):
        number = int(step[:9])
        return [*at[:number], _assigned(at[number], steps, place + 1, value), *at[number + 1 :]]
    dead_end = _dead_end(at, steps[:place], step)
    raise refuse("set", ".".join(steps), f"must be the path of a field: {dead_end}")


def _dead_end(at: object, before: list[str], step: str) -> str:
    where = ".".join(before)
    if isinstance(at, list):
        count = f"{len(at)} {'entry' if len(at) == 1 else 'entries'}"
        return f"{where} has {count}, numbered from 0 as in {where}.0, and has no entry {step}"
    return f"{where} is a value, not a table"
