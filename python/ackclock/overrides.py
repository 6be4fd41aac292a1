"""Changing single fields of a scenario by their paths: ``clients.0.count``, ``dumbbell.bottleneck.queue.packets``."""

import tomllib
from collections.abc import Iterable
from typing import Any

from ackclock.errors import refuse


def override(tables: dict[str, Any], assignments: Iterable[str]) -> None:
    """Set fields by path, in place.

    Parameters
    ----------
    tables
        A scenario, as TOML gives it.
    assignments
        ``PATH=VALUE``: the path as error messages write it, the value as TOML writes it, or a bare text.

    Raises
    ------
    ScenarioError
        A path leads nowhere.

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
        assign(tables, path.strip(), _value(text.strip()))


def _value(text: str) -> object:
    """Read a value as TOML would; what is not TOML is a text."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return parsed["value"] if parsed.keys() == {"value"} else text


def assign(tables: dict[str, Any], path: str, value: object) -> None:
    """Set the field at a path, in place; tables that are not there yet are made."""
    at: Any = tables
    steps = path.split(".")
    for place, step in enumerate(steps):
        last = place == len(steps) - 1
        if isinstance(at, dict):
            key: str | int = step
            if not last:
                at.setdefault(step, {})
        elif isinstance(at, list) and step.isascii() and step.isdecimal() and int(step[:9]) < len(at):
            key = int(step[:9])
        else:
            raise refuse("set", path, f"must be the path of a field: {_dead_end(at, steps[:place], step)}")
        if last:
            at[key] = value
        else:
            at = at[key]


def _dead_end(at: object, before: list[str], step: str) -> str:
    where = ".".join(before)
    if isinstance(at, list):
        count = f"{len(at)} {'entry' if len(at) == 1 else 'entries'}"
        return f"{where} has {count}, numbered from 0 as in {where}.0, and {step} is none of them"
    return f"{where} is a value, not a table"
