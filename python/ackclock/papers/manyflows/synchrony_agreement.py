"""How well our engine agrees with ns-2 on who loses together, and on what waits in the buffer."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ackclock.papers.agreement import measures_table, missed_bars, places_table
from ackclock.papers.comparison import STANDARD_ERRORS, Rule, compare, named
from ackclock.papers.core.parts import gather
from ackclock.papers.manyflows import reference
from ackclock.papers.manyflows.looks import PIPES, look_parts
from ackclock.papers.manyflows.places import PROCESSING
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.comparison import Comparison
    from ackclock.papers.core.evidence import Row

_OVERHEAD = ", overhead"

_HEADING = f"""\
## Synchronisation

Large, small and medium pipes as Figures 6, 8, 10, 15, 17 and 18 show them: {{seeds}} seeds, and 3 of ns-2. The buffer's
percentiles are parts of its size. {STANDARD_ERRORS} standard errors of the difference are put down to chance.
"""

_BESIDE = """\
The last column is one run of ns-2 in which each connection begins with a SYN of 40 bytes; all others begin with data.
How much of the difference is one seed's was not measured.
"""

BAR = 1.0
"""The part of the pipes that must agree in each measure."""


def _part_of_buffer(name: str) -> Callable[[Observation], float | None]:
    def measure(run: Observation) -> float | None:
        value = run.values[name]
        return None if value is None else value / PIPES[run.variant.partition(_OVERHEAD)[0]].buffer

    return measure


RULES = (
    Rule(title="correlation of losses", measure=named("correlation"), relative=0.0, absolute=0.03),
    Rule(title="buffer's 5th percentile, of its size", measure=_part_of_buffer("low"), relative=0.0, absolute=0.05),
    Rule(title="buffer's 95th percentile, of its size", measure=_part_of_buffer("high"), relative=0.0, absolute=0.05),
)
"""What is compared."""


def _observations(rows: Sequence[Row]) -> list[Observation]:
    """Give rows as observations, named by the pipe and by the processing time."""
    return [
        Observation(
            variant=_name(str(row.where["pipe"]), PROCESSING[str(row.where["processing"])]),
            clients=PIPES[str(row.where["pipe"])].flows,
            seed=row.seed,
            values=row.values,
        )
        for row in rows
    ]


def _name(pipe: str, fraction: float) -> str:
    return f"{pipe}{_OVERHEAD} {100 * fraction:g} %" if fraction else pipe


def synchronisation(*, seeds: int = 5, jobs: int | None = None) -> tuple[list[str], list[str]]:
    """Compare all pipes: give lines of Markdown, and the bars that are missed."""
    rows = gather(look_parts(), seeds=range(1, seeds + 1), jobs=jobs, label="synchronisation").part("looks")
    places = {(processing, pipe): number for number, (processing, pipe) in enumerate(product(PROCESSING, PIPES))}
    ours = _observations(sorted(rows, key=lambda row: places[str(row.where["processing"]), str(row.where["pipe"])]))
    theirs, earlier = (
        _observations([row for processing in PROCESSING for row in reference.looks(processing, syn=syn)])
        for syn in (0, 40)
    )
    found = compare(ours, theirs, RULES)
    near = ", ".join(
        f"{sum(place.is_near for place in found if place.rule is rule)} of {2 * len(PIPES)} in {rule.title}"
        for rule in RULES
    )
    lines = [
        _HEADING.format(seeds=seeds),
        *measures_table(RULES, found, bar=BAR),
        *places_table([place for place in found if not place.agrees], (), counted="connections"),
        f"\nWithout the allowance for chance pipes agree: {near}.\n",
        *_beside(found, earlier),
    ]
    return lines, missed_bars(RULES, found, bar=BAR)


def _beside(found: Sequence[Comparison], earlier: Sequence[Observation]) -> list[str]:
    """Lay the runs beside each other, those of ns-2 with a SYN of 40 bytes first too: one run of each pipe."""
    lines = [_BESIDE, "| measure | pipe | Ackclock | ns-2 | ns-2, SYN first |", "| --- | --- | ---: | ---: | ---: |"]
    for place in found:
        other = next(place.rule.measure(run) for run in earlier if run.variant == place.variant)
        lines.append(
            f"| {place.rule.title} | {place.variant} | {place.ours.shown(3)} | {place.theirs.shown(3)} | {other:.3f} |"
        )
    return lines
