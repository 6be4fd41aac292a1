"""The claims that explain: what fills the gateway at the start, what falling together does, what duplicate ACKs do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import command
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW
from ackclock.papers.claims import ELSE_UNDECIDED, Claim, Judgement, graded
from ackclock.papers.reading import along, at, shown, told
from ackclock.papers.truth import above, at_least, every

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side

__all__ = ["OF_RED", "OF_RENO"]

_LOADS = (39, 44, 50, 60)
_PUSH = 0.5
"""Packets of new data for each duplicate ACK that count as pushing."""
_TOGETHER = 1.5
"""How many times the variance of independent windows counts as wild."""
_WILD = 0.5
"""The c.o.v. of the queue that counts as wild: it swings by half of its mean and more."""


def _swings(evidence: Evidence) -> Judgement:
    ratio, queue = (along(evidence.ours.close, "Reno", _LOADS, name) for name in ("window_ratio", "queue_cov"))
    together = every(above(ratio[clients], _TOGETHER) for clients in _LOADS)
    wild = every(above(queue[clients], _WILD) for clients in _LOADS)
    return Judgement(
        verdict=graded(whole=together & wild, part=together | wild),
        why=f"With 60 clients the sum of the windows varies {ratio[60].mean:.1f} times as much as independent windows "
        f"would make it, and the queue by {100 * queue[60].mean:.0f} % of its mean; with 39 clients "
        f"{ratio[39].mean:.1f} times and {100 * queue[39].mean:.0f} %.",
        **told(
            evidence,
            lambda side: ", ".join(
                f"{name} "
                + ", ".join(f"{shown(at(side.close, 'Reno', clients, key), 2)} ({clients})" for clients in (39, 60))
                for name, key in (("variance ratio", "window_ratio"), ("c.o.v. of the queue", "queue_cov"))
            ),
        ),
    )


def _send_buffers(evidence: Evidence) -> Judgement:
    backlog, burst = (at(evidence.ours.starts, "Reno", 20, name) for name in ("backlog", "burst"))
    window = at(evidence.ours.windows, "Reno", 20, "before_first_fall")
    fills, leaves = at_least(backlog, ADVERTISED_WINDOW), ~above(window, burst, times=1 / 0.9)
    return Judgement(
        verdict=graded(whole=fills & leaves, part=fills | leaves),
        why=f"Within the first second up to {backlog.mean:.0f} packets wait in a client, and up to {burst.mean:.1f} "
        f"leave it within a fifth of a round trip, where the window is {window.mean:.1f} packets before it first "
        "falls.",
        **told(
            evidence,
            lambda side: (
                f"{shown(at(side.starts, 'Reno', 20, 'backlog'), 1)} packets wait, "
                f"{shown(at(side.starts, 'Reno', 20, 'burst'), 1)} leave at once"
            ),
        ),
    )


def _pushing(evidence: Evidence) -> Judgement:
    def all_three(side: Side) -> list[Interval]:
        return [at(side.pushes, "Vegas/RED", 60, name) for name in ("pushed", "pushed_loss", "loss")]

    pushed, theirs, usual = all_three(evidence.ours)
    pushes, loses = at_least(pushed, _PUSH), above(theirs, usual)
    return Judgement(
        verdict=graded(whole=pushes & loses, part=pushes | loses),
        why=f"Each duplicate ACK releases {pushed.mean:.2f} packets of new data; RED drops {theirs.mean:.2f} % of "
        f"these, and {usual.mean:.2f} % of all that is sent for the first time.",
        **told(
            evidence,
            lambda side: "{} packets for each; {} % of them lost, {} % of all".format(
                *(shown(one, 2) for one in all_three(side))
            ),
        ),
    )


OF_RENO: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.1-13",
        where="3.2.1; Figure 5",
        text="Sources do not wait for windows: while these are small, send buffers fill, and whole windows leave as "
        "bursts when ACKs arrive.",
        paper="quite high",
        rule="With 20 Reno clients in the first second, on average over the clients. Reproduced if at some moment as "
        "many packets wait as the advertised window holds, and nine tenths of the window before its first fall leave "
        "within a fifth of a round trip; partly if one of the two; otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_send_buffers,
        command=command("Reno", 20, record="packets"),
    ),
    Claim(
        key="3.2.1-14",
        where="3.2.1",
        text="Falling together makes the sum of the windows, and so queue and loss, fluctuate wildly.",
        paper="wild",
        rule=f"With {', '.join(map(str, _LOADS))} Reno clients. Reproduced if with each of them the variance of the "
        "sum of the effective windows is more than 1.5 times the sum of their own variances, which independent clients "
        "would give, and the c.o.v. of the queue is above one half; partly if one of the two; otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_swings,
        command=command("Reno", 39, record="windows/100ms"),
    ),
)

OF_RED: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-13",
        where="3.2.3",
        text="Duplicate ACKs make Vegas push more data into the full RED gateway, which loses more.",
        paper="additional",
        rule="With 60 clients from 20 to 40 s, by what leaves within 13 µs of a duplicate ACK. Reproduced if at least "
        "one packet of new data leaves for every second duplicate ACK, and RED drops a larger share of these than of "
        f"all that is sent for the first time; partly if one of the two; otherwise not. {ELSE_UNDECIDED}",
        judge=_pushing,
        command=command("Vegas/RED", 60, record="acks"),
    ),
)
