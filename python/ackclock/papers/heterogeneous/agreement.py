"""Tell how well our engine agrees with ns-2 where two kinds of client share the link.

``python -m ackclock.papers.heterogeneous.agreement``: every point that ns-2 was run at, newcomers and background
each by itself. Prints a line a measure and each miss with its size; exits with status 1 if a bar is missed.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import TYPE_CHECKING

from ackclock.papers.agreement import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.papers.heterogeneous import ns2
from ackclock.papers.heterogeneous.comparison import BAR, RULES, compare_scenes
from ackclock.papers.heterogeneous.experiment import SCENES, scene_wanted, variants
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.comparison import Comparison

__all__ = ["agreement", "main", "recheck"]

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
    """Run every point that ns-2 was run at and compare.

    Parameters
    ----------
    seeds
        Seeds a point, at least 2.
    quick
        Take the points with the most clients of two scenes, not all.
    jobs
        How many runs at once; one for each processor by default.

    """
    batch = Batch()
    made = {
        scene: batch.add(
            scene_wanted(
                scene, seeds=range(1, seeds + 1), cells=product(variants(scene), [scene.most]) if quick else None
            )
        )
        for scene in (_QUICK if quick else SCENES)
    }
    batch.run(jobs=jobs, label="agreement")
    return compare_scenes({scene: runs() for scene, runs in made.items()}, ns2.scenes())


def recheck(*, jobs: int | None = None) -> list[Comparison]:
    """Compare the points that missed, or would have but for the allowance for chance, with twenty other seeds each."""
    theirs = ns2.scenes("recheck")
    batch = Batch()
    made = {
        scene: batch.add(
            scene_wanted(
                scene,
                seeds=sorted({run.seed for run in runs}),
                cells=dict.fromkeys((run.variant, run.clients) for run in runs),
            )
        )
        for scene, runs in theirs.items()
    }
    batch.run(jobs=jobs, label="again")
    return compare_scenes({scene: runs() for scene, runs in made.items()}, theirs)


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
