"""The question of the papers' clusters, asked of today's senders: what decides how long an all-to-one exchange takes.

The rule was fixed before the runs of the study: timers decide if the slowest of 200 answers takes at least the smallest
timeout of 200 ms, and at most a tenth of this with a smallest timeout of 1 ms. The link carries all answers in 11 ms.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.today.many_measures import SLOWEST
from ackclock.papers.today.parts.incast import FINE, USUAL
from ackclock.papers.today.senders import DEFINITION, TODAY

claim = partial(DEFINITION.claim, __name__)

COUNT: Final = 200
TIMEOUT: Final = 200
QUICK: Final = 20

_usual, _fine = (SLOWEST.at("incast", sender=TODAY, nodes=COUNT, floor=floor) for floor in (USUAL, FINE))

CLAIMS = (claim("C-1", Again(_usual.at_least(TIMEOUT) & _fine.at_most(QUICK))),)
