"""Agreement with ns-2 where many connections share the link.

``python -m ns2 manyflows`` compares every point of the paper's grid, runs counted from time 0, two groups at unequal
distances, and the synchronisation in five pipes. It exits with status 1 if too few points agree.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ackclock.papers.comparison import STANDARD_ERRORS, Tolerance, compare, named
from ackclock.papers.core.parts import Part, gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.distances import figure23, shares
from ackclock.papers.manyflows.experiment import ISDN, T1, Setting, flow_summary, grid_setting, part
from ackclock.papers.manyflows.measures import HIGH, LOSS, LOW
from ackclock.papers.manyflows.pipes import PIPES, pipe_parts
from ackclock.papers.manyflows.places import PROCESSING, setting_of
from ns2.compared import EXPLAINED, Compared, command, measures_table, missed_bars, places_table, texts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

_TEXTS = texts("manyflows")
_PLACES = ((T1, 200, 200), (T1, 400, 450), (ISDN, 200, 200), (ISDN, 400, 450))  # link, W_c, connections: table on ties
_DISTANCES = "figure23"

GRID = (
    Tolerance(title="loss", measure=named("loss"), relative=0.05),
    Tolerance(title="Jain's index", measure=named("jain_index"), relative=0.05),
    Tolerance(title="throughput", measure=named("throughput"), relative=0.0, absolute=0.005),
    Tolerance(title="goodput", measure=named("goodput"), relative=0.0, absolute=0.01),
)
_WHOLE = (Tolerance(title="loss", measure=named("loss"), relative=0.04),)
_RATIO = (Tolerance(title="goodput ratio, near over far", measure=named("goodput_ratio"), relative=0.10),)
_PIPES = (
    Tolerance(title="correlation of losses", measure=named("correlation"), relative=0.0, absolute=0.03),
    *(
        Tolerance(title=title, measure=lambda row, one=one: one(row) / 100, relative=0.0, absolute=0.05)  # type: ignore[misc]
        for title, one in (
            ("5th percentile of the buffer occupancy", LOW),
            ("95th percentile of the buffer occupancy", HIGH),
        )
    ),
)


def _compared(
    title: str,
    table: str,
    chosen: Callable[[Setting], bool],
    tolerances: Sequence[Tolerance] = GRID,
    *,
    bar: float | None = 0.95,
    more: Callable[[argparse.Namespace], tuple[list[str], list[str]]] = lambda _: ([], []),
) -> Compared:
    """Define a comparison at the points of a part of ns-2's runs that have the chosen settings."""
    distant = table == _DISTANCES

    def setting(where: Mapping[str, Any]) -> Setting:
        return figure23(where).setting if distant else setting_of(where)

    def points() -> list[Mapping[str, Any]]:
        return [row.where for row in ns2_runs("manyflows").part(table) if chosen(setting(row.where))]

    def ours() -> Part:
        cells = [(where, setting(where)) for where in points()]
        return part("agreement", cells, shares if distant else flow_summary)

    return Compared(
        title=title,
        study="manyflows",
        part=table,
        again="" if bar is None else f"again_{table}",
        among=lambda where: chosen(setting(where)),
        ours=ours,
        tolerances=tolerances,
        bar=bar,
        single=True,
        quick=lambda where: where in points()[::10],
        named=lambda where: setting(where).name,
        counted="connections",
        count=lambda where: setting(where).flows,
        more=more,
    )


def _processes(setting: Setting) -> bool:
    return setting.overhead > 0


def _ties(setting: Setting) -> bool:
    return not setting.overhead


def ties(given: argparse.Namespace) -> list[str]:
    """Format rows with ns-2's loss without processing times, and ours with three detunings of the bottleneck."""
    settings = [grid_setting(*place) for place in _PLACES]
    cells = [
        ({"at": at, "way": way}, replace(one, detuned=way * one.detuned))
        for at, one in enumerate(settings)
        for way in (1, 0, -1)
    ]
    made = gather([part("ties", cells)], seeds=range(1, given.seeds + 1), jobs=given.jobs, label="ties")
    loss = LOSS.at("ties").points(made)
    grid = [(setting_of(row.where), row.values["loss"]) for row in ns2_runs("manyflows").part("grid")]
    theirs = {(setting.name, setting.flows): found for setting, found in grid}
    lines = []
    for at, one in enumerate(settings):
        losses = " | ".join(f"{loss.cells[at, way].mean / 100:.4f}" for way in (1, 0, -1))
        lines.append(f"| {one.name} | {one.flows} | {theirs[one.name, one.flows]:.4f} | {losses} |")
    return lines


def _pipe(where: Mapping[str, Any]) -> str:
    percent = 100 * PROCESSING[where["processing"]]
    return f"{where['pipe']}, processing times to {percent:g} %" if percent else str(where["pipe"])


def synchronisation(given: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Compare the synchronisation of losses and the occupancy of buffers in each pipe."""
    made = gather(pipe_parts(), seeds=range(1, given.seeds + 1), jobs=given.jobs, label="synchronisation")
    theirs, first = (ns2_runs("manyflows").part(name) for name in ("looks", "looks_syn"))
    order = [row.where for row in first]
    found = compare(sorted(made.part("looks"), key=lambda row: order.index(row.where)), theirs, _PIPES)
    near = ", ".join(
        f"{sum(one.is_near for one in found if one.tolerance is tolerance)} of {len(order)} for {tolerance.title}"
        for tolerance in _PIPES
    )
    misses = [one for one in found if not one.agrees]
    lines = [
        _TEXTS["synchronisation"].format(seeds=given.seeds, errors=STANDARD_ERRORS),
        *measures_table(_PIPES, found, bar=1.0),
        *places_table(misses, (), named=_pipe, counted="connections", count=lambda where: PIPES[where["pipe"]].flows),
        f"\nPipes whose difference is within the margin: {near}.\n",
        _TEXTS["beside"],
    ]
    for one in found:
        other = next(one.tolerance.measure(row) for row in first if row.where == one.where)
        cells = f"{one.ours.shown(3)} | {one.theirs.shown(3)} | {other:.3f}"
        lines.append(f"| {one.tolerance.title} | {_pipe(one.where)} | {cells} |")
    return lines, missed_bars(_PIPES, found, bar=1.0)


def _pipes_and_ties(given: argparse.Namespace) -> tuple[list[str], list[str]]:
    lines, missed = synchronisation(given)
    return ["", *lines, "", _TEXTS["ties"], *ties(given)], missed


COMPARED = (
    _compared("The grid, with processing times", "grid", _processes),
    _compared("The grid, without processing times", "grid", _ties),
    _compared(
        "The grid, without processing times, on detuned links on both sides", "detuned", lambda one: one.warm > 0
    ),
    _compared("From time 0, with processing times", "whole", _processes, _WHOLE, bar=1.0),
    _compared("From time 0, ISDN, timeouts without a limit", "whole", lambda one: one.link is ISDN, _WHOLE, bar=1.0),
    _compared(
        "From time 0, T1 without processing times, on detuned links on both sides",
        "detuned",
        lambda one: one.warm == 0,
        _WHOLE,
        bar=1.0,
    ),
    _compared(
        "From time 0, T1 without processing times, against ns-2 with its ties",
        "whole",
        lambda one: one.link is T1 and _ties(one) and (one.spread, one.max_rto) == ("1 s", "64 s"),
        _WHOLE,
        bar=None,
    ),
    _compared("Unequal distances, with processing times", _DISTANCES, _processes, _RATIO),
    _compared("Unequal distances, without processing times", _DISTANCES, _ties, _RATIO, bar=None, more=_pipes_and_ties),
)

main = partial(
    command,
    _TEXTS["introduction"].format(explained=EXPLAINED),
    COMPARED,
    description=__doc__,
    quick="every tenth point",
)
