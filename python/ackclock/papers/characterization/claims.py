"""Every claim of the short paper with the rule that judges it, and which of them sum the paper up."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval
from ackclock.papers.burstiness.claims.reading import command as plain_command
from ackclock.papers.burstiness.measures import thousand_departures
from ackclock.papers.claims import ELSE_UNDECIDED, Claim, Judgement, graded
from ackclock.papers.heterogeneous.claims import newcomers
from ackclock.papers.heterogeneous.claims.reading import STARTED, command, edges, factors
from ackclock.papers.heterogeneous.claims.repeated import repeated
from ackclock.papers.heterogeneous.claims.sharing import HALF
from ackclock.papers.heterogeneous.experiment import SCENES
from ackclock.papers.heterogeneous.measures import throughput
from ackclock.papers.reading import along, shown, told
from ackclock.papers.summary import Topic
from ackclock.papers.truth import above, counted, every, most
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.heterogeneous.evidence import Evidence, Side
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS", "TOPICS"]

_SMALL, _LARGE = SCENES[:2]
_OTHERS = {claim.key: claim for claim in HALF}
_LOADS = (39, 44, 50, 60)


def _self_similar(evidence: Evidence) -> Judgement:
    def slopes(side: Side) -> dict[int, Interval]:
        return along(side.scales, "Reno", _LOADS, "slope")

    found = slopes(evidence.ours)
    strong = every(above(slope, -0.4) for slope in found.values())
    weak = most(above(slope, -0.5) for slope in found.values())
    return Judgement(
        verdict=graded(whole=strong, part=weak),
        why="From bins of a round trip to bins of 10 s Reno's c.o.v. is proportional to a power of their length: "
        + ", ".join(f"{slope.mean:.2f} ({clients})" for clients, slope in found.items())
        + "; the exponent is -0.5 without memory, and nearer to 0 where traffic is self-similar.",
        **told(
            evidence,
            lambda side: (
                "slope " + ", ".join(f"{shown(slope, 2)} ({clients})" for clients, slope in slopes(side).items())
            ),
        ),
    )


def _smaller_together(evidence: Evidence) -> Judgement:
    def gains(side: Side) -> dict[str, tuple[Interval, Interval]]:
        """Give by how many per cent Vegas makes all carry more than Reno: all alike, and added to 20 Reno clients."""
        return {
            gateway.removeprefix("/") or "FIFO": (
                _gain(side.alone.grid, gateway, 60, thousand_departures),
                _gain(side.scenes[_SMALL], gateway, _SMALL.most, throughput()),
            )
            for gateway in _SMALL.gateways
        }

    def say(side: Side) -> str:
        return "Gain of Vegas, with all clients alike and added to 20 Reno clients: " + ", ".join(
            f"{name} {shown(alone, 1)} and {shown(mixed, 1)} %" for name, (alone, mixed) in gains(side).items()
        )

    found = gains(evidence.ours)
    better = [above(mixed, 0) & above(alone, 0) for alone, mixed in found.values()]
    smaller = [above(alone, mixed) for alone, mixed in found.values()]
    return Judgement(
        verdict=graded(whole=every(better) & every(smaller), part=every(better)),
        why="With 60 clients, all together clearly carry more with Vegas than with Reno in both cases behind "
        f"{counted(better, 'gateways')} of 50 packets; where 20 clients stay with Reno the gain is clearly smaller "
        f"behind {counted(smaller, 'gateways')}.",
        **told(evidence, say),
    )


def _gain(
    runs: Sequence[Observation], gateway: str, clients: int, measure: Callable[[Observation], float | None]
) -> Interval:
    """Give by how many per cent Vegas is above Reno, from pairs of one seed."""
    of = {
        name: {run.seed: measure(run) for run in runs if (run.variant, run.clients) == (f"{name}{gateway}", clients)}
        for name in ("Vegas", "Reno")
    }
    pairs = [(vegas, of["Reno"].get(seed)) for seed, vegas in of["Vegas"].items()]
    return student_interval([100 * (vegas / reno - 1) for vegas, reno in pairs if vegas and reno])


def _small_buffers(evidence: Evidence) -> Judgement:
    def ends(side: Side, scene: Scene) -> dict[str, Interval]:
        found = edges(side.scenes[scene], scene, (scene.most,))
        return {gateway: points[scene.most] for gateway, points in found.items()}

    small, large = (ends(evidence.ours, scene) for scene in (_SMALL, _LARGE))
    wins = [[above(end, 1) for end in found.values()] for found in (small, large)]
    more = [above(few, many) for few in small.values() for many in large.values()]
    larger = every(wins[0]) & every(more)
    return Judgement(
        verdict=graded(whole=larger & every(wins[1]), part=larger),
        why=f"With 40 added clients Vegas gets clearly more than Reno behind {counted(wins[0], 'gateways')} of 50 "
        f"packets and behind {counted(wins[1], 'gateways')} of 1500; its advantage is clearly larger with the smaller "
        f"buffer in {counted(more, 'pairs')}.",
        **told(
            evidence,
            lambda side: (
                "Vegas' goodput over Reno's: "
                + "; ".join(
                    f"buffer {scene.buffer}: {factors(edges(side.scenes[scene], scene, (scene.most,)))}"
                    for scene in (_SMALL, _LARGE)
                )
            ),
        ),
    )


def _beside(key: str, of: str, where: str, *, text: str = "", paper: str = "") -> Claim[Evidence]:
    """Make a claim that has the rule of one of the heterogeneous paper's, on newcomers."""
    claim = _OTHERS[of]
    return dataclasses.replace(claim, key=key, where=where, text=text or claim.text, paper=paper or claim.paper)


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="0-1",
        where="abstract",
        text="The TCP stack itself induces much of the self-similar behaviour of network traffic.",
        paper="much",
        rule=f"By the slope of log c.o.v. against the log of the bins' length, from 0.1 to 10 s and without the first "
        f"20 s, of {', '.join(map(str, _LOADS))} Reno clients, whose sources have no memory: reproduced if it is "
        "above -0.4 (a Hurst parameter of 0.6) at each of these client counts; partly if above -0.5 at more than half; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_self_similar,
        command=plain_command("Reno", 60, record="arrivals/100ms"),
    ),
    repeated(
        "0-2",
        "3.2.3-2",
        "abstract; Figure 3",
        text="With RED gateways performance degrades even further.",
        paper="even further",
    ),
    repeated(
        "0-3",
        "3.2.3-1",
        "abstract; Figure 2",
        text="That is due to the extra burstiness which the RED gateway itself induces.",
        paper="extra",
    ),
    repeated("2-1", "0-1", "2; Figure 2", paper="modulate"),
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
        paper="relatively close",
        rule="Beside 20 Reno clients: reproduced if Vegas' goodput over Reno's is within 10 % of 1 at every point; "
        "partly if at most points, or at every point where the link is not full; otherwise not reproduced. "
        f"{ELSE_UNDECIDED}{STARTED}",
        judge=newcomers.close_throughput(_LARGE, 0.1),
        command=command(_LARGE, "Vegas", 40),
    ),
    _beside("4-6", "3.2.1-5", "3, heterogeneous case; Figures 6, 8"),
    repeated(
        "5-1",
        "4-1",
        "4",
        text="Reno's probing makes its congestion windows fluctuate rapidly and continually.",
    ),
    repeated("5-2", "3.2.1-10", "4", paper="increases"),
    repeated("5-3", "4-2", "4; Figure 2", paper="does not"),
    repeated("5-4", "3.2.2-4", "4; Figure 2", text="Vegas does not modulate the traffic to be as bursty as Reno does."),
    Claim(
        key="5-5",
        where="4; Figures 3, 5",
        text="Vegas outperforms Reno in both the homogeneous and the heterogeneous case, though the differences in "
        "overall performance are noticeably smaller in the latter.",
        paper="noticeably smaller",
        rule="By what all 60 clients together carry, behind FIFO and RED of 50 packets: reproduced if it is more with "
        "Vegas than with Reno, all alike and added to 20 Reno clients, and the gain is smaller in the second case; "
        f"partly if it is only more; otherwise not. {ELSE_UNDECIDED}",
        judge=_smaller_together,
        command=command(_SMALL, "Vegas", 40),
    ),
    Claim(
        key="5-6",
        where="4; Figures 5, 7",
        text="Vegas performs better than Reno, particularly with smaller buffers.",
        paper="particularly",
        rule="With 40 clients added to 20: reproduced if Vegas gets more than Reno behind every gateway of either "
        "size, and its advantage is larger with 50 packets; partly if it is larger and Vegas gets more with 50 only; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_small_buffers,
        command=command(_LARGE, "Vegas", 40),
    ),
)
"""In the order of the paper; keys count its sections, with the heterogeneous case as the fourth of five."""

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
            Verdict.REPRODUCED: "Vegas helps all, and less where some clients stay with Reno.",
            Verdict.PARTLY: "Vegas helps all, and no less where some clients stay with Reno.",
            Verdict.NOT: "Vegas does not always help all.",
        },
    ),
)
"""Told at the head of the report, after the tally."""
