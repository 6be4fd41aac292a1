"""Measures of the bottleneck: its utilization and loss."""

from __future__ import annotations

from ackclock.papers.core.measures import Measure
from ackclock.papers.core.parts import Taken
from ackclock.running.run import Run

UTILIZATION = Measure("utilization", "utilization", "%", digits=1)
LOSS = Measure("loss", "loss", "%", digits=2)


def link(run: Run) -> Taken:
    """Return the utilization and the loss of the bottleneck, in per cent."""
    loss = run.summary.loss
    return {"utilization": 100 * run.summary.utilization, "loss": None if loss is None else 100 * loss}
