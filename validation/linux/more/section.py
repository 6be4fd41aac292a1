"""Writes the section of the page about the second set."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from linux.explained import grouped
from linux.markdown import table
from linux.texts import MORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linux.more.compared import Measured, Spread

_DECIMALS = ((0.0, 0), (0.1, 4), (1, 3), (100, 2))  # up to a mean, and decimal places
_MANY_DIGITS = 1


def section(measured: Sequence[Measured]) -> str:
    """Return the counts of each part, and the measures that differ, by their explanation."""
    return f"{MORE.format(counts=_counts(measured).rstrip())}\n{_differences(measured)}"


def _counts(measured: Sequence[Measured]) -> str:
    parts = list(dict.fromkeys(one.cell.part for one in measured))
    rows = [_count(part, [one for one in measured if one.cell.part == part]) for part in parts]
    return table(["part", "cells", "measures", "differ"], [*rows, _count("all", measured)])


def _count(name: str, measured: Sequence[Measured]) -> list[str]:
    differing = sum(not one.agrees for one in measured)
    return [name, str(len({one.cell for one in measured})), str(len(measured)), str(differing)]


def _differences(measured: Sequence[Measured]) -> str:
    differing = {one.key: one for one in measured if not one.agrees}
    if not differing:
        return "No measure differs.\n"
    text = "### Measures that differ\n\n"
    for words, keys in grouped(differing).items():
        rows = [_row(differing[key]) for key in keys]
        text += f"{fill(words, 120, break_on_hyphens=False)}\n\n"
        text += table(["cell", "measure", "kernel", "Ackclock"], rows) + "\n"
    return text.rstrip() + "\n"


def _row(one: Measured) -> list[str]:
    ours = "-" if one.ours is None else _spread(one.ours)
    return [f"{one.cell.part}: {one.cell.title}", one.title, _spread(one.kernel), ours]


def _spread(spread: Spread) -> str:
    """Format the mean and the range of the repetitions."""
    digits = next((digits for limit, digits in _DECIMALS if spread.mean <= limit), _MANY_DIGITS)
    mean, low, high = (f"{value:.{digits}f}" for value in (spread.mean, spread.minimum, spread.maximum))
    return mean if low == high else f"{mean} ({low} to {high})"
