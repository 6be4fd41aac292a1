"""The study as a folder: that of the heterogeneous paper, with the backgrounds and the claims of this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.papers.characterization.claims import CLAIMS, TOPICS
from ackclock.papers.heterogeneous import study
from ackclock.papers.heterogeneous.experiment import SCENES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["PAPER", "record", "write"]

PAPER = study.Paper(
    study="characterization",
    title="TCP's Effect on Traffic Characterization",
    source="W. Feng, P. Tinnakornsrisuphap and I. Philp, the short paper on what TCP does to aggregate network "
    "traffic, with clients of one kind and of two, run again packet by packet by Ackclock: its Figures 2 to 8, every "
    "claim of it, and what becomes of those who were there first.",
    scenes=SCENES[:2],
    claims=CLAIMS,
    topics=TOPICS,
)
"""The paper of this package."""


def record(*, seeds: int) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return study.record(seeds=seeds, paper=PAPER)


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds
        The seeds that each point is run with.
    jobs
        How many runs at once; one for each processor by default.

    """
    study.write(folder, seeds=seeds, jobs=jobs, paper=PAPER)
