"""The network of RFC 7928 as the experiments use it, and the limits that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Tcp
from ackclock.scorecard.measures import LOSS, QUEUE, UTILIZATION
from ackclock.scorecard.networks import Path, bulk
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.scenario import Clients
    from ackclock.scorecard.rules import Rule

__all__ = ["CUBIC", "PATH", "SHORTER", "flows", "rules"]

PATH: Final = Path(10, 100)
"""The round-trip time of RFC 7928, and a rate at which one flow has 84 packets in flight."""
CUBIC: Final = Tcp("cubic")
SHORTER: Final = Beside(measure=QUEUE, worse="higher")
"""The queue is no longer than the yardstick's: what queue management is for."""


def flows(count: int, name: str = "law", law: Tcp = CUBIC) -> Clients:
    """Return bulk flows that start within a second."""
    return bulk(name, law, count=count, spread="1 s")


def rules(*further: Rule) -> Sequence[Rule]:
    """Return the rules of most experiments: a queue that is no longer, a link that is used, and no more losses."""
    return [
        SHORTER,
        Beside(measure=UTILIZATION, worse="lower", by=5),
        Beside(measure=LOSS, worse="higher", by=2),
        *further,
    ]
