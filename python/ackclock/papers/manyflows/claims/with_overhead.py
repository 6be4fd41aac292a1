"""The claims of section 5.2: effects of a random processing time of up to a tenth of the round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.core.claim import Claim
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import AtPoints, Bars
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.claims.fits import beside_the_paper, exponent, hyperbolic, squares, tabled
from ackclock.papers.manyflows.claims.same_delay import APART, LARGE, MEDIUM, SMALL, look
from ackclock.papers.manyflows.experiment import ISDN, T1, command
from ackclock.papers.manyflows.places import NEAR, STEADY, WITH, WITHOUT, curve

if TYPE_CHECKING:
    from ackclock.papers.core.measures import Measure
    from ackclock.papers.core.quantities import Quantity

_FULL = 85  # the buffer's 5th percentile, in per cent of it, from which on it is full and stable
_FEWER = 0.5  # considerably fewer connections
_LINE = 0.99  # the R^2 from which on points lie on a line
_LITTLE = 0.025  # the difference in throughput or goodput that is little


def _busy(measure: Measure, pipes: Named[str] | str = LARGE) -> Quantity:
    return measure.at("looks", processing=WITH, pipe=pipes)


def _steady(measure: Measure, processing: str) -> Quantity:
    return measure.at("grid", counting=STEADY.title, processing=processing)


_apart = _busy(m.CORRELATION).below(look(m.CORRELATION))
_half = _busy(m.STARVED, SMALL).below(look(m.STARVED, SMALL)) & ~_busy(m.STARVED, SMALL).above(
    look(m.STARVED, SMALL), times=_FEWER
)
_fewer = _half.called("processing times clearly make connections below a tenth of their share at most half as many")
_filled = _busy(m.LOW, SMALL).at_least(_FULL)
_hundreds = Named("100 connections or more", (100, 150, 200, 300, 450, 600))
_few, _many = (20, 60), (100, 150)
_loss = {
    (amount, flows): m.LOSS.at("amounts", amount=amount, connections=flows)
    for amount in ("0 %", "10 %")
    for flows in (_few, _many)
}
_long = {
    f"shut off {words}": m.SHUT_OFF.at(
        "grid", counting=STEADY.title, processing=words, curve=curve(ISDN, 100), connections=600
    )
    for words in (WITHOUT, WITH)
}

CLAIMS = (
    Claim(
        key="5.2.1-1",
        where="5.2.1; Figure 15",
        text="A processing time of up to 10 % of the round trip breaks the global synchronisation of the large pipe, "
        "and the buffer becomes stable.",
        test=Bars(
            whole=_apart & _busy(m.CORRELATION).at_most(APART) & _busy(m.LOW).at_least(_FULL),
            part=_apart,
        ),
        why="The loss correlation is {busy} with processing times and {plain} without; the buffer's 5th "
        "percentile is {low} of its size with processing times.",
        shows={"busy": _busy(m.CORRELATION), "plain": look(m.CORRELATION), "low": _busy(m.LOW)},
        command=command(T1, 440, 100, fraction=0.1, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.2.1-2",
        where="5.2.1; Figure 15",
        text="Breaking the synchronisation increases unfairness and loss.",
        test=AtPoints(_busy(m.LOSS).above(look(m.LOSS)), _busy(m.JAIN).below(look(m.JAIN)), points="links"),
        command=command(ISDN, 402, 100, fraction=0.1),
    ),
    Claim(
        key="5.2.1-3",
        where="5.2.1; Figure 16",
        text="Below 100 connections the processing time hardly changes loss; above, it increases loss.",
        paper="100 connections",
        test=AtPoints(
            _loss["10 %", _few].within(NEAR, of=_loss["0 %", _few]), _loss["10 %", _many].above(_loss["0 %", _many])
        ),
        command=command(T1, 640, 150, fraction=0.1),
    ),
    Claim(
        key="5.2.2-1",
        where="5.2.2; Figure 17",
        text="In the small pipe considerably fewer connections are shut off than without processing times, and the "
        "buffer is mostly full and stable.",
        test=Bars(whole=_fewer & _filled, part=_filled.every() | _fewer.every()),
        shows=_long,
        command=command(T1, 100, 300, fraction=0.1, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.2.3-1",
        where="5.2.3; Figure 18",
        text="In the medium pipe even the local synchronisation disappears; most connections get reasonable "
        "goodput, and the "
        "buffer is mostly full.",
        test=AtPoints(
            _busy(m.CORRELATION, MEDIUM).at_most(APART),
            _busy(m.LOW, MEDIUM).at_least(_FULL),
            _busy(m.SHUT_OFF, MEDIUM).at_most(1),
        ),
        shows={"correlation": look(m.CORRELATION, MEDIUM), "low": look(m.LOW, MEDIUM)},
        command=command(T1, 200, 100, fraction=0.1, record="drops"),
    ),
    Claim(
        key="5.2.4-1",
        where="5.2.4; Figures 19, 20",
        text="The processing time has little effect on total throughput and goodput.",
        test=AtPoints(
            *(_steady(one, WITH).near(_steady(one, WITHOUT), by=_LITTLE) for one in (m.THROUGHPUT, m.GOODPUT))
        ),
        command=command(T1, 100, 300, fraction=0.1),
    ),
    Claim(
        key="5.2.5-1",
        where="5.2.5; Figure 21",
        text="With few connections the processing time makes loss grow mostly linearly with their number.",
        test=Bars(
            whole=exponent(WITH).near(1, by=0.2),
            part=squares(WITH, 1).at_least(_LINE) & exponent(WITH).below(exponent(WITHOUT)),
        ),
        command=command(T1, 100, 20, fraction=0.1),
    ),
    Claim(
        key="5.2.5-2",
        where="5.2.5; Figure 22",
        text="With many connections the loss still matches hyperbolas impressively well.",
        test=hyperbolic(WITH),
        command=command(T1, 100, 600, fraction=0.1),
    ),
    Claim(
        key="5.2.5-3",
        where="5.2.5; Figures 14, 22",
        text="For the same connections and buffer, loss of many connections is larger than without processing times.",
        test=AtPoints(
            m.LOSS.at("grid", counting=STEADY.title, processing=WITH, connections=_hundreds).above(
                _steady(m.LOSS, WITHOUT)
            )
        ),
        command=command(T1, 300, 300, fraction=0.1),
    ),
    Claim(
        key="5.2.5-4",
        where="5.2.5; Table 5, T1",
        text="Over T1 the hyperbolas have the parameters of Table 5.",
        paper="W_c = 100: 125.0, 0.4263; 500: 666.7, 0.5366",
        test=tabled(WITH, "T1"),
        why=beside_the_paper(WITH, "T1"),
        command=command(T1, 100, 600, fraction=0.1),
    ),
    Claim(
        key="5.2.5-5",
        where="5.2.5; Table 5, ISDN",
        text="Over ISDN the hyperbolas have the parameters of Table 5.",
        paper="W_c = 100: 125.0, 0.4930; 500: 1428.6, 1.1110",
        test=tabled(WITH, "ISDN"),
        why=beside_the_paper(WITH, "ISDN"),
        command=command(ISDN, 100, 600, fraction=0.1),
    ),
)
