"""Questions of papers 1 to 3 on RED, asked of today's senders, and of what replaced RED.

The thresholds were fixed before the runs: half a percentage point of utilization counts as a difference.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.today.measures import COV, JOINT, UTILIZATION
from ackclock.papers.today.parts.burstiness import ACTIVE
from ackclock.papers.today.parts.marking import DROPPING, MARKING
from ackclock.papers.today.senders import DEFINITION, TODAY

claim = partial(DEFINITION.claim, __name__)

POINTS: Final = 0.5
"""Percentage points of utilization that count as a difference."""

_red, _marks, _fifo = (COV.at("FIFO and RED", sender=TODAY, signal=signal) for signal in ("drops", "marks", "FIFO"))
_red_used, _fifo_used = (UTILIZATION.at("FIFO and RED", sender=TODAY, signal=signal) for signal in ("drops", "FIFO"))
_red_joint, _marks_joint, _fifo_joint = (
    JOINT.at("FIFO and RED", sender=TODAY, signal=signal) for signal in ("drops", "marks", "FIFO")
)
_large = {
    of.label: (of.at("queues", sender=TODAY, queue=ACTIVE), of.at("queues", sender=TODAY, queue="FIFO"))
    for of in (COV, UTILIZATION, JOINT)
}
_active, _large_fifo = _large[COV.label]
_active_used, _large_used = _large[UTILIZATION.label]
_active_joint, _large_joint = _large[JOINT.label]
_large_red = COV.at("marking", sender=TODAY, queue=DROPPING)
_marking = COV.at("marking", sender=TODAY, queue=MARKING)

CLAIMS = (
    claim("B-13", Again(_red.above(_fifo), opposite=_red.below(_fifo))),
    claim("B-14", Again(_marks.above(_fifo), opposite=_marks.below(_fifo))),
    claim("B-15", Again(_red_used.below(_fifo_used, by=POINTS), opposite=_red_used.above(_fifo_used, by=POINTS))),
    claim("B-16", Again(_active.above(_large_fifo).most("queue"), opposite=_active.below(_large_fifo).most("queue"))),
    claim("B-17", Again(_active_used.below(_large_used, by=POINTS).some("queue"))),
    claim("B-23", Again(_large_red.above(_large_fifo), opposite=_large_red.below(_large_fifo))),
    claim("B-24", Again(_marking.above(_large_fifo).most("queue"), opposite=_marking.below(_large_fifo).most("queue"))),
    claim(
        "M-3",
        Again(
            _active_joint.below(_large_joint).most("queue"),
            opposite=_active_joint.above(_large_joint).most("queue"),
        ),
    ),
    claim("M-4", Again(_marks_joint.above(_red_joint), opposite=_marks_joint.below(_red_joint))),
    claim("M-5", Again(_red_joint.below(_fifo_joint), opposite=_red_joint.above(_fifo_joint))),
)
