"""What the paper says of its captured trace: its protocols, and the Hurst parameter of Figure 3."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from ackclock.papers.claims import Claim, Judgement, by_share, graded
from ackclock.papers.reading import DASH, listed
from ackclock.papers.selfsimilar.paper import TRACE
from ackclock.papers.selfsimilar.trace import STAND_IN
from ackclock.papers.selfsimilar.trace_figures import estimate
from ackclock.papers.truth import NO, exactly

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.selfsimilar.evidence import Evidence
    from ackclock.papers.selfsimilar.trace import Trace

__all__ = ["TRACE_CLAIM"]

_DOMINATES: Final = 90.0
"""Per cent of all packets."""


def _judge(evidence: Evidence) -> Judgement:
    trace = evidence.trace
    if trace is not None and not trace.simulated:
        return _of_capture(trace, evidence.shares)
    shares = evidence.shares
    stands = "" if trace is None else f"; the stand-in has {_mix(trace)}"
    return Judgement(
        verdict=graded(whole=NO, part=exactly(_fit(shares))),
        ours=f"TCP {100 * shares['TCP'] / shares['IP']:.1f} % of IP, if the parts are of all packets{stands}",
        ns2=DASH,
        why=f"{_sum(shares)} The capture is not public, so that nobody can count again, and its Hurst parameter of "
        f"{TRACE['hurst']:g} is not judged.",
        command="" if trace is None else f"ackclock capture {STAND_IN}",
    )


def _of_capture(trace: Trace, shares: Mapping[str, float]) -> Judgement:
    sizes, bytes_, _ = trace.memory
    dominates = trace.shares["TCP"] >= _DOMINATES
    notices = [
        f"On {each.name}: {each.found.notices[0] if each.found else 'Too few values, or all are the same.'}"
        for each in (sizes, bytes_)
    ]
    return Judgement(
        verdict=by_share([exactly(holds) for holds in (dominates, sizes.long_range, bytes_.long_range)]),
        ours=f"{_mix(trace)} of {trace.capture.packets:,} packets; H of f(t) {estimate(sizes, 'kettani_gubner')}, with "
        f"one lag {estimate(sizes, 'kettani_gubner_k1')}",
        ns2=DASH,
        why=f"{trace.capture.path.name} is judged: {trace.shares['TCP']:.1f} % of its packets are TCP, which "
        f"dominates from {_DOMINATES:g} % on. {' '.join(notices)} In the paper {_sum(shares)}",
        command=shlex.join(["ackclock", "capture", str(trace.capture.path)]),
    )


def _mix(trace: Trace) -> str:
    return listed([f"{name} {share:.2f} %" for name, share in trace.shares.items()])


def _fit(shares: Mapping[str, float]) -> bool:
    return abs(shares["TCP"] + shares["UDP"] - shares["IP"]) < 0.005


def _sum(shares: Mapping[str, float]) -> str:
    just, end = ("just", ": the numbers fit together if all are parts of all packets") if _fit(shares) else ("not", "")
    return f"TCP and UDP add up to {shares['TCP'] + shares['UDP']:.2f} %, {just} the part of IP in all packets{end}."


TRACE_CLAIM: Claim[Evidence] = Claim(
    key="5-1",
    where="5, Figure 3",
    text="TCP dominates the captured trace: 90.7 % of the Internet traffic is TCP and 5.84 % UDP; f(t) has memory.",
    paper="IP 96.54 %; TCP 90.7 %, UDP 5.84 %; H = 0.88",
    rule="Of a capture that is given (--capture) three things are asked: whether 90 % of its packets are TCP, and "
    "whether long-range dependence is claimed of f(t), packet by packet, and of the bytes per bin. Reproduced if all "
    "are so, partly if two. Without one only the printed numbers can be checked: partly if the parts of TCP and UDP "
    "add up to that of IP, otherwise not reproduced.",
    judge=_judge,
    command="ackclock capture trace.pcap",
)
"""Judged by the printed numbers alone where there is no capture."""
