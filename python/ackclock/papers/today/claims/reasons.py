"""Why the answers differ: rules on runs in which one thing is changed.

The rules were fixed before these runs. A changed thing is a reason for a verdict if the verdict is another one without
it.
"""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.again import Again
from ackclock.papers.core.rules import Bars, Holds
from ackclock.papers.today.measures import COV, PLAIN_COV
from ackclock.papers.today.parts.burstiness import OVERLOAD
from ackclock.papers.today.parts.reasons import CHANGES, SMOOTHED
from ackclock.papers.today.senders import DEFINITION

claim = partial(DEFINITION.claim, __name__)

_pacing = [
    COV.at("load", sender=f"Paced {law}", clients=OVERLOAD).below(COV.at("load", sender=law, clients=OVERLOAD))
    for law in ("Reno", "CUBIC")
]
_short = COV.at("short FIFO", sender=SMOOTHED)
_usual = COV.at("load", sender=SMOOTHED, clients=OVERLOAD)


def _transfers(change: str) -> Again:
    """Make the rule that asks S-7 of changed transfers."""
    loaded, free = (PLAIN_COV.at("changed transfers", change=change, link=link) for link in ("loaded", "free"))
    return Again(loaded.above(free), opposite=loaded.below(free))


CLAIMS = (
    claim("M-1", Holds(COV.at("back-off").falls("kept"))),
    claim("M-2", Bars(whole=_pacing[0] & _pacing[1], part=_pacing[0] | _pacing[1])),
    claim("M-6", Again(_short.below(_usual), opposite=_short.above(_usual))),
    claim("M-7", Holds(COV.at("apart").near(1, by=0.1))),
    *(claim(key, _transfers(change)) for key, change in zip(("M-8", "M-9"), CHANGES, strict=True)),
)
