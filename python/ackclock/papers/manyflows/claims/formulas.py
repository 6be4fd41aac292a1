"""What the paper claims of the formulas of Padhye et al., and the reasons that it gives why they are off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.papers.core.claim import Claim
from ackclock.papers.core.quantities import Measure, computed
from ackclock.papers.core.rules import AtPoints
from ackclock.papers.core.ways import Cases
from ackclock.papers.manyflows.measures import MoreWithinTwo, WithinTwo
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.papers.manyflows.reasons import ACKS_LOST, ALONE, AS_IT_IS, EXACT, INDEPENDENT, NO_SLOW_START
from ackclock.papers.reading import run_command

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.quantities import Quantity

_TWO = FACTORS.index(2.0)
_MOST = 50  # per cent of the flows
_NO_WORSE = 1  # points by which a formula's share may be below the other's
_MATTERS = 1.1  # the factor from which on a reason contributes
_FILE, _SMALL_PIPE = "examples/manyflows100.toml", ["clients.0.count=300", "dumbbell.bottleneck.queue.packets=260"]
_TABLES = run_command(_FILE, _SMALL_PIPE, record="windows")
_DROPS = run_command(_FILE, _SMALL_PIPE, record="drops")


def _with_and_without(asked: Answers, points: str) -> Cases:
    rule = AtPoints(asked, points=points, by="processing")
    return Cases(rule, axis="processing", cases=(WITHOUT, WITH), on="processing times")


_ORDINALS = ("first", "second", "third")


def _ratio(way: str, part: str = "reasons") -> Quantity:
    return Measure(name=f"full, {way}", label=f"predicted over sent, {way}", digits=3).at(part)


def _contributes(one: Quantity, other: Quantity, what: str) -> Answers:
    """Ask whether a reason contributes: whether the ratio changes when it is switched off."""
    change = computed(lambda after, before: math.log(after / before), one, other, words=f"change by {what}", digits=3)
    return (change.above(math.log(_MATTERS)) | change.below(-math.log(_MATTERS))).called(
        f"{what} changes the median of predicted over sent, by the full formula, by a factor of more than {_MATTERS:g}"
    )


def _reason(where: str, text: str, one: Quantity, other: Quantity, what: str) -> Claim:
    return Claim(
        key=f"3-{_ORDINALS.index(where) + 3}",
        where=f"3, {where} reason",
        figure="reasons",
        text=text,
        test=AtPoints(_contributes(one, other, what)),
        numbers=(computed(lambda a, b: a / b, one, other, words=f"factor by {what}", digits=2),),
        command=_DROPS,
    )


_as_it_is, _narrow = _ratio(AS_IT_IS), _ratio(ACKS_LOST, "narrow")
_lost, _reordered = (
    Measure(name=name, label=label, digits=0).at("reasons")
    for name, label in (("acks_lost", "ACKs lost"), ("reordered", "ACKs reordered"))
)
_occurs = (
    (_lost.above(0) | _reordered.above(0))
    .some()
    .called(
        "ACKs are lost or reordered in the runs as they are",
        "in the runs as they are no ACK is lost or reordered: they have a way back of their own",
    )
)


FORMULAS = (
    Claim(
        key="3-1",
        where="3; Tables 2, 3",
        figure="tables2and3",
        text="Most of the estimates of the formulas of Padhye et al. are within a factor of 2.",
        paper=", ".join(
            f"{model} {'/'.join(f'{PAPER[one, model][_TWO]:.0f}' for one in TOPOLOGIES)} %" for model in MODELS
        ),
        test=_with_and_without(
            WithinTwo().above(_MOST).called(f"more than {_MOST} % of the flows are within a factor of 2 of a formula"),
            "points",
        ),
        command=_TABLES,
    ),
    Claim(
        key="3-2",
        where="3",
        figure="tables2and3",
        text="The approximate formula, though simpler, is no worse than the full one.",
        test=_with_and_without(
            MoreWithinTwo()
            .at_least(-_NO_WORSE)
            .called(
                "as many flows are within a factor of 2 of the approximate formula as of the full one, or at most "
                f"{_NO_WORSE} % fewer"
            ),
            "topologies",
        ),
        shows={"shares": WithinTwo()},
        command=_TABLES,
    ),
    _reason(
        "first",
        "The assumption that losses in a round are correlated contributes to the divergence.",
        _ratio(INDEPENDENT),
        _ratio(ALONE),
        "losing as many packets at random places (flows run alone with constant round trips)",
    ),
    _reason(
        "second",
        "Ignoring the packets sent in slow start contributes to the divergence.",
        _ratio(NO_SLOW_START),
        _as_it_is,
        "leaving out the packets and the time of slow start after timeouts",
    ),
    _reason(
        "third",
        "Mathematical simplifications such as f(E[x]) for E[f(x)] contribute to the divergence.",
        _ratio(EXACT),
        _as_it_is,
        "simulating the model's process of windows, losses and timeouts in place of its means",
    ),
    Claim(
        key="3-6",
        where="3, fourth reason",
        figure="reasons",
        text="Lost ACKs and reordered packets contribute to the divergence.",
        test=AtPoints(_contributes(_narrow, _as_it_is, "losing a tenth of the ACKs") & _occurs),
        numbers=(
            _lost,
            _reordered,
            computed(lambda a, b: a / b, _narrow, _as_it_is, words="factor by losing a tenth of the ACKs", digits=2),
        ),
        command=run_command(_FILE, _SMALL_PIPE, record="packets@bottleneck.reverse"),
    ),
)
