"""Tell how well our engine agrees with ns-2 where two kinds of client share the link.

``python -m ackclock.papers.heterogeneous.agreement``: every point that ns-2 was run at, newcomers and background
each by itself. Prints a line a measure and each miss with its size; exits with status 1 if a bar is missed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ackclock.papers.agreement import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.heterogeneous.comparison import BAR, RULES, compare_curves
from ackclock.papers.heterogeneous.evidence import curves, figures
from ackclock.papers.heterogeneous.experiment import SCENES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.comparison import Comparison

_INTRODUCTION = f"""\
# Agreement with ns-2 where two kinds of client share the link

Made by `python -m ackclock.papers.heterogeneous.agreement`. Reno clients are there from the start, others that run
Reno or Vegas join them at 1 s. A point is one of their figures' curves at one number of added clients; goodput and loss
are compared for the added clients and for the background, each by itself.
{EXPLAINED}
Ours are 5 seeds for each point, ns-2's 3: few where single runs differ widely. In the second round, which also has the
points that only the standard errors admit, both sides have 20.
"""

_QUICK = (SCENES[0], SCENES[-1])


def agreement(*, seeds: int = 5, quick: bool = False, jobs: int | None = None) -> list[Comparison]:
    """Run every point that ns-2 was run at, or the points with the most clients of two scenes, and compare."""
    cells = [cell for cell in figures(_QUICK if quick else SCENES) if not quick or cell[2] == cell[0].most]
    made = gather([curves(cells)], seeds=range(1, seeds + 1), jobs=jobs, label="agreement")
    return compare_curves(made.part("curves"), ns2_runs("heterogeneous").part("curves"))


def recheck(*, jobs: int | None = None) -> list[Comparison]:
    """Compare the points that missed, or that only the standard errors admit, with twenty other seeds each."""
    theirs = ns2_runs("heterogeneous").part("again_curves")
    there = {tuple(row.where.values()) for row in theirs}
    cells = [cell for cell in figures(SCENES) if (*cell[0].where.values(), *cell[1:]) in there]
    made = gather([curves(cells)], seeds=sorted({row.seed for row in theirs}), jobs=jobs, label="again")
    return compare_curves(made.part("curves"), theirs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and give the exit status: 1 if a bar is missed."""
    given = arguments_of("heterogeneous", __doc__, quick="ten points").parse_args(arguments)
    comparisons = agreement(seeds=given.seeds, quick=given.quick, jobs=given.jobs)
    again = [] if given.quick else recheck(jobs=given.jobs)
    lines = [
        _INTRODUCTION,
        *measures_table(RULES, comparisons, bar=BAR),
        *places_table([place for place in comparisons if not place.agrees], again, counted="added"),
        *places_table(
            [place for place in comparisons if place.agrees and not place.is_near],
            again,
            named="points that agree by the allowance for chance only",
            counted="added",
        ),
        "",
    ]
    return tell(lines, missed_bars(RULES, comparisons, bar=BAR), markdown=given.markdown)


if __name__ == "__main__":
    sys.exit(main())
