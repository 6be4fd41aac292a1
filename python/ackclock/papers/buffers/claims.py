"""Claims on router buffers: the paper's two rules, and one claim of our own."""

from __future__ import annotations

from functools import partial

from ackclock.papers.buffers.measures import UTILIZATION
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import AtPoints, Bars, Holds

DEFINITION = Definition("ackclock.papers.buffers")
claim = partial(DEFINITION.claim, __name__)

PRODUCT = 400
"""The bandwidth-delay product in packets."""

BUSY, NEARLY_BUSY = 99, 95
"""Utilization in per cent from which a link counts as busy, and as nearly busy."""

EFFECT = 1
"""The smallest difference of two utilizations that counts, in percentage points."""

_single = UTILIZATION.at("grid", variant="1 flow", packets=(12, 25, 50, 100, 200, 400))
_smaller = UTILIZATION.at(
    "grid", variant="1 flow", packets=Named("less than one bandwidth-delay product", (12, 25, 50, 100, 200))
)
_shared = {
    flows: UTILIZATION.at("grid", variant=f"{flows} flows", packets=round(PRODUCT / flows**0.5))
    for flows in (4, 16, 64)
}
_many = UTILIZATION.at("grid", variant="64 flows", packets=(25, 50, 100))
_alike = UTILIZATION.at("alike", variant="64 flows, equal delays", packets=(25, 50, 100))


CLAIMS = (
    claim(
        "2-1",
        Bars(
            whole=_single.pick(packets=PRODUCT).at_least(BUSY), part=_single.pick(packets=PRODUCT).at_least(NEARLY_BUSY)
        ),
    ),
    claim("2-2", AtPoints(_smaller.below(BUSY), points="buffers")),
    claim("3-1", AtPoints(*(shared.at_least(BUSY) for shared in _shared.values()), points="numbers of flows")),
    claim(
        "3-2",
        Holds(_many.pick(packets=50).above(_alike.pick(packets=50), by=EFFECT)),
        shows={"different": _many, "equal": _alike},
    ),
)
