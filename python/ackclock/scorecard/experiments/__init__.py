"""The experiments of the scorecard, each in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiments import (
    alone,
    both_ways,
    buffers,
    extremes,
    flash_crowd,
    freed_rate,
    hops,
    itself,
    loss_bursts,
    marks,
    mixed,
    overload,
    path_change,
    pauses,
    policed,
    random_loss,
    real_time,
    reordering,
    round_trips,
    short_flows,
    unresponsive,
    varying_rate,
)

if TYPE_CHECKING:
    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Experiment, Setting

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: Final[tuple[Experiment[Tcp, Setting], ...]] = (
    alone.EXPERIMENT,
    itself.EXPERIMENT,
    round_trips.EXPERIMENT,
    mixed.EXPERIMENT,
    real_time.EXPERIMENT,
    short_flows.EXPERIMENT,
    random_loss.EXPERIMENT,
    loss_bursts.EXPERIMENT,
    reordering.EXPERIMENT,
    varying_rate.EXPERIMENT,
    path_change.EXPERIMENT,
    pauses.EXPERIMENT,
    flash_crowd.EXPERIMENT,
    freed_rate.EXPERIMENT,
    hops.EXPERIMENT,
    both_ways.EXPERIMENT,
    policed.EXPERIMENT,
    marks.EXPERIMENT,
    buffers.EXPERIMENT,
    overload.EXPERIMENT,
    unresponsive.EXPERIMENT,
    extremes.EXPERIMENT,
)
"""All experiments, in the order of the page."""
