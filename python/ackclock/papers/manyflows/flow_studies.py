"""What the paper says beyond one bottleneck's loss: its abstraction, single flows, and unequal distances, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.papers.manyflows.claims.distances import DISTANCES
from ackclock.papers.manyflows.claims.internet import INTERNET
from ackclock.papers.manyflows.claims.padhye import PADHYE
from ackclock.papers.manyflows.claims.reasons import REASONS, reasons_drawing
from ackclock.papers.manyflows.distances import gather_distances
from ackclock.papers.manyflows.distances_figures import distance_drawings
from ackclock.papers.manyflows.fifth import gather_fifth
from ackclock.papers.manyflows.internet import gather_internet
from ackclock.papers.manyflows.internet_figures import internet_drawings
from ackclock.papers.manyflows.padhye import grid, padhye_wanted
from ackclock.papers.manyflows.padhye_figures import padhye_drawings
from ackclock.papers.manyflows.reasons import gather_reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.claims import Claim
    from ackclock.papers.manyflows.distances import Distances
    from ackclock.papers.manyflows.internet import Internet
    from ackclock.papers.manyflows.padhye import Flows, Padhye
    from ackclock.papers.observation import Observation
    from ackclock.report.html import Drawing
    from ackclock.study import Batch

__all__ = ["FLOW_CLAIMS", "FlowStudies", "flow_drawings", "gather_flow_studies"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FlowStudies:
    """Evidence for `FLOW_CLAIMS`.

    Parameters
    ----------
    padhye
        The flows of the grid.
    fifth
        Those of topology 5, as we take it.
    reasons
        Runs in which the reasons why the formulas are off are switched off.
    distances
        Groups at unequal distances.
    internet
        What the abstraction takes for granted.

    """

    padhye: Padhye
    fifth: Flows
    reasons: Sequence[Observation]
    distances: Distances
    internet: Internet


FLOW_CLAIMS: tuple[Claim[FlowStudies], ...] = (*INTERNET, *PADHYE, *REASONS, *DISTANCES)
"""Those of sections 2 to 4 and 5.3."""


def gather_flow_studies(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], FlowStudies]:
    """Ask for all runs.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.

    Returns
    -------
    Callable
        Gives what they show once the batch has run.

    """
    padhye, fifth = batch.add(padhye_wanted(grid(), seeds=seeds)), gather_fifth(batch, seeds=seeds)
    reasons = gather_reasons(batch, seeds=seeds)
    distances, internet = gather_distances(batch, seeds=seeds), gather_internet(batch, seeds=seeds)
    return lambda: FlowStudies(
        padhye=padhye(), fifth=fifth(), reasons=reasons(), distances=distances(), internet=internet()
    )


def flow_drawings(found: FlowStudies, *, command: str) -> list[Drawing]:
    """Draw everything, in the order of the paper.

    Parameters
    ----------
    found
        Our runs.
    command
        What a person types to make them.

    """
    return [
        *internet_drawings(found.internet, command=command),
        *padhye_drawings(found.padhye, found.fifth, command=command),
        reasons_drawing(found.reasons, command=command),
        *distance_drawings(found.distances, command=command),
    ]
