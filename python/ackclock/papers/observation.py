"""The numbers of a run that a study extracts by default."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.running.run import Run
from ackclock.running.summary import MEASURES


def summary(run: Run) -> Mapping[str, float | None]:
    """Return the numbers of a run's summary."""
    return {name: getattr(run.summary, name) for name in MEASURES}
