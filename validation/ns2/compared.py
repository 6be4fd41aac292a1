"""Comparisons of a study with ns-2 (`Compared`), their tables, and the required shares of points (bars)."""

from __future__ import annotations

import argparse
import math
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.papers.comparison import STANDARD_ERRORS, Comparison, Tolerance, agreeing, compare
from ackclock.papers.core.parts import Part, gather
from ackclock.papers.core.table import ns2_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Lines = tuple[list[str], list[str]]
"""Lines of Markdown, and descriptions of the missed bars."""


EXPLAINED = f"""\
Each point has two tests. A point is *not distinguishable* if the means of the two simulators differ by at most the
margin, or by at most {STANDARD_ERRORS} standard errors (s.e.) of the difference. Scatter makes this test easier to
pass. A point is *equivalent* if the whole 95 % interval of the difference (Welch 1947) lies within the margin. Scatter
makes this test harder to pass. The bar of a measure is the required share of points that are not distinguishable. A
second round repeats the distinguishable points with new seeds. Large differences appear again. Small differences may
disappear, because there are few seeds.
"""
"""Introduction to the tables of every study."""


def texts(study: str) -> Mapping[str, str]:
    """Return the texts of a study's page."""
    whole = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
    return dict(whole[study])


def _variant(where: Mapping[str, Any]) -> str:
    return str(where["variant"])


def _clients(where: Mapping[str, Any]) -> int:
    return int(where["clients"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """A comparison at points that both simulators ran.

    Parameters
    ----------
    title
        Heading; empty if there is only one comparison.
    study, part, again
        Runs of ns-2: the study, its part, and the part with repeated runs of distinguishable points, if there is one.
    among
        Whether a point belongs to the comparison.
    ours
        Returns our part with these points.
    tolerances, bar
        The compared measures, and the required share of indistinguishable points per measure, if any is required.
    single
        Whether ns-2 has one run per point. Repeated runs then replace distinguishable points when the bar is judged.
    quick
        Whether a point belongs to a quick comparison.
    named, counted, count
        Functions that return the name of a point and its number of clients; `counted` is the heading of this number.
    by_chance
        Whether to list points whose difference exceeds the margin, but not the allowed standard errors.
    more
        Returns further lines, and further missed bars.

    """

    title: str = ""
    study: str
    part: str
    again: str
    among: Callable[[Mapping[str, Any]], bool] = lambda _: True
    ours: Callable[[], Part]
    tolerances: Sequence[Tolerance]
    bar: float | None
    single: bool = False
    quick: Callable[[Mapping[str, Any]], bool]
    named: Callable[[Mapping[str, Any]], str] = _variant
    counted: str = "clients"
    count: Callable[[Mapping[str, Any]], int] = _clients
    by_chance: bool = False
    more: Callable[[argparse.Namespace], Lines] = lambda _: ([], [])

    def compare(
        self,
        part: str,
        *,
        seeds: Sequence[int] = (),
        among: Callable[[Mapping[str, Any]], bool] = lambda _: True,
        jobs: int | None = None,
    ) -> list[Comparison]:
        """Run the points of a part of ns-2's runs and compare them (default: with ns-2's seeds)."""
        rows = ns2_runs(self.study).part(part)
        ours, theirs = self.ours(), [row for row in rows if self.among(row.where) and among(row.where)]
        there = {frozenset(row.where.items()) for row in theirs}
        asked = replace(ours, spots=[spot for spot in ours.spots if frozenset(spot.where.items()) in there])
        made = gather([asked], seeds=seeds or sorted({row.seed for row in theirs}), jobs=jobs, label="agreement")
        return compare(made.part(ours.name), theirs, self.tolerances, single=self.single and part == self.part)

    def lines(self, given: argparse.Namespace) -> Lines:
        """Make the comparison, and format its tables."""
        seeds = range(1, given.seeds + 1)
        found = self.compare(self.part, seeds=seeds, jobs=given.jobs, **({"among": self.quick} if given.quick else {}))
        again = [] if given.quick or not self.again else self.compare(self.again, jobs=given.jobs)
        more, missed = self.more(given)
        tables = {"distinguishable points": [point for point in found if not point.agrees]}
        if self.by_chance:
            tables["points outside the margin, but not distinguishable"] = [
                point for point in found if point.agrees and not point.is_near
            ]
        lines = [
            *([f"## {self.title}\n"] if self.title else []),
            *measures_table(self.tolerances, found, bar=self.bar),
            *(
                line
                for title, points in tables.items()
                for line in places_table(
                    points, again, title=title, named=self.named, counted=self.counted, count=self.count
                )
            ),
            *more,
            "",
        ]
        if self.single:
            later = {point.point: point for point in again}
            found = [point if point.agrees else later.get(point.point, point) for point in found]
        missed = [*(missed_bars(self.tolerances, found, bar=self.bar) if self.bar is not None else []), *missed]
        return lines, [f"{self.title}: {each}".removeprefix(": ") for each in missed]


def command(
    introduction: str,
    compared: Sequence[Compared],
    *,
    description: str | None,
    quick: str,
    arguments: Sequence[str] | None = None,
) -> int:
    """Compare, print the tables after an introduction, and return the exit code: 1 if a bar is missed."""
    parser = arguments_of(compared[0].study, description, quick=quick)
    if len(compared) > 1:
        titles = [one.title for one in compared]
        parser.add_argument("--only", choices=titles, action="append", help="only this comparison; may be repeated")
    given = parser.parse_args(arguments, argparse.Namespace(only=None))
    lines: list[str] = [introduction]
    missed: list[str] = []
    for one in compared:
        if given.only is None or one.title in given.only:
            some, bars = one.lines(given)
            lines, missed = [*lines, *some], [*missed, *bars]
    return tell(lines, missed, markdown=given.markdown)


def arguments_of(study: str, description: str | None, *, quick: str) -> argparse.ArgumentParser:
    """Create the argument parser of a study's command; `quick` names the subset that ``--quick`` compares."""
    parser = argparse.ArgumentParser(
        prog=f"python -m ns2 {study}",
        description=(description or "").splitlines()[0],
    )
    parser.add_argument("--seeds", type=int, default=5, help="seeds per point (default 5)")
    parser.add_argument("--jobs", type=int, help="number of parallel runs (default: one per CPU core)")
    parser.add_argument("--quick", action="store_true", help=f"{quick} only")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to a file")
    return parser


def tell(parts: Sequence[str], missed: Sequence[str], *, markdown: Path | None) -> int:
    """Print the tables and whether the bars are met, also to a file if given, and return the exit code."""
    verdict = f"Bars missed: {'; '.join(missed)}" if missed else "Every bar is met."
    text = "\n".join([*parts, f"{verdict}\n"])
    sys.stdout.write(text)
    if markdown:
        markdown.write_text(text, encoding="utf-8")
    return 1 if missed else 0


def measures_table(
    tolerances: Sequence[Tolerance], comparisons: Sequence[Comparison], *, bar: float | None
) -> list[str]:
    """Format a Markdown table with each measure's numbers of indistinguishable points and of equivalent points."""
    required = "none" if bar is None else f"{100 * bar:.0f} %"
    lines = [
        "| measure | points | not distinguishable | share | bar | margin | max difference, s.e. | equivalent | share |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for tolerance in tolerances:
        places = [place for place in comparisons if place.tolerance is tolerance]
        if places:
            count = agreeing(places)
            allowed = [f"{100 * tolerance.relative:g} %"] if tolerance.relative else []
            allowed += [f"{100 * tolerance.absolute:g} points"] if tolerance.absolute else []
            sizes = [abs(place.standard_errors) for place in places]
            largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
            same = sum(place.is_equivalent for place in places)
            lines.append(
                f"| {tolerance.title} | {len(places)} | {count} | {100 * count / len(places):.1f} % "
                f"| {required} | {', '.join(allowed)} | {largest:.1f} | {same} | {100 * same / len(places):.1f} % |"
            )
    return lines


def places_table(
    points: Sequence[Comparison],
    again: Sequence[Comparison],
    *,
    title: str = "distinguishable points",
    named: Callable[[Mapping[str, Any]], str] = _variant,
    counted: str = "clients",
    count: Callable[[Mapping[str, Any]], int] = _clients,
) -> list[str]:
    """Format a Markdown table of points with their repeated results; other parameters are fields of `Compared`."""
    rechecked = {point.point: point for point in again}
    rows = [
        f"| {point.tolerance.title} | {named(point.where)} | {count(point.where)} | {point.ours.mean:.6g} "
        f"| {point.theirs.mean:.6g} | {_size(point)} | {_size(rechecked.get(point.point))} |"
        for point in points
    ]
    if not rows:
        return []
    seeds = max((point.ours.count for point in again), default=20)
    return [
        "",
        f"| {title} | variant | {counted} | Ackclock | ns-2 | difference | with {seeds} other seeds each |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        *rows,
    ]


def _size(place: Comparison | None) -> str:
    """Format a difference as a share of ns-2's mean and in standard errors."""
    return f"{100 * place.relative:+.1f} % ({place.standard_errors:+.1f} s.e.)" if place else "not run again"


def missed_bars(tolerances: Sequence[Tolerance], comparisons: Sequence[Comparison], *, bar: float) -> list[str]:
    """List the measures with too many distinguishable points."""
    found = []
    for tolerance in tolerances:
        places = [place for place in comparisons if place.tolerance is tolerance]
        if agreeing(places) < bar * len(places):
            found.append(f"{tolerance.title}, {agreeing(places)} of {len(places)} points are not distinguishable")
    return found
