"""What is compared with ns-2 where two kinds of client share the link, class by class."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ackclock.papers.agreement import statement
from ackclock.papers.comparison import Rule, compare
from ackclock.papers.heterogeneous.experiment import CLASSES
from ackclock.papers.heterogeneous.measures import goodput, loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.comparison import Comparison
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation
    from ackclock.report.html import Statement

__all__ = ["BAR", "RULES", "agreement_statement", "compare_scenes"]

BAR = 0.92
"""The part of the points of each measure that must agree."""

RULES = (
    *(Rule(title=f"goodput, {name}", measure=goodput(name), relative=0.05) for name in CLASSES),
    *(Rule(title=f"loss, {name}", measure=loss(name), relative=0.15, absolute=0.002) for name in CLASSES),
)
"""The measures, each of one class."""


def compare_scenes(
    ours: Mapping[Scene, Sequence[Observation]], theirs: Mapping[Scene, Sequence[Observation]]
) -> list[Comparison]:
    """Compare every point that both sides have, rule by rule.

    Parameters
    ----------
    ours, theirs
        Runs of both sides, at least two seeds a point.

    Returns
    -------
    list of Comparison
        The names of the variants say the scene too.

    """
    return compare(_flat(ours), _flat(theirs), RULES)


def _flat(scenes: Mapping[Scene, Sequence[Observation]]) -> list[Observation]:
    """Put the runs of all scenes into one list, with names that tell them apart."""
    return [
        dataclasses.replace(run, variant=f"{run.variant} beside {scene.background}, buffer {scene.buffer:,}")
        for scene, runs in scenes.items()
        for run in runs
    ]


def agreement_statement(
    ours: Mapping[Scene, Sequence[Observation]], theirs: Mapping[Scene, Sequence[Observation]]
) -> Statement:
    """Say how much of the figures agrees."""
    return statement(
        compare_scenes(ours, theirs),
        what="goodput and loss, of newcomers and background each by itself",
        margin="5 % of the goodput, 15 % of the loss or 0.2 points",
    )
