"""Compare Ackclock with ns-2 where one connection meets self-similar traffic.

``python -m ns2 selfsimilar`` compares the counts of Table 2 for four variants under three readings of the source, and
the background alone. It prints a row per measure and each distinguishable point with its difference. The exit status is
1 if a bar is missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.papers.comparison import Comparison, Tolerance, compare, named
from ackclock.papers.core.parts import Part, Spot, gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar.experiment import (
    BINS,
    CONSTANT,
    ENDS,
    READINGS,
    SCALES,
    SETTINGS,
    SOURCES,
    background,
    background_summary,
    flow_summary,
    scenario,
)
from ackclock.papers.selfsimilar.traffic import BINS as WIDTHS
from ackclock.papers.selfsimilar.traffic import ESTIMATORS, load_parts
from ns2.compared import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row

SEEDS: Final = 40  # seeds per point, of Ackclock and of ns-2
LOAD_SEEDS: Final = 20  # seeds per point of the background from low load to high

BAR: Final = 0.95  # required share of the points of each measure that are not distinguishable
LEAST_P: Final = 0.01  # two samples agree if the p-value of their difference is above this


def _has_one_fate(run: Row) -> bool:
    return not str(run.where["variant"]).startswith("Vegas")


TABLE_2: Final = tuple(
    Tolerance(title=title, measure=named(title), relative=relative, applies=_has_one_fate)
    for title, relative in (("arrivals", 0.01), ("acks", 0.01), ("drops", 0.15), ("retransmissions", 0.15))
)
"""Rules for the counts of Table 2; Vegas is excluded."""

BACKGROUND: Final = (
    Tolerance(title="load", measure=named("load"), relative=0.01),
    *(Tolerance(title=f"c.o.v. in {scale:g} s", measure=named(f"cov_{scale:g}"), relative=0.02) for scale in SCALES),
    *(Tolerance(title=f"H in {scale:g} s", measure=named(f"hurst_{scale:g}"), relative=0.01) for scale in SCALES),
)
"""Rules for the background: its mean load, and its c.o.v. and Hurst parameter at several time scales."""


def _estimated(method: str, scale: float) -> Callable[[Row], float | None]:
    """Make the measure of a Hurst parameter, which is None if the method needs more bins than a run has."""
    return lambda run: run.values.get(f"{method} {scale:g}")


LOADS: Final = (
    Tolerance(title="load", measure=named("load"), relative=0.01),
    Tolerance(title="loss", measure=named("loss"), relative=0.15),
    *(Tolerance(title=f"c.o.v. in {scale:g} s", measure=named(f"cov {scale:g}"), relative=0.02) for scale in WIDTHS),
    *(
        Tolerance(title=f"H, {method}, in {scale:g} s", measure=_estimated(method, scale), relative=0.01)
        for method in ESTIMATORS
        for scale in WIDTHS
    ),
)
"""Rules for the background from low load to high; a method that needs runs longer than 100 s has no points."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """One measure of one variant: the values of all runs of Ackclock and of ns-2."""

    title: str
    variant: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def p(self) -> float:
        """Exact p-value of Kolmogorov and Smirnov's two-sample test, for the hypothesis of equal distributions."""
        from scipy.stats import ks_2samp  # noqa: PLC0415 - slow to load

        return float(ks_2samp(self.ours, self.theirs).pvalue)

    @property
    def agrees(self) -> bool:
        """Whether chance may explain the difference."""
        return self.p > LEAST_P


def by_distribution(ours: Sequence[Row], theirs: Sequence[Row]) -> list[Likeness]:
    """Compare the distributions of Vegas' counts over the runs, for each count and reading.

    Means do not describe these runs: after a timeout, ns-2 may take the base round-trip time from the gap between two
    ACKs, which slows the rest of the run. One run in ten delivers a third as many packets as the others.
    """
    names = dict.fromkeys(_named(run.where) for run in ours if not _has_one_fate(run))
    return [
        Likeness(
            title=tolerance.title,
            variant=name,
            ours=_values(ours, name, tolerance),
            theirs=_values(theirs, name, tolerance),
        )
        for tolerance in TABLE_2
        for name in names
    ]


def _values(runs: Sequence[Row], name: str, tolerance: Tolerance) -> tuple[float, ...]:
    values = (tolerance.measure(run) for run in runs if _named(run.where) == name)
    return tuple(value for value in values if value is not None)


_TEXTS = texts("selfsimilar")


def parts(*, quick: bool) -> list[Part]:
    """Return the runs at every point that ns-2 was run at (if `quick`, only the constant rate), and the background."""
    readings = [CONSTANT] if quick else READINGS.values()
    settings = [setting for setting in SETTINGS if setting.reading in readings]
    flows = [Spot(where=setting.where, scenario=scenario(setting)) for setting in settings]
    alone = [Spot(where={}, scenario=background())]
    return [
        Part(name="counts", spots=flows, take=flow_summary, record=(ENDS,)),
        Part(name="background", spots=alone, take=background_summary, record=(BINS,)),
    ]


def agreement(flows: Sequence[Row], part: str = "counts") -> tuple[list[Comparison], list[Likeness]]:
    """Compare the counts of Table 2 with ns-2's: Vegas by the distributions, the other variants by means.

    `part` of ns-2's runs is ``counts``, with independent sources, or ``adjacent``, with consecutive seeds of sources.
    """
    theirs = ns2_runs("selfsimilar").part(part)
    return compare(flows, theirs, TABLE_2), by_distribution(flows, theirs)


def background_agreement(alone: Sequence[Row]) -> list[Comparison]:
    """Compare the background alone with ns-2's background."""
    return compare(alone, ns2_runs("selfsimilar").part("background"), BACKGROUND)


def loads_agreement(*, seeds: int, jobs: int | None = None) -> list[Comparison]:
    """Run the background from low load to high, and compare it with ns-2's."""
    made = gather(load_parts(), seeds=range(1, seeds + 1), jobs=jobs, label="loads")
    return compare(made.part("loads"), ns2_runs("selfsimilar").part("loads"), LOADS)


def _named(where: Mapping[str, Any]) -> str:
    """Name a point."""
    return f"{where['variant']}, {where['reading']}" if "reading" in where else where.get("background", "background")


def _likeness_table(found: Sequence[Likeness]) -> list[str]:
    """Format a row for each measure and reading, as lines of Markdown."""
    return [
        "| measure | variant | runs: Ackclock, ns-2 | median, Ackclock | median, ns-2 | p | agrees |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        *(
            f"| {each.title} | {each.variant} | {len(each.ours)}, {len(each.theirs)} | {np.median(each.ours):.6g} "
            f"| {np.median(each.theirs):.6g} | {each.p:.2f} | {'yes' if each.agrees else 'no'} |"
            for each in found
        ),
    ]


def _counts_table(flows: Sequence[Row]) -> list[str]:
    """Format a row for each point, as lines of Markdown."""
    sides = (flows, ns2_runs("selfsimilar").part("counts"))
    lines = [
        f"| variant | {' | '.join(tolerance.title for tolerance in TABLE_2)} |",
        "| --- |" + " --- |" * len(TABLE_2),
    ]
    for name in dict.fromkeys(_named(run.where) for run in flows):
        cells = [", ".join(_spread(_values(side, name, tolerance)) for side in sides) for tolerance in TABLE_2]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _spread(values: Sequence[float]) -> str:
    return f"{np.mean(values):,.0f} ± {np.std(values, ddof=1):,.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and return the exit status: 1 if a bar is missed."""
    parser = arguments_of("selfsimilar", __doc__, quick="the source of constant rate")
    parser.set_defaults(seeds=SEEDS)
    given = parser.parse_args(arguments)
    made = gather(parts(quick=given.quick), seeds=range(1, given.seeds + 1), jobs=given.jobs, label="agreement")
    flows, background = made.part("counts"), background_agreement(made.part("background"))
    loads = loads_agreement(seeds=min(given.seeds, LOAD_SEEDS), jobs=given.jobs)
    missed = _missed("The background", BACKGROUND, background) + _missed("From low load to high", LOADS, loads)
    lines = [
        _TEXTS["introduction"].format(seeds=SEEDS, explained=EXPLAINED),
        *_means("The background", BACKGROUND, background),
        "",
        *_means("From low load to high", LOADS, loads),
        "",
        _TEXTS["loads"],
    ]
    for title, part in (("Table 2", "counts"), ("ns-2 with adjacent seeds", "adjacent")):
        means, vegas = agreement(flows, part)
        lines += [*_means(title, TABLE_2, means), "", _TEXTS[part], *_likeness_table(vegas), ""]
        missed += _missed(title, TABLE_2, means)
        alike = sum(each.agrees for each in vegas)
        missed += [f"{title}: {alike} of {len(vegas)} samples of Vegas agree"] if alike < BAR * len(vegas) else []
    lines += [_TEXTS["each_side"], *_counts_table(flows), "", _TEXTS["ties"]]
    return tell(lines, missed, markdown=given.markdown)


def _missed(title: str, tolerances: Sequence[Tolerance], found: Sequence[Comparison]) -> list[str]:
    return [f"{title}: {each}" for each in missed_bars(tolerances, found, bar=BAR)]


def _means(title: str, tolerances: Sequence[Tolerance], found: Sequence[Comparison]) -> list[str]:
    """Format a section that compares means, as lines of Markdown."""
    missing = [place for place in found if not place.agrees]
    places = places_table(
        missing, [], named=_named, counted="sources", count=lambda where: int(where.get("sources", SOURCES))
    )
    return [f"## {title}\n", *measures_table(tolerances, found, bar=BAR), *places]
