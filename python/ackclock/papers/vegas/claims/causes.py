"""Causes: claims on how one factor changes the goodput of Vegas, tested at points that differ in that factor alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.core.claim import Claim
from ackclock.papers.core.rules import AtPoints, Bars
from ackclock.papers.vegas import measures as m
from ackclock.papers.vegas.claims.command import command
from ackclock.papers.vegas.evidence import FEW, IDLE, LEAST, LIGHT, LONG, SHORT, TIED, WHOLE, papers
from ackclock.papers.vegas.experiment import GREEDY, OPEN, POISSON, TRANSFERS, Place

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers

_OURS = "asked here"

_LONGER = 0.005  # the smallest difference of two least round-trip times that counts, s

_NEAR = 0.02  # the largest relative distance from the leftover that counts as equal

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
        f"the Vegas/Reno goodput ratio behind 50 packets is more than {m.EFFECT} lower with transfers than with greedy"
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
    """Ask whether Vegas gets more with the least sample as its base RTT."""
    usual = m.RATIO.at("halves", application=(POISSON, OPEN), start=(0, 10), gateway="FIFO", buffer=buffers)
    return (
        m.RATIO.at("least", base=LEAST, buffer=buffers)
        .above(usual, by=m.EFFECT)
        .called(
            f"the least sample as base RTT raises the Vegas/Reno goodput ratio by more than {m.EFFECT} with {words}",
            f"with {words} the least sample does not raise the ratio by more than that",
        )
    )


CAUSES = (
    Claim(
        key="W-1",
        where=_OURS,
        figure="starts-fifo",
        origin="ours",
        text="A base round-trip time taken with a full queue helps Vegas compete with Reno: it mistakes the queue for "
        "propagation delay.",
        test=AtPoints(
            (
                m.RATIO.at("arrivals", queue=LONG).above(m.RATIO.at("arrivals", queue=SHORT), by=m.EFFECT)
                & m.RTT_LEAST.at("arrivals", queue=LONG).above(m.RTT_LEAST.at("arrivals", queue=SHORT), by=_LONGER)
            ).called(
                "if Vegas starts with the longer queue, the Vegas/Reno goodput ratio is more than "
                f"{m.EFFECT} higher and its least RTT more than {1e3 * _LONGER:g} ms longer"
            ),
            points="pairs of starts",
        ),
        command=command(Place(application=OPEN, buffer=1500, start=60)),
    ),
    Claim(
        key="W-2",
        where="Feng and Tinnakornsrisuphap, 3.2.2; the start is ours",
        figure="starts-fifo",
        text="That is why Vegas gets its share in the papers with a large buffer: its clients start when "
        "Reno's slow start has filled the queue.",
        test=Bars(whole=_more & _at_1.at_least(m.HELD), part=_more),
        shows={
            f"met_{start}": m.QUEUE_MET.at("papers", start=start, gateway="FIFO", vegas=20, buffer=1500)
            for start in (1, 10)
        },
        why="20 Vegas clients that join 40 Reno clients behind FIFO of 1500 packets meet {met_1} in their first second "
        "at 1 s and {met_10} at 10 s. {why}",
        command=command(papers(1500)[0]),
    ),
    Claim(
        key="W-3",
        where=_OURS,
        figure="starts-fifo",
        origin="ours",
        text="The papers measure the start-up: later measurements give Vegas a different share.",
        test=AtPoints(
            ~m.RATIO.at("whole", measured=WHOLE).near(_ends, by=m.ALIKE), points="ends of the papers' curves"
        ),
        command=command(replace(papers(1500)[0], whole=True)),
    ),
    Claim(
        key="W-4",
        where="Feng and Tinnakornsrisuphap, 3.2.1",
        text="While sources leave the link unsaturated, Vegas gets its share with any buffer.",
        test=AtPoints(m.RATIO.at("light", rate=FEW).at_least(m.HELD), points="buffers"),
        shows={"usual": m.RATIO.at("halves", application=POISSON, start=10, gateway="FIFO")},
        why="{why} This load leaves a seventh of the link free.",
        command=command(Place(load=LIGHT, buffer=1500)),
    ),
    Claim(
        key="W-5",
        where=_OURS,
        figure="map-poisson",
        origin="ours",
        text="In competition with Poisson sources and behind a large buffer, Vegas gets exactly what Reno's "
        "applications leave.",
        test=AtPoints(
            m.OVER_LEFTOVER.at(
                "map", application=POISSON, gateway="FIFO", buffer=1500, vegas=(30, 45, 57), start=(0, 10)
            ).near(1, by=_NEAR)
        ),
        why="{why} With N_R Reno and N_V Vegas clients, applications leave a ratio of (4167 - 100 N_R) / (100 N_V).",
        command=command(Place(buffer=1500, vegas=45)),
    ),
    Claim(
        key="W-6",
        where="both papers",
        figure="applications",
        text="Greedy sources and an open window favour Reno: with them Vegas gets less than with the papers' sources.",
        test=AtPoints(_higher(POISSON, OPEN), points="points with 1,500 and 3,000 packets"),
        command=command(Place(application=OPEN, buffer=3000)),
    ),
    Claim(
        key="W-7",
        where=_OURS,
        figure="applications",
        origin="ours",
        text="The papers' advertised window of 20 packets protects Vegas: Reno cannot fill a large buffer with it.",
        test=AtPoints(_higher(GREEDY, OPEN), points="points with 1,500 and 3,000 packets"),
        command=command(Place(application=GREEDY, buffer=3000)),
    ),
    Claim(
        key="W-8",
        where=_OURS,
        origin="ours",
        text="Exact ties between packets decide what Vegas gets in competition with Reno.",
        test=AtPoints(~m.RATIO.at("ties", senders=TIED).near(_ends, by=m.EFFECT), points="ends of the papers' curves"),
        command=command(replace(papers(50)[0], ties=True)),
    ),
    Claim(
        key="W-9",
        where=_OURS,
        origin="ours",
        text="ns-2's rule for the base round-trip time costs Vegas goodput only with small buffers.",
        test=AtPoints(
            _with_least((10, 50), "50 packets or less"), ~_with_least((500, 1500, 3000), "500 packets or more")
        ),
        command=command(Place(application=OPEN, base_rtt="minimum")),
    ),
    Claim(
        key="W-10",
        where=_OURS,
        origin="ours",
        text="With transfers Vegas gets less even behind a small buffer, because it opens its window more slowly.",
        test=Bars(whole=_slower & _less, part=_slower | _less),
        shows={"used": m.UTILIZATION.at("idle")},
        command=command(Place(application=TRANSFERS, load=IDLE)),
    ),
)
