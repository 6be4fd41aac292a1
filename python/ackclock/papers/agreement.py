"""Agreement with ns-2 as tables: what was compared, what misses, and whether the bars are met."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.papers.comparison import STANDARD_ERRORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.comparison import Comparison, Rule

__all__ = ["agreeing", "arguments_of", "measures_table", "missed_bars", "places_table", "tell"]


def arguments_of(study: str, description: str | None, *, quick: str) -> argparse.ArgumentParser:
    """Make the command line of a study's agreement with ns-2; a study may add to it.

    Parameters
    ----------
    study
        Its name.
    description
        What the command says of itself: the first line of this.
    quick
        What little ``--quick`` compares.

    """
    parser = argparse.ArgumentParser(
        prog=f"python -m ackclock.papers.{study}.agreement",
        description=(description or "").splitlines()[0],
    )
    parser.add_argument("--seeds", type=int, default=5, help="seeds a point (default 5)")
    parser.add_argument("--jobs", type=int, help="runs at once (default: one for each processor)")
    parser.add_argument("--quick", action="store_true", help=f"{quick} only")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to a file too")
    return parser


def tell(parts: Sequence[str], missed: Sequence[str], *, markdown: Path | None) -> int:
    """Print tables and whether the bars are met, write them to a file if one is named, and give the exit status."""
    verdict = f"Bars missed: {'; '.join(missed)}" if missed else "Every bar is met."
    text = "\n".join([*parts, f"{verdict}\n"])
    sys.stdout.write(text)
    if markdown:
        markdown.write_text(text, encoding="utf-8")
    return 1 if missed else 0


def measures_table(rules: Sequence[Rule], comparisons: Sequence[Comparison], *, bar: float | None) -> list[str]:
    """Write a row a measure: how many of its points agree, and how far the furthest is, as lines of Markdown.

    Parameters
    ----------
    rules
        The measures, in their order.
    comparisons
        All points.
    bar
        The part of the points of each measure that must agree; None where they are only shown.

    """
    required = "none" if bar is None else f"{100 * bar:.0f} %"
    lines = [
        "| measure | points | agree | share | bar | allowed difference | largest, s.e. |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for rule in rules:
        places = [place for place in comparisons if place.rule is rule]
        if places:
            count = agreeing(places)
            allowed = [f"{100 * rule.relative:g} %"] if rule.relative else []
            allowed += [f"{100 * rule.absolute:g} points"] if rule.absolute else []
            sizes = [abs(place.standard_errors) for place in places]
            largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
            lines.append(
                f"| {rule.title} | {len(places)} | {count} | {100 * count / len(places):.1f} % "
                f"| {required} | {', '.join(allowed)}, {STANDARD_ERRORS} s.e. | {largest:.1f} |"
            )
    return lines


def places_table(
    places: Sequence[Comparison],
    again: Sequence[Comparison],
    *,
    named: str = "points that miss",
    counted: str = "clients",
    seeds: int = 20,
) -> list[str]:
    """Write a row a point, with what came out when it was run again; no line if there is none.

    Parameters
    ----------
    places
        What is written.
    again
        Those that were run again with other seeds.
    named
        What these points are called.
    counted
        What the number of clients is called.
    seeds
        How many other seeds there are.

    """
    rechecked = {(place.rule.title, place.variant, place.clients): place for place in again}
    rows = [
        f"| {place.rule.title} | {place.variant} | {place.clients} | {place.ours.mean:.6g} | {place.theirs.mean:.6g} "
        f"| {_size(place)} | {_size(rechecked.get((place.rule.title, place.variant, place.clients)))} |"
        for place in places
    ]
    if not rows:
        return []
    return [
        "",
        f"| {named} | variant | {counted} | Ackclock | ns-2 | difference | with {seeds} other seeds each |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        *rows,
    ]


def _size(place: Comparison | None) -> str:
    """Write a difference as a part of ns-2's mean and in standard errors."""
    return f"{100 * place.relative:+.1f} % ({place.standard_errors:+.1f} s.e.)" if place else "not run again"


def agreeing(places: Sequence[Comparison]) -> int:
    """Count the points that agree."""
    return sum(place.agrees for place in places)


def missed_bars(rules: Sequence[Rule], comparisons: Sequence[Comparison], *, bar: float) -> list[str]:
    """Name the measures of which too few points agree."""
    found = []
    for rule in rules:
        places = [place for place in comparisons if place.rule is rule]
        if agreeing(places) < bar * len(places):
            found.append(f"{rule.title}, {agreeing(places)} of {len(places)} points agree")
    return found
