"""Tell how well our engine agrees with ns-2 where many connections share the link.

``python -m ackclock.papers.manyflows.agreement``: every point of the paper's grid, runs counted from time 0, two groups
at unequal distances, and pipes that are looked at closely. Prints a line a measure and each miss with its size; exits
with status 1 if a bar is missed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.papers.agreement import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.papers.comparison import STANDARD_ERRORS, Comparison, Rule, compare, named
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.distances import figure23, shares
from ackclock.papers.manyflows.experiment import ISDN, T1, flow_summary, grid_setting, part
from ackclock.papers.manyflows.looks import PIPES, look_parts
from ackclock.papers.manyflows.measures import HIGH, LOSS, LOW
from ackclock.papers.manyflows.ns2 import setting_of
from ackclock.papers.manyflows.places import DEFINITION, PROCESSING
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.manyflows.experiment import Setting

_TEXTS = DEFINITION.table("agreement")
_AGAIN = range(11, 16)  # the seeds with which points that missed once are run again
_PLACES = ((T1, 200, 200), (T1, 400, 450), (ISDN, 200, 200), (ISDN, 400, 450))  # where ties are measured
_BIAS = "figure23"

GRID = (
    Rule(title="loss", measure=named("loss"), relative=0.05),
    Rule(title="Jain's index", measure=named("jain_index"), relative=0.05),
    Rule(title="throughput", measure=named("throughput"), relative=0.0, absolute=0.005),
    Rule(title="goodput", measure=named("goodput"), relative=0.0, absolute=0.01),
)
_WHOLE = (Rule(title="loss", measure=named("loss"), relative=0.04),)
_DISTANCES = (Rule(title="goodput, near over far", measure=named("goodput_ratio"), relative=0.10),)
_PIPES = (
    Rule(title="correlation of losses", measure=named("correlation"), relative=0.0, absolute=0.03),
    Rule(title="buffer's 5th percentile, of its size", measure=named("low"), relative=0.0, absolute=0.05),
    Rule(title="buffer's 95th percentile, of its size", measure=named("high"), relative=0.0, absolute=0.05),
)


def setting(table: str, row: Row) -> Setting:
    """Give the network of a run of ns-2, as we simulate it."""
    return figure23(row.where).setting if table == _BIAS else setting_of(row.where)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Points that are compared by the same rules.

    Parameters
    ----------
    title
        Its heading.
    table
        The part of ns-2's runs.
    chosen
        Says which of them belong to it.
    rules
        What is compared.
    bar
        The part of the points of each measure that must agree; None where they are only shown.

    """

    title: str
    table: str
    chosen: Callable[[Setting], bool]
    rules: Sequence[Rule] = GRID
    bar: float | None = 0.95

    def theirs(self, *, again: bool = False) -> list[tuple[Setting, Observation]]:
        """Give ns-2's runs, or those of points that missed once, with other seeds."""
        rows = ns2_runs("manyflows").part(f"again_{self.table}" if again else self.table)
        settings = [(setting(self.table, row), row) for row in rows]
        return [(one, _observed(one, row)) for one, row in settings if self.chosen(one)]

    def ours(self, settings: Iterable[Setting], seeds: Iterable[int], jobs: int | None) -> list[Observation]:
        """Run settings."""
        each = {f"{one.name}, {one.flows}": one for one in settings}
        take = shares if self.table == _BIAS else flow_summary
        made = gather(
            [part("agreement", [({"setting": name}, one) for name, one in each.items()], take)],
            seeds=list(seeds),
            jobs=jobs,
            label="agreement",
        )
        return [_observed(each[str(row.where["setting"])], row) for row in made.part("agreement")]


def _observed(setting: Setting, row: Row) -> Observation:
    return Observation(variant=setting.name, clients=setting.flows, seed=row.seed, values=row.values)


def _processes(setting: Setting) -> bool:
    return setting.overhead > 0


def _ties(setting: Setting) -> bool:
    return not setting.overhead


COMPARED = (
    Compared(title="The grid, with processing times", table="grid", chosen=_processes),
    Compared(title="The grid, without", table="grid", chosen=_ties),
    Compared(
        title="The grid, without, on detuned links on both sides",
        table="detuned",
        chosen=lambda setting: setting.warm > 0,
    ),
    Compared(title="From time 0, with processing times", table="whole", chosen=_processes, rules=_WHOLE, bar=1.0),
    Compared(
        title="From time 0, ISDN, timeouts without a limit",
        table="whole",
        chosen=lambda setting: setting.link is ISDN,
        rules=_WHOLE,
        bar=1.0,
    ),
    Compared(
        title="From time 0, T1 without processing times, on detuned links on both sides",
        table="detuned",
        chosen=lambda setting: setting.warm == 0,
        rules=_WHOLE,
        bar=1.0,
    ),
    Compared(
        title="From time 0, T1 without processing times, beside ns-2 with its ties",
        table="whole",
        chosen=lambda setting: (
            setting.link is T1 and _ties(setting) and (setting.spread, setting.max_rto) == ("1 s", "64 s")
        ),
        rules=_WHOLE,
        bar=None,
    ),
    Compared(title="Unequal distances, with processing times", table=_BIAS, chosen=_processes, rules=_DISTANCES),
    Compared(title="Unequal distances, without", table=_BIAS, chosen=_ties, rules=_DISTANCES, bar=None),
)


def agreement(one: Compared, *, seeds: int = 5, quick: bool = False, jobs: int | None = None) -> list[Comparison]:
    """Run every point that ns-2 was run at, or every tenth one, and compare; at least 2 seeds a point."""
    theirs = one.theirs()[:: 10 if quick else 1]
    ours = one.ours([setting for setting, _ in theirs], range(1, seeds + 1), jobs)
    return compare(ours, [run for _, run in theirs], one.rules, single=True)


def recheck(one: Compared, *, jobs: int | None = None) -> list[Comparison]:
    """Compare the points that missed once with five seeds on both sides that were not used before."""
    theirs = one.theirs(again=True) if one.bar is not None else []
    ours = one.ours([setting for setting, _ in theirs], _AGAIN, jobs) if theirs else []
    return compare(ours, [run for _, run in theirs], one.rules)


def ties(*, seeds: int = 5, jobs: int | None = None) -> list[str]:
    """Measure what ties do, and write it as lines of Markdown."""
    settings = [grid_setting(*place) for place in _PLACES]
    cells = [
        ({"at": at, "way": way}, replace(one, detuned=way * one.detuned))
        for at, one in enumerate(settings)
        for way in (1, 0, -1)
    ]
    loss = LOSS.at("ties").points(gather([part("ties", cells)], seeds=range(1, seeds + 1), jobs=jobs, label="ties"))
    theirs = {(run.variant, run.clients): run.values["loss"] for _, run in COMPARED[1].theirs()}
    lines = [
        "| variant | connections | ns-2 | detuned as ns-2 rounds | exact, by chance | the other way |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for at, one in enumerate(settings):
        cells_ = " | ".join(f"{loss.cells[at, way].mean / 100:.4f}" for way in (1, 0, -1))
        lines.append(f"| {one.name} | {one.flows} | {theirs[one.name, one.flows]:.4f} | {cells_} |")
    return lines


def _pipes(rows: Iterable[Row]) -> list[Observation]:
    """Give runs of pipes by pipe and processing time, the buffer's percentiles as shares of its size."""
    found = []
    for row in rows:
        pipe, percent = PIPES[str(row.where["pipe"])], 100 * PROCESSING[str(row.where["processing"])]
        variant = f"{pipe.name}, overhead {percent:g} %" if percent else pipe.name
        values = {**row.values, **{one.name: (one(row) or 0.0) / 100 for one in (LOW, HIGH)}}
        found.append(Observation(variant=variant, clients=pipe.flows, seed=row.seed, values=values))
    return found


def synchronisation(*, seeds: int = 5, jobs: int | None = None) -> tuple[list[str], list[str]]:
    """Compare all pipes: give lines of Markdown, and the bars that are missed."""
    made = gather(look_parts(), seeds=range(1, seeds + 1), jobs=jobs, label="synchronisation")
    theirs, first = (_pipes(ns2_runs("manyflows").part(name)) for name in ("looks", "looks_syn"))
    order = list(dict.fromkeys(run.variant for run in theirs))
    ours = sorted(_pipes(made.part("looks")), key=lambda run: order.index(run.variant))
    found = compare(ours, theirs, _PIPES)
    near = ", ".join(
        f"{sum(place.is_near for place in found if place.rule is rule)} of {len(order)} in {rule.title}"
        for rule in _PIPES
    )
    lines = [
        _TEXTS["synchronisation"].format(seeds=seeds, errors=STANDARD_ERRORS),
        *measures_table(_PIPES, found, bar=1.0),
        *places_table([place for place in found if not place.agrees], (), counted="connections"),
        f"\nWithout the allowance for chance pipes agree: {near}.\n",
        _TEXTS["beside"],
        "| measure | pipe | Ackclock | ns-2 | ns-2, SYN first |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for place in found:
        other = next(place.rule.measure(run) for run in first if run.variant == place.variant)
        lines.append(
            f"| {place.rule.title} | {place.variant} | {place.ours.shown(3)} | {place.theirs.shown(3)} | {other:.3f} |"
        )
    return lines, missed_bars(_PIPES, found, bar=1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and give the exit status: 1 if a bar is missed."""
    given = arguments_of("manyflows", __doc__, quick="every tenth point").parse_args(arguments)
    lines, missed = [_TEXTS["introduction"].format(explained=EXPLAINED)], []
    for one in COMPARED:
        found = agreement(one, seeds=given.seeds, quick=given.quick, jobs=given.jobs)
        again = [] if given.quick else recheck(one, jobs=given.jobs)
        lines += [f"## {one.title}\n", *measures_table(one.rules, found, bar=one.bar)]
        misses = [place for place in found if not place.agrees]
        lines += [*places_table(misses, again, counted="connections", seeds=len(_AGAIN)), ""]
        if one.bar is not None:
            later = {(place.rule.title, place.variant, place.clients): place for place in again}
            judged = [
                place if place.agrees else later.get((place.rule.title, place.variant, place.clients), place)
                for place in found
            ]
            missed += [f"{one.title}: {each}" for each in missed_bars(one.rules, judged, bar=one.bar)]
    together, failed = synchronisation(seeds=given.seeds, jobs=given.jobs)
    lines += [*together, "", _TEXTS["ties"], *ties(seeds=given.seeds, jobs=given.jobs), ""]
    return tell(lines, [*missed, *failed], markdown=given.markdown)


if __name__ == "__main__":
    sys.exit(main())
