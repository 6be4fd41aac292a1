"""The contenders: queues with their buffers, congestion controls of the senders, and ECN."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.advice.question import Question

__all__ = ["PACKET", "QUEUE_NAMES", "SIMPLEST_FIRST", "Contender", "contenders", "reference"]

PACKET: Final = 1500
"""Bytes of a full packet."""
_BUFFERS: Final = (1.0, 0.5, 2.0, 0.25, 4.0, 0.1)
"""Drop-tail buffers in bandwidth-delay products, the usual one first."""
_FQ_CODEL_LIMIT: Final = 10_240
_PIE_LIMIT: Final = 1000
_DUALPI2_LIMIT: Final = 10_000
"""Limits in packets of Linux's queues, unless `_LARGEST` bandwidth-delay products are more."""
_LARGEST: Final = 4

QUEUE_NAMES: Final = {
    "droptail": "drop-tail",
    "fq_codel": "FQ-CoDel",
    "cake": "CAKE",
    "pie": "PIE",
    "dualpi2": "DualPI2",
}
LAW_NAMES: Final = {"cubic": "CUBIC", "bbr": "BBR", "bbr3": "BBRv3"}

SIMPLEST_FIRST: Final = (
    "Of contenders that are equally good, those that are also among the best with half the users come first, because "
    "fewer users are active at most times. The simplest of them is recommended: congestion control in the order CUBIC "
    "(Linux's default), BBR, BBRv3 (not in the kernel); then queue in the order drop-tail, FQ-CoDel (the default of "
    "most distributions), CAKE (more work per packet), PIE, DualPI2 (since Linux 6.17); then without ECN before with "
    "ECN; then buffer in the order 1, 0.5, 2, 0.25, 4 and 0.1 bandwidth-delay products."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Contender:
    """A queue for both directions, and what the senders use.

    Parameters
    ----------
    queue, law
        Names, as in `ackclock.advice.question`.
    ecn
        Whether the senders use ECN and the queue marks.
    buffer
        Drop-tail only: the buffer in bandwidth-delay products.
    limits
        Limit of the queue in packets, down and up.
    rates
        Rates at which the queue sends, in bit/s, down and up.
    """

    queue: str
    law: str
    ecn: bool
    buffer: float | None
    limits: tuple[int, int]
    rates: tuple[float, float]

    @property
    def key(self) -> str:
        """Unique short name, for stores and JSON."""
        parts = [self.queue, *([f"{self.buffer:g} BDP"] if self.buffer else []), self.law, *["ecn"] * self.ecn]
        return " ".join(parts)

    def words(self, *, law: bool) -> str:
        """Name the contender, with its congestion control if `law` asks for it."""
        name = QUEUE_NAMES[self.queue]
        name += f" {self.buffer:g} BDP" if self.buffer else ""
        name += " with ECN" if self.ecn else ""
        return f"{name}, {LAW_NAMES[self.law]}" if law else name

    def queues(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the tables of the queue, down and up."""
        down, up = ({"kind": self.queue, "packets": limit, **self._marking()} for limit in self.limits)
        return down, up

    def _marking(self) -> dict[str, Any]:
        # CAKE and DualPI2 mark whatever is ECN-capable; drop-tail never marks.
        return {"ecn": self.ecn} if self.queue in {"fq_codel", "pie"} else {}


def contenders(question: Question) -> list[Contender]:
    """Return the contenders of a question, the simplest first."""
    made = [
        _contender(question, queue, law, ecn=ecn, buffer=buffer)
        for law in sorted(question.laws, key=tuple(LAW_NAMES).index)
        for queue in sorted(question.queues, key=tuple(QUEUE_NAMES).index)
        for ecn, buffer in _variants(queue, ecn=question.ecn)
    ]
    # On slow links several buffers have the same number of packets.
    different: dict[object, Contender] = {}
    for each in made:
        different.setdefault((each.queue, each.law, each.ecn, each.limits), each)
    return list(different.values())


def reference(question: Question) -> Contender:
    """Return what the recommendation is compared with: drop-tail with the usual buffer and today's senders."""
    return _contender(question, "droptail", question.laws[0], ecn=False, buffer=1.0)


def _variants(queue: str, *, ecn: bool) -> Sequence[tuple[bool, float | None]]:
    if queue == "droptail":
        return [(False, buffer) for buffer in _BUFFERS]
    return list(itertools.product((False, True) if ecn else (False,), (None,)))


def _contender(question: Question, queue: str, law: str, *, ecn: bool, buffer: float | None) -> Contender:
    share = 1.0 if queue == "droptail" else question.shaping
    delay = sum(question.delays) / len(question.delays)
    products = [rate * delay / (8 * PACKET) for rate in question.rates]
    least = {"fq_codel": _FQ_CODEL_LIMIT, "cake": _FQ_CODEL_LIMIT, "pie": _PIE_LIMIT, "dualpi2": _DUALPI2_LIMIT}
    down, up = (
        max(1, round(buffer * product)) if buffer else max(least[queue], math.ceil(_LARGEST * product))
        for product in products
    )
    rates = question.rates
    return Contender(
        queue=queue,
        law=law,
        ecn=ecn,
        buffer=buffer,
        limits=(down, up),
        rates=(share * rates[0], share * rates[1]),
    )
