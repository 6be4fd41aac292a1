"""Every claim of the short paper with its rule, and the claims that sum it up.

Keys count the paper's sections, with the heterogeneous case as the fourth of five.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import command as plain_command
from ackclock.papers.burstiness.measures import THROUGHPUT
from ackclock.papers.core.claim import Claim
from ackclock.papers.core.quantities import computed
from ackclock.papers.core.rules import Bars
from ackclock.papers.heterogeneous.claims.newcomers import END, LARGE, SMALL, close, command
from ackclock.papers.heterogeneous.claims.repeated import repeated
from ackclock.papers.heterogeneous.claims.sharing import HALF
from ackclock.papers.heterogeneous.experiment import SCENES
from ackclock.papers.heterogeneous.measures import ALL_GAIN, RATIO, SLOPE
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.quantities import Quantity

_SMALL, _LARGE = SCENES[:2]
_OTHERS = {claim.key: claim for claim in HALF}

_slope = SLOPE.at("scales", variant="Reno", clients=(39, 44, 50, 60))


def _all(questions: list[Answers], words: str) -> Answers:
    first, *rest = questions
    for one in rest:
        first &= one
    return first.called(words)


def _gain(end: str) -> Quantity:
    """Give by how many per cent 60 Vegas clients carry more than 60 Reno clients."""
    return computed(
        lambda vegas, reno: 100 * (vegas / reno - 1),
        *(THROUGHPUT.at("grid", variant=f"{kind}{end}", clients=60) for kind in ("Vegas", "Reno")),
        words=f"gain of 60 Vegas clients relative to 60 of Reno{end}",
        unit="%",
    )


_gains = [
    (_gain(end), ALL_GAIN.at("pairs", background=20, gateway=gateway, added=END[20]))
    for end, gateway in zip(("", "/RED"), SMALL, strict=True)
]
_better = _all(
    [gain.above(0) for pair in _gains for gain in pair],
    "behind FIFO and RED of 50 packets, 60 clients together carry more with Vegas than with Reno, both if all run the "
    "same TCP and if 40 are added to 20 Reno clients",
)
_smaller = _all([alone.above(mixed) for alone, mixed in _gains], "the gain is smaller if 20 Reno clients stay")
_ends = {gateway: RATIO.at("pairs", background=20, gateway=gateway, added=END[20]) for gateway in (*SMALL, *LARGE)}
_wins = {
    gateways: _all(
        [_ends[one].above(1) for one in gateways], f"Vegas gets more than Reno behind every gateway of {gateways.name}"
    )
    for gateways in (SMALL, LARGE)
}
_larger = _wins[SMALL] & _all(
    [_ends[small].above(_ends[large]) for small in SMALL for large in LARGE],
    "the advantage of Vegas is larger there than behind any gateway of 1,500 packets",
)


def _beside(key: str, of: str, where: str) -> Claim:
    """Make a claim that has the rule of one of the heterogeneous paper's, on newcomers."""
    return replace(_OTHERS[of], key=key, where=where)


CLAIMS = (
    Claim(
        key="0-1",
        where="abstract",
        text="The TCP stack itself induces much of the self-similar behaviour of network traffic.",
        test=Bars(whole=_slope.above(-0.4).every(), part=_slope.above(-0.5).most()),
        why="From bins of one round-trip time to bins of 10 s, Reno's c.o.v. is proportional to a power of the length "
        "of the bins. The exponent is {slope}. It is -0.5 for traffic without memory, and nearer to 0 for "
        "self-similar traffic.",
        shows={"slope": _slope},
        command=plain_command("Reno", 60, record="arrivals/100ms"),
    ),
    repeated(
        "0-2",
        "3.2.3-2",
        "abstract; Figure 3",
        text="With RED gateways performance degrades even further.",
    ),
    repeated(
        "0-3",
        "3.2.3-1",
        "abstract; Figure 2",
        text="Performance degrades because of the extra burstiness which the RED gateway itself induces.",
    ),
    repeated("2-1", "0-1", "2; Figure 2"),
    repeated("3-1", "3.2-1", "3, TCP Reno vs. TCP Vegas; Figure 2"),
    repeated("3-2", "3.2-2", "3, homogeneous case; Figure 2"),
    repeated("3-3", "3.2-3", "3, homogeneous case"),
    repeated("3-4", "3.2-4", "3, homogeneous case; Figure 2"),
    repeated("3-5", "3.2-5", "3, homogeneous case; Figure 2"),
    repeated("3-6", "3.2-6", "3, homogeneous case; Figure 2"),
    repeated("3-7", "3.2-7", "3, homogeneous case; Figures 3, 4"),
    repeated("3-8", "3.2-8", "3, homogeneous case; Figures 3, 4"),
    repeated("3-9", "3.2-9", "3, homogeneous case; Figure 2"),
    repeated("3-10", "3.2-10", "3, homogeneous case; Figure 2"),
    repeated("3-11", "3.2-11", "3, homogeneous case; Figure 2"),
    repeated("3-12", "3.2-12", "3, homogeneous case; Figures 3, 4"),
    repeated("3-13", "3.2.1-12", "2; 3, homogeneous case"),
    repeated(
        "4-1",
        "4-3",
        "3, heterogeneous case; Figures 3, 4",
        text="The network performs better where all connections run Vegas than where all run Reno.",
    ),
    _beside("4-2", "3.2.1-1", "3, heterogeneous case; Figure 5"),
    _beside("4-3", "3.2.1-2", "3, heterogeneous case; Figure 6"),
    _beside("4-4", "3.2.1-3", "3, heterogeneous case"),
    Claim(
        key="4-5",
        where="3, heterogeneous case; Figure 7",
        text="With a buffer of 1500 the throughputs are in all cases relatively close together.",
        test=close(20, 0.1),
        command=command(_LARGE, "Vegas", 40),
    ),
    _beside("4-6", "3.2.1-5", "3, heterogeneous case; Figures 6, 8"),
    repeated(
        "5-1",
        "4-1",
        "4",
        text="Reno's probing makes its congestion windows fluctuate rapidly and continually.",
    ),
    repeated("5-2", "3.2.1-10", "4"),
    repeated("5-3", "4-2", "4; Figure 2"),
    repeated("5-4", "3.2.2-4", "4; Figure 2", text="Vegas does not modulate the traffic to be as bursty as Reno does."),
    Claim(
        key="5-5",
        where="4; Figures 3, 5",
        text="Vegas outperforms Reno in both the homogeneous and the heterogeneous case, though the differences in "
        "overall performance are noticeably smaller in the latter.",
        test=Bars(whole=_better & _smaller, part=_better),
        command=command(_SMALL, "Vegas", 40),
    ),
    Claim(
        key="5-6",
        where="4; Figures 5, 7",
        text="Vegas performs better than Reno, particularly with smaller buffers.",
        test=Bars(whole=_larger & _wins[LARGE], part=_larger),
        command=command(_LARGE, "Vegas", 40),
    ),
)
TOPICS = (
    Topic(
        key="0-1",
        leads={
            Verdict.REPRODUCED: "TCP alone makes traffic self-similar.",
            Verdict.PARTLY: "TCP makes traffic somewhat self-similar.",
            Verdict.NOT: "TCP makes traffic burstier, but not self-similar.",
        },
        also=("5-3",),
    ),
    Topic(
        key="4-2",
        leads={
            Verdict.REPRODUCED: "With a small buffer Vegas gets more than Reno would.",
            Verdict.PARTLY: "With a small buffer Vegas mostly gets more than Reno would.",
            Verdict.NOT: "Even with a small buffer Vegas gets no more than Reno would.",
            Verdict.DEPENDS: "Whether Vegas gets more with a small buffer depends on RED's weight.",
        },
        also=("4-3",),
    ),
    Topic(
        key="5-6",
        leads={
            Verdict.REPRODUCED: "The smaller the buffer, the larger Vegas' advantage.",
            Verdict.PARTLY: "Vegas has the advantage with the small buffer, and not with the large one.",
            Verdict.NOT: "Vegas' advantage does not depend on the buffer as the paper says.",
        },
        also=("4-5", "4-6"),
    ),
    Topic(
        key="5-5",
        leads={
            Verdict.REPRODUCED: "Vegas helps all clients, and helps less if some stay with Reno.",
            Verdict.PARTLY: "Vegas helps all clients, and helps no less if some stay with Reno.",
            Verdict.NOT: "Vegas does not always help all clients.",
        },
    ),
)
