"""Parses the commands of claims and figures, as a user would type them."""

from __future__ import annotations

import shlex
import tomllib
from typing import TYPE_CHECKING

import ackclock as ac
from ackclock.scenario.overrides import override

if TYPE_CHECKING:
    from collections.abc import Sequence


def typed(line: str, *, options: Sequence[str] = ("--set", "--record", "--out")) -> ac.Scenario:
    """Return the scenario that a command runs; the command may have these options."""
    program, verb, file, *given = shlex.split(line)
    assert (program, verb) == ("ackclock", "run")
    with open(file, "rb") as text:  # noqa: PTH123 - as the command has it, from the root
        tables = tomllib.load(text)
    pairs = list(zip(given[::2], given[1::2], strict=True))
    assert {name for name, _ in pairs} <= set(options)
    override(tables, [value for name, value in pairs if name == "--set"])
    return ac.Scenario.from_dict(tables)
