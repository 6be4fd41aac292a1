"""The experiments with queue disciplines, each in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.queues import (
    bursts,
    congestion,
    crowd,
    links,
    marks,
    round_trips,
    scheduling,
    senders,
    unresponsive,
    varying_rate,
)

if TYPE_CHECKING:
    from ackclock.scorecard.experiment import Experiment, Queues, Scope

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: Final[tuple[Experiment[Queues, Scope], ...]] = (
    congestion.EXPERIMENT,
    senders.EXPERIMENT,
    unresponsive.EXPERIMENT,
    round_trips.EXPERIMENT,
    bursts.EXPERIMENT,
    crowd.EXPERIMENT,
    varying_rate.EXPERIMENT,
    marks.EXPERIMENT,
    links.EXPERIMENT,
    scheduling.EXPERIMENT,
)
"""All experiments, in the order of the page."""
