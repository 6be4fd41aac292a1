"""Causes: claims on how one factor changes the goodput of Vegas, tested at points that differ in that factor alone."""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.answers import Answers
from ackclock.papers.core.rules import AtPoints, Bars
from ackclock.papers.vegas import measures as m
from ackclock.papers.vegas.evidence import FEW, LEAST, LONG, SHORT, TIED, WHOLE
from ackclock.papers.vegas.experiment import DEFINITION, GREEDY, OPEN, POISSON, TRANSFERS

claim = partial(DEFINITION.claim, __name__)
_LONGER = 0.005  # the smallest difference between two smallest round-trip times that counts, s

_NEAR = 0.02  # the largest relative difference from `leftover` that counts as equal

_at_1, _at_10 = (m.RATIO.at("papers", start=start, gateway="FIFO", vegas=20, buffer=1500) for start in (1, 10))
_more = _at_1.above(_at_10, by=m.EFFECT)
_ends = m.RATIO.at("papers", start=1)
_busy = {
    name: m.RATIO.at("halves", application=name, start=10, gateway="FIFO", buffer=50) for name in (OPEN, TRANSFERS)
}
_slower = (
    m.VEGAS_TIME.at("idle")
    .above(m.RENO_TIME.at("idle"))
    .called("a transfer takes Vegas longer than Reno on a link that is hardly used")
)
_less = (
    _busy[OPEN]
    .above(_busy[TRANSFERS], by=m.EFFECT)
    .called(
        f"the Vegas/Reno goodput ratio (buffer of 50) is more than {m.EFFECT} lower with transfers than with greedy"
    )
)


def _higher(one: str, other: str) -> Answers:
    """Ask whether the ratio behind a large buffer is higher with one application than with another."""
    higher, lower = (
        m.RATIO.at("halves", application=name, start=(0, 10), gateway="FIFO", buffer=(1500, 3000))
        for name in (one, other)
    )
    words = f"the Vegas/Reno goodput ratio is more than {m.EFFECT} higher with {one} than with {other}"
    return higher.above(lower, by=m.EFFECT).called(words)


def _with_least(buffers: tuple[int, ...], words: str) -> Answers:
    """Ask whether Vegas gets more with the smallest sample as its base RTT."""
    usual = m.RATIO.at("halves", application=(POISSON, OPEN), start=(0, 10), gateway="FIFO", buffer=buffers)
    return (
        m.RATIO.at("least", base=LEAST, buffer=buffers)
        .above(usual, by=m.EFFECT)
        .called(
            f"with {words} the smallest sample as base RTT raises the Vegas/Reno goodput ratio by more than {m.EFFECT}",
            f"with {words} the smallest sample as base RTT does not raise the ratio by more than {m.EFFECT}",
        )
    )


CAUSES = (
    claim(
        "W-1",
        AtPoints(
            (
                m.RATIO.at("arrivals", queue=LONG).above(m.RATIO.at("arrivals", queue=SHORT), by=m.EFFECT)
                & m.RTT_LEAST.at("arrivals", queue=LONG).above(m.RTT_LEAST.at("arrivals", queue=SHORT), by=_LONGER)
            ).called(
                "if Vegas starts with the longer queue, the Vegas/Reno goodput ratio is more than "
                f"{m.EFFECT} higher and the smallest RTT of Vegas more than {1e3 * _LONGER:g} ms longer"
            ),
            points="pairs of starts",
        ),
    ),
    claim(
        "W-2",
        Bars(whole=_more & _at_1.at_least(m.HELD), part=_more),
        shows={
            f"met_{start}": m.QUEUE_MET.at("papers", start=start, gateway="FIFO", vegas=20, buffer=1500)
            for start in (1, 10)
        },
    ),
    claim(
        "W-3",
        AtPoints(~m.RATIO.at("whole", measured=WHOLE).near(_ends, by=m.ALIKE), points="ends of the papers' curves"),
    ),
    claim(
        "W-4",
        AtPoints(m.RATIO.at("light", rate=FEW).at_least(m.HELD), points="buffers"),
        shows={"usual": m.RATIO.at("halves", application=POISSON, start=10, gateway="FIFO")},
    ),
    claim(
        "W-5",
        AtPoints(
            m.OVER_LEFTOVER.at(
                "map", application=POISSON, gateway="FIFO", buffer=1500, vegas=(30, 45, 57), start=(0, 10)
            ).near(1, by=_NEAR)
        ),
    ),
    claim("W-6", AtPoints(_higher(POISSON, OPEN), points="points with 1,500 and 3,000 packets")),
    claim("W-7", AtPoints(_higher(GREEDY, OPEN), points="points with 1,500 and 3,000 packets")),
    claim(
        "W-8", AtPoints(~m.RATIO.at("ties", senders=TIED).near(_ends, by=m.EFFECT), points="ends of the papers' curves")
    ),
    claim(
        "W-9",
        AtPoints(_with_least((10, 50), "buffers up to 50"), ~_with_least((500, 1500, 3000), "buffers from 500 on")),
    ),
    claim("W-10", Bars(whole=_slower & _less, part=_slower | _less), shows={"used": m.UTILIZATION.at("idle")}),
)
