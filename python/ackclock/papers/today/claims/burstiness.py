"""Questions of papers 1 to 3 on burstiness, asked of today's senders, and why the answers differ.

The thresholds were fixed before the runs of the study, from what the papers print where they print numbers. Reno's
c.o.v. was "over 140 %" above Poisson's in heavy congestion; we call traffic bursty from 50 % above on.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import Bars, Holds
from ackclock.papers.today.measures import (
    COV,
    JAIN,
    JOINT,
    LONG_LADDER,
    LOSS,
    PLAIN_COV,
    TIMEOUTS,
    UTILIZATION,
    WINDOW_COV,
)
from ackclock.papers.today.parts.burstiness import ACTIVE, OVERLOAD, SETTINGS
from ackclock.papers.today.senders import DEFINITION, TODAY

claim = partial(DEFINITION.claim, __name__)

BURSTY: Final = 1.5
"""C.o.v. relative to Poisson's from which on traffic is called bursty."""

SAWTOOTH: Final = 1 / (3 * math.sqrt(3))
"""C.o.v. in time of a window that grows linearly from W/2 to W again and again: Reno's regular sawtooth."""

POINTS: Final = 0.5
"""Percentage points of utilization that count as a difference."""

OTHERS: Final = Named("all but Reno", [sender for sender in TODAY if sender != "Reno"])
_LIGHT, _MODERATE, _FULL, _CROWDED = 20, 38, 44, 100

_heavy = COV.at("load", sender=TODAY, clients=OVERLOAD)
_plain = {clients: PLAIN_COV.at("load", sender=TODAY, clients=clients) for clients in (_MODERATE, OVERLOAD)}
_used = UTILIZATION.at("load", sender=TODAY, clients=OVERLOAD)
_red = {signal: COV.at("RED", sender=TODAY, signal=signal) for signal in ("drops", "marks")}
_red_used = UTILIZATION.at("RED", sender=TODAY, signal="drops")
_active = COV.at("queues", sender=TODAY, queue=ACTIVE)
_active_used = UTILIZATION.at("queues", sender=TODAY, queue=ACTIVE)
_active_joint = JOINT.at("queues", sender=TODAY, queue=ACTIVE)
_fifo_joint = JOINT.at("queues", sender=TODAY, queue="FIFO")
_fifo = COV.at("queues", sender=TODAY, queue="FIFO")
_fifo_used = UTILIZATION.at("queues", sender=TODAY, queue="FIFO")
_other_cov, _reno_cov = (COV.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_other_used, _reno_used = (UTILIZATION.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_other_loss, _reno_loss = (LOSS.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_joint = {clients: JOINT.at("load", sender=TODAY, clients=clients) for clients in (_FULL, OVERLOAD, _CROWDED)}
_many = COV.at("1 Gb/s", sender=TODAY, clients=1000)
_slow = LONG_LADDER.at("long", sender=TODAY, seconds=10.0)

CLAIMS = (
    claim("B-1", Again(COV.at("load", sender=TODAY, clients=_LIGHT).near(1, by=0.1))),
    claim("B-2", Again(COV.at("load", sender=TODAY, clients=_MODERATE).at_least(1.05))),
    claim(
        "B-3",
        Again(
            _heavy.at_least(BURSTY),
            opposite=_heavy.below(1),
            elsewhere={
                setting: COV.at("settings", sender=TODAY, setting=setting).at_least(BURSTY) for setting in SETTINGS
            },
        ),
    ),
    claim(
        "B-4",
        Again(
            _plain[OVERLOAD].above(_plain[_MODERATE]),
            opposite=_plain[OVERLOAD].below(_plain[_MODERATE]),
        ),
    ),
    claim(
        "B-5",
        Again(
            _many.at_least(BURSTY),
            opposite=_many.below(1),
            elsewhere={"the window per stream": COV.at("1 Gb/s, 20 ms", sender=TODAY).at_least(BURSTY)},
        ),
    ),
    claim("B-6", Again(_slow.at_least(BURSTY), opposite=_slow.below(1))),
    claim("B-7", Again(_other_cov.below(_reno_cov), opposite=_other_cov.above(_reno_cov))),
    claim(
        "B-8",
        Again(
            _other_used.above(_reno_used) & _other_loss.below(_reno_loss),
            opposite=_other_used.below(_reno_used) & _other_loss.above(_reno_loss),
        ),
    ),
    claim("B-9", Again(WINDOW_COV.at("load", sender=TODAY, clients=OVERLOAD).at_least(SAWTOOTH))),
    claim("B-10", Again(_joint[OVERLOAD].at_least(2), opposite=_joint[OVERLOAD].below(1))),
    claim(
        "B-11",
        Again(
            _joint[_CROWDED].above(_joint[_FULL]),
            opposite=_joint[_CROWDED].below(_joint[_FULL]),
        ),
    ),
    claim("B-12", Again(_used.below(99))),
    claim("B-13", Again(_red["drops"].above(_heavy), opposite=_red["drops"].below(_heavy))),
    claim("B-14", Again(_red["marks"].above(_heavy), opposite=_red["marks"].below(_heavy))),
    claim("B-15", Again(_red_used.below(_used, by=POINTS), opposite=_red_used.above(_used, by=POINTS))),
    claim(
        "B-16",
        Again(_active.above(_fifo).most("queue"), opposite=_active.below(_fifo).most("queue")),
    ),
    claim("B-17", Again(_active_used.below(_fifo_used, by=POINTS).most("queue"))),
    claim("B-18", Again(JAIN.at("load", sender=TODAY, clients=OVERLOAD).at_least(0.95))),
    claim("B-19", Again(_other_loss.below(_reno_loss), opposite=_other_loss.above(_reno_loss))),
    claim("B-20", Again(TIMEOUTS.at("load", sender=TODAY, clients=OVERLOAD).at_least(1))),
    claim(
        "M-3",
        Again(
            _active_joint.below(_fifo_joint).most("queue"),
            opposite=_active_joint.above(_fifo_joint).most("queue"),
        ),
    ),
    claim("M-1", Holds(COV.at("back-off").falls("kept"))),
    claim(
        "M-2",
        Bars(
            whole=COV.at("load", sender="Paced Reno", clients=OVERLOAD).below(_reno_cov)
            & COV.at("load", sender="Paced CUBIC", clients=OVERLOAD).below(
                COV.at("load", sender="CUBIC", clients=OVERLOAD)
            ),
            part=COV.at("load", sender="Paced Reno", clients=OVERLOAD).below(_reno_cov)
            | COV.at("load", sender="Paced CUBIC", clients=OVERLOAD).below(
                COV.at("load", sender="CUBIC", clients=OVERLOAD)
            ),
        ),
    ),
)
