"""The paper's two rules, and one question of ours."""

from __future__ import annotations

from ackclock.papers.buffers.measures import UTILIZATION
from ackclock.papers.core.claim import Claim, run_command
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import AtPoints, Bars, Holds
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

PRODUCT = 400
"""The bandwidth-delay product in packets."""

BUSY, NEARLY_BUSY = 99, 95
"""Utilization in per cent from which a link counts as busy, and as nearly busy."""

EFFECT = 1
"""The smallest difference of two utilizations, in points, that counts."""

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


def _command(packets: int) -> str:
    return run_command("examples/buffers.toml", [f"dumbbell.bottleneck.queue.packets={packets}"])


CLAIMS = (
    Claim(
        key="2-1",
        where="2; Figure 1",
        text="A buffer of one bandwidth-delay product keeps a link with a single flow busy all the time.",
        test=Bars(
            whole=_single.pick(packets=PRODUCT).at_least(BUSY), part=_single.pick(packets=PRODUCT).at_least(NEARLY_BUSY)
        ),
        command=_command(PRODUCT),
    ),
    Claim(
        key="2-2",
        where="2; Figure 1",
        text="With a smaller buffer the link of a single flow goes idle.",
        test=AtPoints(_smaller.below(BUSY), points="buffers"),
        command=_command(100),
    ),
    Claim(
        key="3-1",
        where="abstract, 3; Figure 1",
        text="With n flows, a buffer of the bandwidth-delay product over the square root of n is enough.",
        test=AtPoints(*(shared.at_least(BUSY) for shared in _shared.values()), points="numbers of flows"),
        command=_command(50),
    ),
    Claim(
        key="3-2",
        where="3",
        text="The rule needs flows that are not in step: with equal delays 64 flows use less of the link.",
        origin="ours",
        test=Holds(_many.pick(packets=50).above(_alike.pick(packets=50), by=EFFECT)),
        shows={"different": _many, "equal": _alike},
        command=_command(50),
    ),
)

TOPICS = (
    Topic(
        key="3-1",
        leads={
            Verdict.REPRODUCED: "The bandwidth-delay product over the square root of n flows is enough.",
            Verdict.PARTLY: "The bandwidth-delay product over the square root of n flows is mostly enough.",
            Verdict.NOT: "The bandwidth-delay product over the square root of n flows is not enough.",
        },
        also=("2-1",),
    ),
)
