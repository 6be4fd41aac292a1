"""Fits to the loss of few and of many connections, rules on these fits, and sentences of several claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.analysis.models import hyperbola
from ackclock.papers.core import folds
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.rules import AtPoints, Rule
from ackclock.papers.core.ways import Ways
from ackclock.papers.manyflows.measures import LOSS, LOST_PART, OVER_PAPER
from ackclock.papers.manyflows.places import CURVES, NEAR, READINGS
from ackclock.papers.truth import OPEN, Truth, exactly

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.core.claim import Said
    from ackclock.papers.core.evidence import Grid, Scalar, Side
    from ackclock.papers.core.quantities import Quantity

    Line = Mapping[Scalar, float]

_TITLES = [reading.title for reading in READINGS]

_HYPERBOLIC = 6  # largest rms of relative differences of points that lie on a hyperbola, in per cent


def squares_of(line: Line, degree: int = 1) -> float:
    """Compute R^2, the share of the variance that a fitted polynomial of this degree explains."""
    x, y = folds.places(line)
    return float(1 - np.var(y - np.polyval(np.polyfit(x, y, degree), x)) / np.var(y))


def exponent(processing: str) -> Quantity:
    few = LOSS.at("few", processing=processing)
    return few.jackknife("connections", folds.exponent, f"exponent k of loss ~ n^k {processing}", unit="", digits=2)


def squares(processing: str, degree: int) -> Quantity:
    words = f"R² of a {'parabola' if degree == 2 else 'line'} fitted to the loss {processing}"
    few = LOSS.at("few", processing=processing)
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
    loss = LOST_PART.at("grid", processing=processing)
    words = f"rms of the relative differences between the loss and the fitted hyperbola ({processing})"
    rms = loss.jackknife("connections", _rms, words, unit="%", digits=1)
    return AtPoints(rms.at_most(_HYPERBOLIC), _Bounded(loss), points="curves and ways of counting")


def tabled(processing: str, link: str) -> Rule:
    """Judge whether the loss of many connections matches the paper's curves, for each way of counting."""
    return Ways(AtPoints(_beside(processing, link)), axis="counting", ways=_TITLES, on="how losses are counted")


def beside_the_paper(processing: str, link: str) -> Callable[[Said], str]:
    return at_each(
        f"The loss is within {100 * NEAR:g} % of the paper's curves at",
        lambda title: _beside(processing, link, counting=title),
        dict(zip(_TITLES, _TITLES, strict=True)),
    )


def _beside(processing: str, link: str, **where: str) -> Answers:
    return OVER_PAPER.at("grid", processing=processing, curve=CURVES[link], **where).within(NEAR, of=1)


def at_each(start: str, asked: Callable[[str], Answers], ways: Mapping[str, str]) -> Callable[[Said], str]:
    """Make a sentence that counts the points with the answer yes for each way; `ways` has the text of each way."""
    return lambda said: (
        f"{start} " + "; ".join(f"{said.counted(asked(way), 'points')} {words}" for way, words in ways.items()) + "."
    )
