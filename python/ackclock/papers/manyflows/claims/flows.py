"""The claims of sections 2 to 4 and 5.3: the model of the Internet, formulas for single flows, and distances."""

from __future__ import annotations

import math
from functools import partial

from ackclock.papers.core.answers import Answers
from ackclock.papers.core.claim import Claim
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.repeating import Cases, Choices
from ackclock.papers.core.rules import AtPoints, Bars, Depends, Holds
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.distances import GROUPS, UNEQUAL, split_name
from ackclock.papers.manyflows.internet import ANYONE, BACKBONES, CLUSTERS, DEGREES
from ackclock.papers.manyflows.places import DEFINITION, WITH, WITHOUT
from ackclock.papers.manyflows.reasons import ACKS_LOST, ALONE, AS_IT_IS, EXACT, INDEPENDENT, NO_SLOW_START

claim = partial(DEFINITION.claim, __name__)
_FULL = 100  # rate of a backbone that equals all access links together, in per cent
_FEW_DROPS = 1  # negligible share of the drops, in per cent
_NO_LESS = 1  # negligible loss of goodput, in per cent of the access links' rates
_NEARLY_ALL, _MOST = 90, 50  # per cent of the connections, or flows
_NEAR_THE_LAW = 0.05

_fast = Named(
    "a backbone as fast as all access links together, or faster", [rate for rate in BACKBONES if rate >= _FULL]
)
_without = m.ACCESS_GOODPUT.at("backbone", rate=0).called("goodput without a backbone", digits=1)
_drops, _goodput = (one.at("backbone", rate=_fast) for one in (m.AT_BACKBONE, m.ACCESS_GOODPUT))
_quiet = _drops.below(_FEW_DROPS) & ~_without.above(_goodput, by=_NO_LESS)
_fastest = {"rate": BACKBONES[-1]}
_at_last = _drops.pick(**_fastest).below(_FEW_DROPS) & ~_without.above(_goodput.pick(**_fastest), by=_NO_LESS)
# at mean degree 1 the largest of the components has n^(2/3) of n nodes, not a fixed share
_degrees = Named("mean degrees except 0.75 to 1.25", [degree for degree in DEGREES if not 0.75 <= degree <= 1.25])
_steady = m.STAYS.at("drawn"), m.STAYS.at("extra").called(f"{m.STAYS.label}, with T3 traffic to a T1 domain")
_together = m.ALIKE.at("drawn")

INTERNET = (
    claim(
        "2.1-1",
        Bars(
            whole=_quiet.every().called(
                f"a backbone as fast as all access links together, and each faster one, has less than {_FEW_DROPS} % "
                f"of the drops and costs at most {_NO_LESS} % of goodput"
            ),
            part=_at_last.called("this is true for the fastest backbone"),
        ),
    ),
    claim(
        "2.2-1",
        Choices(
            Holds(m.LARGEST.at("components", degree=2.0).below(0.5)),
            axis="traffic",
            values=(ANYONE, CLUSTERS),
            on="which domains communicate",
        ),
    ),
    claim(
        "2.2-2",
        AtPoints(
            m.OFF_THE_LAW.at("components", traffic=ANYONE, degree=_degrees).near(0, by=_NEAR_THE_LAW), points="degrees"
        ),
    ),
    claim(
        "4-1",
        Bars(
            whole=_steady[0].at_least(_NEARLY_ALL).every() & _steady[1].at_least(_NEARLY_ALL).every(),
            part=_steady[0].above(_MOST).every() & _steady[1].above(_MOST).every(),
        ),
    ),
    claim("4-2", Bars(whole=_together.at_least(_NEARLY_ALL), part=_together.above(_MOST))),
)

_NO_WORSE = 1  # percentage points by which a formula's share may be below the other's
_MATTERS = 1.1  # smallest factor by which a contributing cause changes the ratio


def _with_and_without(asked: Answers, points: str) -> Cases:
    rule = AtPoints(asked, points=points, by="processing")
    return Cases(rule, axis="processing", values=(WITHOUT, WITH), on="processing times")


def _ratio(way: str, part: str = "reasons") -> Quantity:
    return Measure(name=f"full, {way}", label=f"ratio of predicted to sent packets, {way}", digits=3).at(part)


def _contributes(one: Quantity, other: Quantity, what: str) -> Answers:
    """Ask whether a cause contributes to the errors: whether its removal changes the ratio of predicted to sent."""
    change = computed(lambda after, before: math.log(after / before), one, other, words=f"change by {what}", digits=3)
    return (change.above(math.log(_MATTERS)) | change.below(-math.log(_MATTERS))).called(
        f"{what} changes the median ratio of predicted to sent packets (full formula) by a factor of over {_MATTERS:g}"
    )


def _reason(key: str, one: Quantity, other: Quantity, what: str) -> Claim:
    factor = computed(lambda a, b: a / b, one, other, words=f"factor of change by {what}", digits=2)
    return claim(key, AtPoints(_contributes(one, other, what)), numbers=(factor,))


_as_it_is, _narrow = _ratio(AS_IT_IS), _ratio(ACKS_LOST, "narrow")
_lost, _reordered = (
    Measure(name=name, label=label, digits=0).at("reasons")
    for name, label in (("acks_lost", "number of lost ACKs"), ("reordered", "number of reordered ACKs"))
)
_occurs = (
    (_lost.above(0) | _reordered.above(0))
    .some()
    .called(
        "ACKs are lost or reordered in the unchanged runs",
        "in the unchanged runs no ACK is lost or reordered, since ACKs have a separate return path",
    )
)


FORMULAS = (
    claim(
        "3-1",
        _with_and_without(
            m.WithinTwo()
            .above(_MOST)
            .called(f"more than {_MOST} % of the flows are within a factor of 2 of a formula"),
            "points",
        ),
    ),
    claim(
        "3-2",
        _with_and_without(
            m.MoreWithinTwo()
            .at_least(-_NO_WORSE)
            .called(
                "the share of flows within a factor of 2 of the approximate formula is not more than "
                f"{_NO_WORSE} percentage point below the share for the full formula"
            ),
            "topologies",
        ),
        shows={"shares": m.WithinTwo()},
    ),
    _reason(
        "3-3",
        _ratio(INDEPENDENT),
        _ratio(ALONE),
        "losing as many packets at random positions (flows run alone with constant round trips)",
    ),
    _reason(
        "3-4", _ratio(NO_SLOW_START), _as_it_is, "leaving out the packets and the time of slow start after timeouts"
    ),
    _reason(
        "3-5",
        _ratio(EXACT),
        _as_it_is,
        "simulating the model's process of windows, losses and timeouts in place of its means",
    ),
    claim(
        "3-6",
        AtPoints(_contributes(_narrow, _as_it_is, "losing a tenth of the ACKs") & _occurs),
        numbers=(
            _lost,
            _reordered,
            computed(lambda a, b: a / b, _narrow, _as_it_is, words="factor of change by losing ACKs", digits=2),
        ),
    ),
)

_NEAR_THE_SQUARE = 1.25  # largest factor by which a ratio that matches the square may differ from it
_SAME_POWER = 0.2  # largest difference of two exponents that count as equal
_SETTING = "processing times"

_busy, _plain, _any_ratio = m.OverSquare(processing=WITH), m.OverSquare(processing=WITHOUT), m.OverSquare()
_inside, _inside_without = (one.at_least(1) & one.at_most(2) for one in (_busy, _plain))
_off = (_any_ratio.above(_NEAR_THE_SQUARE) | _any_ratio.below(1, times=_NEAR_THE_SQUARE)).called(
    f"the ratio of goodput differs by more than a factor of {_NEAR_THE_SQUARE:g} from the square of the ratio of "
    "round-trip times"
)
_excess = m.Excess(GROUPS[0], GROUPS[-1])
_equal = m.POWER.at("unequal", groups=split_name((25, 25)))
_others = [split_name(counts) for counts in UNEQUAL if counts != (25, 25)]

DISTANCES = (
    claim(
        "5.3-1",
        Depends(
            AtPoints(_inside),
            on=_SETTING,
            again=_inside_without.most(),
            words=f"The test is repeated {WITHOUT}: if most points have the opposite answer there, the claim depends "
            f"on {_SETTING}.",
        ),
        why=lambda said: (
            f"With the paper's processing times, the ratio is in the claimed band at "
            f"{said.counted(_inside, 'points')}, below it at {said.counted(_busy.below(1), 'points')} and above it at "
            f"{said.counted(_busy.above(2), 'points')}. {WITHOUT.capitalize()}, the ratio is in the band at "
            f"{said.counted(_inside_without, 'points')}, below it at {said.counted(_plain.below(1), 'points')} and "
            f"above it at {said.counted(_plain.above(2), 'points')}."
        ),
        shows={"without": _plain},
    ),
    claim("5.3-2", AtPoints(_off, points="ratios")),
    claim(
        "5.3-3",
        Choices(
            Holds(
                _excess.below(0).called(
                    "over nine distances around four times the nearer group's, the standard deviation of the logarithm "
                    f"of the goodput ratio of two groups of {GROUPS[-1]} is less than {m.STABLE:g} times its value for "
                    "two connections"
                )
            ),
            axis="processing",
            values=(WITH, WITHOUT),
            on=_SETTING,
        ),
    ),
    claim("5.3-4", AtPoints(m.POWER.at("unequal", groups=_others).near(_equal, by=_SAME_POWER))),
    claim(
        "5.3-5",
        Choices(
            Holds(m.POWER.at("several").called("exponent k with five groups").near(_equal, by=_SAME_POWER)),
            axis="processing",
            values=(WITH, WITHOUT),
            on=_SETTING,
        ),
    ),
)
