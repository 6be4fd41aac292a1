"""Long-range dependence, asked of runs that are long enough to have it.

A run of 100 s in bins of 0.1 s is a poor witness: of exact noise with H = 0.8 `ackclock.analysis.hurst` claims it in
one case of four, and the round trip of 75 ms is a cycle in such bins. Here runs are twenty times as long, with bins of
1 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import hurst
from ackclock.papers.observation import cells_wanted
from ackclock.papers.selfsimilar.experiment import DURATION, SOURCES, background, scenario
from ackclock.papers.selfsimilar.looks import SETTLED
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.papers.selfsimilar.experiment import Setting
    from ackclock.papers.selfsimilar.looks import Values
    from ackclock.running.run import Run
    from ackclock.study import Wanted

__all__ = ["BACKGROUND", "LONG", "METHODS", "memory_wanted"]

LONG: Final = 2000
"""Seconds of a run, counted in bins of 1 s."""

BACKGROUND: Final = "background"
"""The on/off sources alone, at the bottleneck: what has the memory that is asked for."""

METHODS: Final[Mapping[str, str]] = {"abry_veitch": "wavelets", "local_whittle": "local Whittle"}
"""Estimators that leave the short scales out, and what people call them."""


def memory_wanted(
    settings: Sequence[Setting], *, seeds: Iterable[int]
) -> Wanted[Values, Mapping[str, Sequence[Values]]]:
    """Ask for what long runs show of each setting, by its name, and of `BACKGROUND`.

    Parameters
    ----------
    settings
        What is simulated.
    seeds
        As for `ackclock.study.Wanted`.

    Returns
    -------
    Wanted
        Seed by seed, of the packets received in each second, those of the background as they arrive at the bottleneck:
        the Hurst parameter by each of `METHODS`, None where it finds no scaling.

    """
    return cells_wanted(
        [*settings, None],
        point=_point,
        seeds=seeds,
        take=_take,
        make=lambda ran: {cell.name if cell else BACKGROUND: [run.value for run in runs] for cell, runs in ran},
        record=("arrivals@A->B,B->y/1s",),
    )


def _point(setting: Setting | None) -> Point:
    made = scenario(setting) if setting else background()
    return Point(
        name=f"{setting.name if setting else BACKGROUND}, {LONG} s",
        scenario=made.changed({"duration": f"{LONG} s"}),
        work=SOURCES * LONG / DURATION,
    )


def _take(run: Run) -> Values:
    arrivals = run.table("arrivals")
    wanted = "B->y" if len(run.scenario.flows) > 1 else "A->B"
    counts = arrivals["packets"].to_numpy()[np.asarray(arrivals["link"].to_pylist()) == wanted][SETTLED:]
    found = {each.method: each.h for each in hurst(counts).estimates}
    return {method: found.get(method) for method in METHODS}
