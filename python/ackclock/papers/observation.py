"""The numbers of a run that a study extracts by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.running.summary import MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.running.run import Run


def summary(run: Run) -> Mapping[str, float | None]:
    """Return the numbers of a run's summary."""
    return {name: getattr(run.summary, name) for name in MEASURES}
