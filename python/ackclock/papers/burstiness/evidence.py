"""Runs of the grid, as the comparison with ns-2 asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import ARRIVALS, BY_NAME, DROPS, Setting, observations_wanted
from ackclock.papers.burstiness.measures import warm_summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ackclock.papers.observation import Observation
    from ackclock.study import Wanted

WEIGHTS = (8e-5, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 2e-2)
"""RED's averaging weights that are tried."""


def grid_wanted(
    cells: Iterable[tuple[str, int]], *, seeds: Iterable[int], setting: Setting | None = None, profile: str = "ns2-2.35"
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for cells of the grid, by the name of the variant and the number of clients, with `warm_summary`."""
    return observations_wanted(
        [(BY_NAME[variant], clients) for variant, clients in cells],
        seeds=seeds,
        profile=profile,
        setting=setting,
        record=(ARRIVALS, DROPS),
        take=warm_summary,
    )
