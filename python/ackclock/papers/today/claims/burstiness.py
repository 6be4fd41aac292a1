"""Questions of papers 1 to 3 on burstiness, asked of today's senders.

The thresholds were fixed before the runs of the study, from what the papers print where they print numbers. Reno's
c.o.v. was "over 140 %" above Poisson's in heavy congestion; we call traffic bursty from 50 % above on.
Bins of 13 s have 1.3 cycles of BBR's probes of the round-trip time, and 2.6 of BBRv3's; bins of 10 s have whole ones,
which they hide.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.core.evidence import Named
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
from ackclock.papers.today.parts.burstiness import OVERLOAD, SETTINGS, UNEQUAL
from ackclock.papers.today.senders import DEFINITION, TODAY

claim = partial(DEFINITION.claim, __name__)

BURSTY: Final = 1.5
"""C.o.v. relative to Poisson's from which on traffic is called bursty."""

SAWTOOTH: Final = 1 / (3 * math.sqrt(3))
"""C.o.v. in time of a window that grows linearly from W/2 to W again and again: Reno's regular sawtooth."""

OTHERS: Final = Named("all but Reno", [sender for sender in TODAY if sender != "Reno"])
_LIGHT, _MODERATE, _FULL, _CROWDED = 20, 38, 44, 100

_heavy = COV.at("load", sender=TODAY, clients=OVERLOAD)
_plain = {clients: PLAIN_COV.at("load", sender=TODAY, clients=clients) for clients in (_MODERATE, OVERLOAD)}
_used = UTILIZATION.at("load", sender=TODAY, clients=OVERLOAD)
_other_cov, _reno_cov = (COV.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_other_used, _reno_used = (UTILIZATION.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_other_loss, _reno_loss = (LOSS.at("load", sender=who, clients=OVERLOAD) for who in (OTHERS, "Reno"))
_joint = {clients: JOINT.at("load", sender=TODAY, clients=clients) for clients in (_FULL, OVERLOAD, _CROWDED)}
_many = COV.at("1 Gb/s", sender=TODAY, clients=1000)
_slow = LONG_LADDER.at("long", sender=TODAY, seconds=13.0)
_whole_cycles = LONG_LADDER.at("long", sender=TODAY, seconds=10.0)
_changed = {setting: COV.at("settings", sender=TODAY, setting=setting) for setting in SETTINGS}
_unequal = _changed[UNEQUAL]
_crowded = COV.at("load", sender=TODAY, clients=_CROWDED)

CLAIMS = (
    claim("B-1", Again(COV.at("load", sender=TODAY, clients=_LIGHT).near(1, by=0.1))),
    claim("B-2", Again(COV.at("load", sender=TODAY, clients=_MODERATE).at_least(1.05))),
    claim(
        "B-3",
        Again(
            _heavy.at_least(BURSTY),
            opposite=_heavy.below(1),
            elsewhere={setting: _changed[setting].at_least(BURSTY) for setting in SETTINGS},
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
    claim(
        "B-6",
        Again(
            _slow.at_least(BURSTY),
            opposite=_slow.below(1),
            elsewhere={"the length of the bins (10 s)": _whole_cycles.at_least(BURSTY)},
        ),
    ),
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
    claim("B-18", Again(JAIN.at("load", sender=TODAY, clients=OVERLOAD).at_least(0.95))),
    claim("B-19", Again(_other_loss.below(_reno_loss), opposite=_other_loss.above(_reno_loss))),
    claim("B-20", Again(TIMEOUTS.at("load", sender=TODAY, clients=OVERLOAD).at_least(1))),
    claim("B-21", Again(_unequal.at_least(BURSTY), opposite=_unequal.below(1))),
    claim("B-22", Again(_crowded.at_least(BURSTY), opposite=_crowded.below(1))),
)
