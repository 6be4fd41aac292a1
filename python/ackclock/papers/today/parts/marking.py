"""Runs with queues that mark or drop: RED with the papers' thresholds, and larger buffers of senders with ECN.

The network is that of `burstiness`, with 60 clients. RED with 417 packets has the papers' thresholds in proportion: 20
and 80 % of the buffer. Senders that count marks need no option; all others take marks for losses (RFC 3168), to which
BBR and Copa hardly react.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.parts.burstiness import BUFFER, OVERLOAD, PIPE, network, together, traffic
from ackclock.papers.today.senders import SCALABLE, SENDERS, TODAY, UNMARKED
from ackclock.running.run import Run

_RED: Final = {"kind": "red", "packets": BUFFER, "min_th": 10, "max_th": 40, "w_q": 0.002}
_LARGE_RED: Final = {"kind": "red", "packets": PIPE, "min_th": PIPE // 5, "max_th": 4 * PIPE // 5, "w_q": 0.002}

DROPPING: Final = "RED"
"""The queue of 417 packets that only drops; not asked of DCTCP."""

QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {
    DROPPING: _LARGE_RED,
    "RED with ECN": {**_LARGE_RED, "ecn": True},
    "CoDel with ECN": {"kind": "codel", "packets": PIPE, "ecn": True},
    "PIE with ECN": {"kind": "pie", "packets": PIPE, "ecn": True},
    "DualPI2 with ECN": {"kind": "dualpi2", "packets": PIPE},
}
"""Queues with a buffer of one bandwidth-delay product."""

MARKING: Final = ("CoDel with ECN", "PIE with ECN", "DualPI2 with ECN")
"""What replaced RED, with marks."""


def with_signals(run: Run) -> Taken:
    """Return `traffic`, and ``joint`` of drops and marks: how often streams get a signal at the same time."""
    return {**traffic(run), "joint": together(run, "drops", "marks")}


def _spot(sender: str, fields: Mapping[str, Any], /, *, marks: bool, **where: Scalar) -> Spot:
    options = {} if sender in SCALABLE or not marks else {"ecn": "classic"}
    return Spot(where={"sender": sender, **where}, scenario=network(sender, OVERLOAD, queue=fields, options=options))


def parts() -> list[Part]:
    """Return the parts."""
    record = ("arrivals@bottleneck/1ms", "drops", "marks")
    return [
        Part(
            name="RED",
            spots=[
                _spot(sender, {**_RED, "ecn": marks}, marks=marks, signal=signal)
                for signal, marks in (("drops", False), ("marks", True))
                for sender in (SENDERS if marks else UNMARKED)
            ],
            take=with_signals,
            record=record,
        ),
        Part(
            name="marking",
            spots=[
                _spot(sender, fields, marks=queue != DROPPING, queue=queue)
                for queue, fields in QUEUES.items()
                for sender in TODAY
                if sender in UNMARKED or queue != DROPPING
            ],
            take=with_signals,
            record=record,
        ),
    ]
