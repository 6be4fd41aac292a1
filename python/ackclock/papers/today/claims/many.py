"""Questions of paper 4 on many connections, asked of today's senders, at the paper's scale and at 1 Gb/s.

The thresholds were fixed before the runs of the study. Most are those of the study `manyflows`: losses are synchronised
from a correlation of 0.3 on and independent below 0.1, shares are equal from Jain's index 0.95 on, goodput falls if it
loses 5 % of the link's rate, and a hyperbola fits if points differ from it by 6 % (rms) or less. Some connections are
shut off if a tenth of them or more get less than a tenth of their fair share.

The paper explains the square of the number of connections by the loss of a large pipe, 8 / (3 W^2 + 25 W + 4) with W
packets for each connection. At the windows of these runs the formula grows with a smaller exponent than 2; loss grows
as in the paper if its exponent is within 0.2 of the formula's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from ackclock.analysis.models import hyperbola, large_pipe_loss
from ackclock.papers.core import folds
from ackclock.papers.core.again import Again
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.evidence import Named, Scalar
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.today.many_measures import CORRELATION, EXPONENT, GOODPUT, STARVED, WITHIN
from ackclock.papers.today.measures import JAIN, LOSS, UTILIZATION
from ackclock.papers.today.parts.many import (
    BUFFER,
    FAST_FLOWS,
    FAST_PIPE,
    FLOWS,
    FULL,
    NONE,
    PROCESSING,
    ROOT,
    SETTINGS,
    T1_PIPE,
)
from ackclock.papers.today.senders import DEFINITION, TODAY, UNMARKED_TODAY

claim = partial(DEFINITION.claim, __name__)

TOGETHER: Final = 0.3
APART: Final = 0.1
EQUAL: Final = 0.95
UNEQUAL: Final = 0.5
SHUT_OFF: Final = 10
FALL: Final = 5
NEARLY: Final = 90
MISFIT: Final = 6
BENT: Final = 0.9
"""Largest exponent of loss that grows less than in proportion to the number of connections, as a hyperbola does."""

FEW: Final = Named("5 to 20 connections", [flows for flows in FLOWS if flows <= 20])
MANY: Final = Named("60 to 600 connections", [flows for flows in FLOWS if flows >= 60])
USUAL: Final = Named("20 to 600 connections", [flows for flows in FLOWS if flows >= 20])
FAST_FEW: Final = Named("100 to 1,000 connections", [flows for flows in FAST_FLOWS if flows >= 100])
_HUNDRED: Final = 100

Line = Mapping[Scalar, float]


def power(line: Line) -> float | None:
    """Fit a power law; None with fewer than two points or without loss at one of them."""
    return folds.exponent(line) if len(line) > 1 and min(line.values()) > 0 else None


def formula(flows: Sequence[int], capacity: int) -> float:
    """Return the exponent with which the loss of a large pipe grows, if pipe and buffer hold `capacity` packets."""
    return folds.exponent({n: float(large_pipe_loss(window=capacity / n, smooth=True).corrected) for n in flows})


def misfit(line: Line) -> float | None:
    """Return the rms of the relative differences between losses in per cent and the fitted hyperbola, in per cent.

    It is 100 % if the loss falls, as on no hyperbola; None with fewer than three points or without loss at one of them.
    """
    if len(line) < 3 or min(line.values()) <= 0:
        return None
    try:
        return 100 * hyperbola(connections=list(line), loss=[value / 100 for value in line.values()]).rms
    except ValueError:
        return 100.0


def fall(first: int, last: int) -> Callable[[Line], float | None]:
    """Return a function that computes the decrease between two numbers of connections."""
    return lambda line: line[first] - line[last] if first in line and last in line else None


def _with_settings(
    of: Callable[[str], Quantity], asked: Callable[[Quantity], Answers], *, opposite: Answers | None = None
) -> Again:
    """Make the rule that asks a question of the usual runs of a pipe, and of those with a setting changed."""
    return Again(asked(of(NONE)), opposite=opposite, elsewhere={setting: asked(of(setting)) for setting in SETTINGS})


def _synchrony(change: str) -> Quantity:
    return CORRELATION.at("pipes", sender=TODAY, pipe="large pipe", change=change)


def _jain(change: str) -> Quantity:
    return JAIN.at("pipes", sender=TODAY, pipe="large pipe", change=change)


def _starved(change: str) -> Quantity:
    return STARVED.at("pipes", sender=TODAY, pipe="small pipe", change=change)


def _synchronised(of: Quantity) -> Answers:
    return of.at_least(TOGETHER)


def _shut_off(of: Quantity) -> Answers:
    return of.at_least(SHUT_OFF)


_busy = _starved(PROCESSING)

_few = LOSS.at("many", sender=TODAY, connections=FEW)
_many = LOSS.at("many", sender=TODAY, connections=MANY)
_goodput = GOODPUT.at("many", sender=TODAY, connections=(FEW[-1], FLOWS[-1]))


def _law(of: Quantity, which: str) -> Quantity:
    return of.jackknife("connections", power, f"exponent k of loss ~ n^k with {which}", unit="", digits=2)


_hyperbola = _many.jackknife(
    "connections", misfit, f"rms of the relative differences between loss and hyperbola with {MANY.name}", digits=1
)
_lost = _goodput.over(
    "connections", fall(FEW[-1], FLOWS[-1]), f"decrease of goodput from {FEW[-1]} to {FLOWS[-1]} connections", unit="%"
)
_near, _near_busy = (EXPONENT.at("distances", sender=TODAY, network="T1", change=one) for one in (NONE, PROCESSING))
_between = {one: one.at_least(1) & one.at_most(2) for one in (_near, _near_busy)}

_fast = {"sender": TODAY, "buffer": FULL}
_fast_synchrony = CORRELATION.at("gigabit", **_fast, connections=_HUNDRED)
_fast_goodput = GOODPUT.at("gigabit", **_fast, connections=(FAST_FLOWS[0], FAST_FLOWS[-1])).over(
    "connections",
    fall(FAST_FLOWS[0], FAST_FLOWS[-1]),
    f"decrease of goodput from {FAST_FLOWS[0]} to {FAST_FLOWS[-1]:,} connections at 1 Gb/s",
    unit="%",
)
_fast_jain = JAIN.at("gigabit", **_fast, connections=_HUNDRED)
_fast_used = UTILIZATION.at("gigabit", sender=TODAY, buffer=ROOT, connections=FAST_FEW)
_fast_near = EXPONENT.at("distances", sender=TODAY, network="1 Gb/s", change=NONE)

CLAIMS = (
    claim("N-1", _with_settings(_synchrony, _synchronised)),
    claim("N-2", Again(_fast_synchrony.at_least(TOGETHER), asked=UNMARKED_TODAY)),
    claim("N-3", Again(_synchrony(PROCESSING).below(APART).where(_synchronised(_synchrony(NONE))))),
    claim("N-4", _with_settings(_jain, lambda one: one.at_least(EQUAL), opposite=_jain(NONE).below(UNEQUAL))),
    claim("N-5", Again(_fast_jain.at_least(EQUAL), opposite=_fast_jain.below(UNEQUAL))),
    claim("N-6", _with_settings(_starved, _shut_off)),
    claim(
        "N-7", Again(_busy.below(_starved(NONE)).where(_shut_off(_starved(NONE))), opposite=_busy.above(_starved(NONE)))
    ),
    claim("N-8", Again(_law(_few, FEW.name).near(formula(FEW, BUFFER + T1_PIPE), by=0.2), asked=UNMARKED_TODAY)),
    claim(
        "N-9",
        Again(
            _law(LOSS.at("gigabit", **_fast, connections=FAST_FEW), FAST_FEW.name).near(
                formula(FAST_FEW, 2 * FAST_PIPE), by=0.2
            )
        ),
    ),
    claim("N-10", Again(_hyperbola.at_most(MISFIT) & _law(_many, MANY.name).below(BENT))),
    claim("N-11", Again(_lost.at_least(FALL), opposite=_lost.at_most(-FALL))),
    claim("N-12", Again(_fast_goodput.at_least(FALL), opposite=_fast_goodput.at_most(-FALL))),
    claim("N-13", Again(UTILIZATION.at("short buffer", sender=TODAY).at_least(NEARLY))),
    claim("N-14", Again(_fast_used.at_least(NEARLY).every("connections"))),
    claim(
        "N-15",
        Again(_between[_near_busy], opposite=_near_busy.below(0), elsewhere={PROCESSING: _between[_near]}),
    ),
    claim("N-16", Again(_fast_near.at_least(1) & _fast_near.at_most(2), opposite=_fast_near.below(0))),
    claim("N-17", Again(WITHIN.at("many", sender=TODAY, connections=USUAL).above(50).most("connections"))),
    claim("N-18", Again(WITHIN.at("gigabit", **_fast, connections=_HUNDRED).above(50))),
)
