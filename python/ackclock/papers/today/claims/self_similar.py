"""Questions of paper 5 on one connection over self-similar traffic, asked of today's senders.

The thresholds were fixed before the runs of the study, and are those of the study `selfsimilar`: a lead of 1 % in
throughput or of 0.02 percentage points in efficiency counts, as in the paper's Table 2, and traffic is long-range
dependent if its Hurst parameter is above 0.55. A rate with a c.o.v. below 1 % per second counts as constant, and as
independent.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paired import lead
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY
from ackclock.papers.today.many_measures import EFFICIENCY, HURST, THROUGHPUT
from ackclock.papers.today.parts.greedy import NONE, SETTINGS
from ackclock.papers.today.senders import DEFINITION, THEN, TODAY, UNMARKED_TODAY

claim = partial(DEFINITION.claim, __name__)

TIE: Final = 1
"""Per cent of throughput that count as a lead."""

SAME: Final = 0.02
"""Percentage points of efficiency that count as a lead."""


def _ahead(of: Measure, change: str, *, relative: bool = False) -> Quantity:
    found = lead(of.at("self-similar", change=change), "sender", THEN.name, others=TODAY, relative=relative)
    said = f"lead of NewReno of 2000 in {of.label}"
    unit = "%" if relative else "percentage points"
    return found.called(said if change == NONE else f"{said} ({change})", unit=unit)


def _more(change: str) -> Quantity:
    return _ahead(THROUGHPUT, change, relative=True)


def _better(change: str) -> Quantity:
    return _ahead(EFFICIENCY, change)


def _dependent(source: str) -> Answers:
    return HURST.at("memory", sender=TODAY, application=source).above(0.5, by=0.05)


CLAIMS = (
    claim(
        "L-1",
        Again(
            _more(NONE).above(TIE),
            opposite=_more(NONE).below(-TIE),
            elsewhere={setting: _more(setting).above(TIE) for setting in SETTINGS},
        ),
    ),
    claim(
        "L-2",
        Again(
            _better(NONE).above(SAME),
            opposite=_better(NONE).below(-SAME),
            elsewhere={setting: _better(setting).above(SAME) for setting in SETTINGS},
        ),
    ),
    claim("L-3", Again(_dependent(CONSTANT.name), asked=UNMARKED_TODAY)),
    claim("L-4", Again(_dependent(GREEDY.name), asked=UNMARKED_TODAY)),
)
