"""Limits that several experiments share. The documents ask the questions and leave the numbers open: these are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.measures import LOSS, QUEUE, TIMEOUTS, Measure
from ackclock.scorecard.rules import Beside, Limit

if TYPE_CHECKING:
    from ackclock.scorecard.networks import Path

__all__ = ["BUSY", "FAIR", "no_less", "no_longer_queue", "no_more_loss", "no_slower", "no_storm"]

BUSY: Final = 90.0
"""Utilization in per cent from which a link counts as used."""
FAIR: Final = 0.9
"""Jain's index from which flows count as equal."""


def no_more_loss(measure: Measure = LOSS, by: float = 1.0) -> Beside:
    """Allow half as much loss again as with the yardstick, and a percentage point."""
    return Beside(measure=measure, worse="higher", part=0.5, by=by)


def no_longer_queue(path: Path, part: float, measure: Measure = QUEUE) -> Beside:
    """Allow a delay longer than the yardstick's by a tenth of the buffer, given in BDP, and at least by a packet."""
    return Beside(measure=measure, worse="higher", by=round(max(0.1 * part * path.rtt, path.packet_time), 3))


def no_storm() -> Limit:
    """Allow each flow one timeout in 10 s."""
    return Limit(measure=TIMEOUTS, worse="higher", than=1.0)


def no_less(measure: Measure, part: float = 0.1) -> Beside:
    """Allow a tenth less than with the yardstick."""
    return Beside(measure=measure, worse="lower", part=part)


def no_slower(measure: Measure, part: float = 0.25) -> Beside:
    """Allow times that are a quarter longer than with the yardstick."""
    return Beside(measure=measure, worse="higher", part=part)
