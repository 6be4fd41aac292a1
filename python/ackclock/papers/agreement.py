"""Agreement with ns-2 as tables and a sentence: what was compared, what misses, and whether the bars are met."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.papers.comparison import STANDARD_ERRORS
from ackclock.report.html import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.comparison import Comparison, Rule

__all__ = [
    "EXPLAINED",
    "agreeing",
    "arguments_of",
    "measures_table",
    "missed_bars",
    "places_table",
    "statement",
    "tell",
]


EXPLAINED = f"""\
Two questions are asked of each point. It is *not distinguishable* if the means of both sides differ by no more than
the margin, or by no more than {STANDARD_ERRORS} standard errors (s.e.) of the difference: here scatter helps. It is
*equivalent* if the whole 95 % interval of the difference (Welch 1947) lies within the margin: here scatter does not
help. A bar asks for a share of points that are not distinguishable. Points that are distinguishable are run again
with seeds that were not used before. A large difference shows again; with this number of seeds a small one may not.
"""
"""What the tables of all studies say."""


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
    """Write a row for each measure, as lines of Markdown: how many points are not distinguishable, how many equivalent.

    Parameters
    ----------
    rules
        The measures, in their order.
    comparisons
        All points.
    bar
        The share of the points of each measure that must not be distinguishable; None where they are only shown.

    """
    required = "none" if bar is None else f"{100 * bar:.0f} %"
    lines = [
        "| measure | points | not distinguishable | share | bar | margin | largest, s.e. | equivalent | share |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for rule in rules:
        places = [place for place in comparisons if place.rule is rule]
        if places:
            count = agreeing(places)
            allowed = [f"{100 * rule.relative:g} %"] if rule.relative else []
            allowed += [f"{100 * rule.absolute:g} points"] if rule.absolute else []
            sizes = [abs(place.standard_errors) for place in places]
            largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
            same = sum(place.is_equivalent for place in places)
            lines.append(
                f"| {rule.title} | {len(places)} | {count} | {100 * count / len(places):.1f} % "
                f"| {required} | {', '.join(allowed)} | {largest:.1f} | {same} | {100 * same / len(places):.1f} % |"
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


def statement(places: Sequence[Comparison], *, what: str, margin: str) -> Statement:
    """Say how far two simulators agree.

    Parameters
    ----------
    places
        All points.
    what
        What is compared: "c.o.v., throughput and loss".
    margin
        The margins of the rules: "4 % of the c.o.v., ...".

    """
    if not places:
        return Statement(lead="A single seed has no error bars.", text="Agreement with ns-2 needs at least two seeds.")
    count, same = agreeing(places), sum(place.is_equivalent for place in places)
    return Statement(
        lead=f"Ackclock and ns-2.35 are not distinguishable at {100 * count / len(places):.1f} % of the points.",
        text=f"Of {len(places)} means of {what}, {count} differ by no more than the margin ({margin}) or "
        f"{STANDARD_ERRORS} standard errors. That does not prove that they are equal: at {same} "
        f"({100 * same / len(places):.1f} %) the whole 95 % interval of the difference lies within the margin.",
    )


def agreeing(places: Sequence[Comparison]) -> int:
    """Count the points that are not distinguishable."""
    return sum(place.agrees for place in places)


def missed_bars(rules: Sequence[Rule], comparisons: Sequence[Comparison], *, bar: float) -> list[str]:
    """Name the measures of which too many points are distinguishable."""
    found = []
    for rule in rules:
        places = [place for place in comparisons if place.rule is rule]
        if agreeing(places) < bar * len(places):
            found.append(f"{rule.title}, {agreeing(places)} of {len(places)} points are not distinguishable")
    return found
