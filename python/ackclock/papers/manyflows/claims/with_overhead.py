"""The claims of section 5.2: effects of a random processing time of up to a tenth of the round-trip time."""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.evidence import Named
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import AtPoints, Bars
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.claims import same_delay as plain
from ackclock.papers.manyflows.experiment import ISDN
from ackclock.papers.manyflows.places import DEFINITION, NEAR, STEADY, WITH, WITHOUT, curve

claim = partial(DEFINITION.claim, __name__)
_FULL = 85  # smallest 5th percentile of a full and stable buffer, in per cent of its size
_FEWER = 0.5  # largest ratio of connections that is considerably fewer
_LINE = 0.99  # smallest R^2 of points that lie on a line
_LITTLE = 0.025  # largest difference in throughput or goodput that counts as little


def _busy(measure: Measure, pipes: Named[str] | str = plain.LARGE) -> Quantity:
    return measure.at("looks", processing=WITH, pipe=pipes)


def _steady(measure: Measure, processing: str) -> Quantity:
    return measure.at("grid", counting=STEADY.title, processing=processing)


_apart = _busy(m.CORRELATION).below(plain.at(m.CORRELATION))
_half = _busy(m.STARVED, plain.SMALL).below(plain.at(m.STARVED, plain.SMALL)) & ~_busy(m.STARVED, plain.SMALL).above(
    plain.at(m.STARVED, plain.SMALL), times=_FEWER
)
_fewer = _half.called("processing times at least halve the number of connections below a tenth of their share")
_filled = _busy(m.LOW, plain.SMALL).at_least(_FULL)
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
    claim(
        "5.2.1-1",
        Bars(whole=_apart & _busy(m.CORRELATION).at_most(plain.APART) & _busy(m.LOW).at_least(_FULL), part=_apart),
        shows={"busy": _busy(m.CORRELATION), "plain": plain.at(m.CORRELATION), "low": _busy(m.LOW)},
    ),
    claim(
        "5.2.1-2",
        AtPoints(_busy(m.LOSS).above(plain.at(m.LOSS)), _busy(m.JAIN).below(plain.at(m.JAIN)), points="links"),
    ),
    claim(
        "5.2.1-3",
        AtPoints(
            _loss["10 %", _few].within(NEAR, of=_loss["0 %", _few]), _loss["10 %", _many].above(_loss["0 %", _many])
        ),
    ),
    claim("5.2.2-1", Bars(whole=_fewer & _filled, part=_filled.every() | _fewer.every()), shows=_long),
    claim(
        "5.2.3-1",
        AtPoints(
            _busy(m.CORRELATION, plain.MEDIUM).at_most(plain.APART),
            _busy(m.LOW, plain.MEDIUM).at_least(_FULL),
            _busy(m.SHUT_OFF, plain.MEDIUM).at_most(1),
        ),
        shows={"correlation": plain.at(m.CORRELATION, plain.MEDIUM), "low": plain.at(m.LOW, plain.MEDIUM)},
    ),
    claim(
        "5.2.4-1",
        AtPoints(*(_steady(one, WITH).near(_steady(one, WITHOUT), by=_LITTLE) for one in (m.THROUGHPUT, m.GOODPUT))),
    ),
    claim(
        "5.2.5-1",
        Bars(
            whole=plain.exponent(WITH).near(1, by=0.2),
            part=plain.squares(WITH, 1).at_least(_LINE) & plain.exponent(WITH).below(plain.exponent(WITHOUT)),
        ),
    ),
    claim("5.2.5-2", plain.hyperbolic(WITH)),
    claim(
        "5.2.5-3",
        AtPoints(
            m.LOSS.at("grid", counting=STEADY.title, processing=WITH, connections=_hundreds).above(
                _steady(m.LOSS, WITHOUT)
            )
        ),
    ),
    claim("5.2.5-4", plain.tabled(WITH, "T1"), why=plain.beside_the_paper(WITH, "T1")),
    claim("5.2.5-5", plain.tabled(WITH, "ISDN"), why=plain.beside_the_paper(WITH, "ISDN")),
)
