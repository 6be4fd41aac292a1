"""The claims of section 5.1: connections with the same propagation delay, without processing time.

Fits to the loss of few and of many connections, and rules on these fits, also serve the claims with processing time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ackclock.analysis import student_interval
from ackclock.analysis.models import hyperbola
from ackclock.papers.core import folds
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.claim import Said
from ackclock.papers.core.evidence import Grid, Named, Scalar, Side
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.repeating import Choices, Varied
from ackclock.papers.core.rules import AtPoints, Bars, Rule
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows import places as p
from ackclock.papers.manyflows.experiment import ISDN, MODERN, T1
from ackclock.papers.manyflows.pipes import PIPES
from ackclock.papers.truth import OPEN, Truth, exactly
from ackclock.values.words import listed

Line = Mapping[Scalar, float]

_TITLES = [reading.title for reading in p.READINGS]

_HYPERBOLIC = 6  # largest rms of relative differences of points that lie on a hyperbola, in per cent


def squares_of(line: Line, degree: int = 1) -> float:
    """Compute R^2, the share of the variance that a fitted polynomial of this degree explains."""
    x, y = folds.places(line)
    return float(1 - np.var(y - np.polyval(np.polyfit(x, y, degree), x)) / np.var(y))


def exponent(processing: str) -> Quantity:
    few = m.LOSS.at("few", processing=processing)
    return few.jackknife("connections", folds.exponent, f"exponent k of loss ~ n^k {processing}", unit="", digits=2)


def squares(processing: str, degree: int) -> Quantity:
    words = f"R² of a {'parabola' if degree == 2 else 'line'} fitted to the loss {processing}"
    few = m.LOSS.at("few", processing=processing)
    return few.jackknife("connections", lambda line: squares_of(line, degree), words, unit="", digits=4)


def _rms(line: Line) -> float | None:
    return 100 * hyperbola(connections=list(line), loss=list(line.values())).rms if len(line) > 2 else None


class _Bounded(Answers):
    """Whether the fitted hyperbola's a has an upper bound, whichever seed is left out; otherwise a line may fit too."""

    def __init__(self, of: Quantity) -> None:
        self._of, self.quantities = of, (of,)
        self.words = "the 95 % interval of the fitted hyperbola's a is bounded, whichever seed is left out"
        self.denied = "the 95 % interval of the fitted hyperbola's a is not bounded"

    def on(self, side: Side) -> Grid[Truth]:
        return self._of.samples(side).along("connections").map(_bounded)


def _bounded(line: Mapping[Scalar, Mapping[int, float]]) -> Truth:
    seeds = {seed for sample in line.values() for seed in sample}
    answers = set()
    for seed in seeds if len(seeds) > 1 else ():
        means = [
            student_interval([value for other, value in sample.items() if other != seed]).mean
            for sample in line.values()
        ]
        answers.add(not hyperbola(connections=list(line), loss=means).unbounded)
    return exactly(answers.pop()) if len(answers) == 1 else OPEN


def hyperbolic(processing: str) -> Rule:
    """Judge whether the loss of many connections lies on hyperbolas, in each way of counting."""
    loss = m.LOST_PART.at("grid", processing=processing)
    words = f"rms of the relative differences between the loss and the fitted hyperbola ({processing})"
    rms = loss.jackknife("connections", _rms, words, unit="%", digits=1)
    return AtPoints(rms.at_most(_HYPERBOLIC), _Bounded(loss), points="curves and ways of counting")


def tabled(processing: str, link: str) -> Rule:
    """Judge whether the loss of many connections matches the paper's curves, for each way of counting."""
    return Choices(AtPoints(_beside(processing, link)), axis="counting", values=_TITLES, on="how losses are counted")


def beside_the_paper(processing: str, link: str) -> Callable[[Said], str]:
    return at_each(
        f"The loss is within {100 * p.NEAR:g} % of the paper's curves at",
        lambda title: _beside(processing, link, counting=title),
        dict(zip(_TITLES, _TITLES, strict=True)),
    )


def _beside(processing: str, link: str, **where: str) -> Answers:
    return m.OVER_PAPER.at("grid", processing=processing, curve=p.CURVES[link], **where).within(p.NEAR, of=1)


def at_each(start: str, asked: Callable[[str], Answers], ways: Mapping[str, str]) -> Callable[[Said], str]:
    """Make a sentence that counts the points with the answer yes for each way; `ways` has the text of each way."""
    return lambda said: (
        f"{start} " + "; ".join(f"{said.counted(asked(way), 'points')} {words}" for way, words in ways.items()) + "."
    )


claim = partial(p.DEFINITION.claim, __name__)
LARGE, SMALL = (
    Named(f"{size} pipes", [name for name, pipe in PIPES.items() if pipe.size == size]) for size in ("large", "small")
)  # the pipes of each size

MEDIUM, _LARGE_T1, _LARGE_ISDN = "T1, n = 100, B = 160", "T1, n = 100, B = 400", "ISDN, n = 100, B = 400"

APART = 0.1  # largest correlation of losses without synchronisation
_TOGETHER = 0.3  # smallest correlation of losses with synchronisation
_FULL_BUFFER = 95  # smallest 95th percentile of a buffer that fills, in per cent of its size
_HALF_FULL = 200 / 3  # largest 5th percentile of a buffer that empties to about half, in per cent
_AXES = {_LARGE_ISDN: (20, 140), _LARGE_T1: (160, 340)}  # ranges of packets received in Figure 6
_FULL = 0.995  # smallest throughput of a full link
_NEARLY = 0.9  # smallest throughput that is close to 1, for many connections behind a small buffer
_FALL = 0.05  # smallest decrease of goodput from 20 to 600 connections that counts
_NEGLIGIBLE = 2.5  # negligible share of unnecessary retransmissions, in per cent of the link's rate
_LOSSY = 20  # loss from which on unnecessary retransmissions are significant, in per cent
_STRAIGHT = 0.98  # smallest R^2 of linear growth
_PARABOLA = 0.995  # smallest R^2 of points on a parabola
_BENT = 1.2  # smallest exponent of a curve that is not nearly linear
_SMALL_PIPE = p.curve(T1, 100)


def at(measure: Measure, pipes: Named[str] | str = LARGE) -> Quantity:
    """Return a measure of pipes without processing times."""
    return measure.at("looks", processing=p.WITHOUT, pipe=pipes)


def _in_figure6() -> Answers:
    least, most = at(m.LEAST), at(m.MOST)
    answers = [
        least.pick(pipe=pipe).at_least(low) & most.pick(pipe=pipe).at_most(high) for pipe, (low, high) in _AXES.items()
    ]
    return (answers[0] & answers[1]).called("all connections receive 20 to 140 packets (ISDN) and 160 to 340 (T1)")


_printed, _corrected = (one.at("predicted").within(p.NEAR, of=1) for one in (m.OVER_PRINTED, m.OVER_CORRECTED))
_below = Named("buffers below W_c / 2", [buffer for buffer in p.BUFFERS if buffer < p.FAR_PIPE.pipe])
_above = Named("larger buffers", [buffer for buffer in p.BUFFERS if buffer not in _below])
_up_to_pipe = Named("buffers up to 160 packets", p.BUFFERS[: len(_below) + 1])


def _far(buffers: Named[int], *connections: int) -> Quantity:
    found = m.THROUGHPUT.at("far", processing=p.WITHOUT, buffer=buffers, connections=connections)
    return found.called(
        f"throughput over a delay of 200 ms with {buffers.name} and {listed(list(map(str, connections)))} connections"
    )


def _more(many: int, few: int) -> Answers:
    at = {
        flows: m.THROUGHPUT.at("far", processing=p.WITHOUT, buffer=_below, connections=flows) for flows in (many, few)
    }
    return at[many].above(at[few])


def _alive(**where: str) -> Quantity:
    return m.ACTIVE.at("starts", processing=p.WITHOUT, curve=_SMALL_PIPE, **where)


_many = Named("100 connections or more", (100, 150, 200, 300, 450, 600))
_totals = [
    one.at(
        "grid", counting=(p.CAPPED.title, p.STEADY.title), processing=p.WITHOUT, curve=_SMALL_PIPE, connections=_many
    )
    for one in (m.SENT, m.LOST)
]
_slopes = [
    one.jackknife("connections", folds.slope, f"slope of a line fit to the {one.words}", digits=4) for one in _totals
]
_straight = [
    one.jackknife("connections", squares_of, f"R² of a line fit to the {one.words}", unit="", digits=3)
    for one in _totals
]
_rising = _slopes[0].above(0) & _slopes[1].above(0)

_grid = {"counting": p.STEADY.title, "processing": p.WITHOUT}
_curves = Named(
    "W_c 100, 300 and 500", [p.curve(link, capacity) for link in (T1, ISDN) for capacity in p.MODERN_CAPACITIES]
)


def _fall(part: str, **where: str) -> Quantity:
    goodput = m.GOODPUT.at(part, **where, curve=_curves, connections=(20, 600))
    words = f"decrease of goodput from 20 to 600 connections ({where.get('counting', MODERN)})"
    return goodput.over("connections", lambda line: line[20] - line[600] if len(line) == 2 else None, words, digits=3)


def _faster(fall: Quantity) -> Answers:
    """Ask whether goodput falls by more over ISDN than over T1, for each W_c."""
    over = {
        link: fall.relabel("curve", {p.curve(link, one): f"W_c {one}" for one in p.MODERN_CAPACITIES})
        for link in (T1, ISDN)
    }
    return over[ISDN].above(over[T1]).every().called("goodput falls by more over ISDN than over T1 with each W_c")


def _timers(fall: Quantity) -> Bars:
    deep = fall.at_least(_FALL)
    return Bars(whole=deep & _faster(fall), part=deep.most())


_usual, _modern = _fall("grid", **_grid), _fall("modern")
_loss = m.LOSS.at("grid", **_grid)
_wasted = m.WASTED.at("grid", **_grid)

CLAIMS = (
    claim(
        "5.1.1-1",
        AtPoints(
            at(m.CORRELATION).at_least(_TOGETHER),
            at(m.SHARE).at_least(90),
            at(m.LOW).at_most(_HALF_FULL),
            at(m.HIGH).at_least(_FULL_BUFFER),
            points="links",
        ),
        shows={
            "correlation": at(m.CORRELATION),
            "share": at(m.SHARE),
            "low": at(m.LOW),
            "high": at(m.HIGH),
        },
    ),
    claim("5.1.1-2", Bars(whole=at(m.JAIN).at_least(0.95) & _in_figure6(), part=at(m.JAIN).at_least(0.8))),
    claim(
        "5.1.1-3",
        AtPoints(_printed),
        why=lambda said: (
            f"{said.outcome.why} The loss is clearly below the formula at "
            f"{said.counted(m.OVER_PRINTED.at('predicted').below(1), 'points')}: windows that grow by 1 / cwnd take "
            "longer than the formula assumes. The loss is within 10 % of the corrected formula 8 / (3 W² + 25 W + 4) "
            f"at {said.counted(_corrected, 'points')}."
        ),
        shows={"corrected": m.OVER_CORRECTED.at("predicted")},
    ),
    claim("5.1.1-4", AtPoints(_far(_below, 1, 2, 5, 10).below(_FULL), _far(_above, 1, 2, 5, 10).at_least(_FULL))),
    claim(
        "5.1.2-1",
        Choices(
            AtPoints(_alive().near(100, by=100 / 3), points="numbers of connections"),
            axis="start",
            values=list(p.STARTS),
            on="how connections start",
        ),
        why=at_each(
            "With W_c = 100, from 50 to 100 s, the number of active connections differs from W_c by at most a third at",
            lambda start: _alive(start=start).near(100, by=100 / 3),
            {start: f"if {start}" for start in p.STARTS},
        ),
    ),
    claim(
        "5.1.2-2",
        Bars(whole=_rising & _straight[0].at_least(_STRAIGHT) & _straight[1].at_least(_STRAIGHT), part=_rising),
    ),
    claim(
        "5.1.2-3",
        Bars(
            whole=at(m.SWING, SMALL).at_least(25) & at(m.MIDDLE, SMALL).at_most(70),
            part=at(m.SWING, SMALL).at_least(25).some(),
        ),
    ),
    claim(
        "5.1.3-1",
        AtPoints(
            at(m.CORRELATION, _LARGE_T1).above(at(m.CORRELATION, MEDIUM)),
            at(m.CORRELATION, MEDIUM).above(APART),
            at(m.SHARE, MEDIUM).below(90),
            at(m.SHUT_OFF, MEDIUM).at_most(1),
            at(m.JAIN, MEDIUM).below(at(m.JAIN, _LARGE_T1)),
        ),
    ),
    claim(
        "5.1.4-1",
        Bars(
            whole=_far(_up_to_pipe, 1, 2, 5, 10).rises("buffer").every() & _more(100, 10).every() & _more(10, 1),
            part=_far(_up_to_pipe, 1, 2, 5, 10).rises("buffer").every() & _more(100, 10),
        ),
    ),
    claim("5.1.4-2", AtPoints(m.THROUGHPUT.at("grid", **_grid, curve=p.CURVES["T1"]).at_least(_FULL))),
    claim("5.1.4-3", AtPoints(_far(_below, 100).at_least(_NEARLY), points="buffers")),
    claim(
        "5.1.5-1",
        Varied(
            _timers(_usual),
            {"TCP's timers": _timers(_modern)},
            words=f"The claim is judged with TCP's timers of 1999, and again with the timers of {MODERN}.",
            saved=True,
        ),
        why=lambda said: (
            f"From 20 to 600 connections goodput falls by {100 * _FALL:g} % of the link's rate or more on "
            f"{said.counted(_usual.at_least(_FALL), 'curves')} with the timers of 1999, and on "
            f"{said.counted(_modern.at_least(_FALL), 'curves')} with the timers of ns-2.35."
        ),
    ),
    claim(
        "5.1.5-2",
        AtPoints(_wasted.given(_loss, lambda loss: loss < _LOSSY, f"loss is below {_LOSSY} %").at_most(_NEGLIGIBLE)),
    ),
    claim(
        "5.1.5-3",
        AtPoints(_wasted.given(_loss, lambda loss: loss >= _LOSSY, f"loss is {_LOSSY} % or more").above(_NEGLIGIBLE)),
        shows={"early": m.WASTED.at("grid", counting=p.CAPPED.title, processing=p.WITHOUT)},
    ),
    claim(
        "5.1.6-1",
        Bars(
            whole=exponent(p.WITHOUT).near(2, by=0.2),
            part=squares(p.WITHOUT, 2).at_least(_PARABOLA) & exponent(p.WITHOUT).at_least(_BENT),
        ),
    ),
    claim("5.1.6-2", hyperbolic(p.WITHOUT)),
    claim("5.1.6-3", tabled(p.WITHOUT, "T1"), why=beside_the_paper(p.WITHOUT, "T1")),
    claim("5.1.6-4", tabled(p.WITHOUT, "ISDN"), why=beside_the_paper(p.WITHOUT, "ISDN")),
)
