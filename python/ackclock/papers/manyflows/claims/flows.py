"""The claims of sections 2 to 4 and 5.3: the abstraction of the Internet, formulas for single flows, and distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.papers.core.claim import Claim, run_command
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import computed
from ackclock.papers.core.rules import AtPoints, Bars, Depends, Holds
from ackclock.papers.core.ways import Cases, Ways
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.distances import GROUPS, UNEQUAL, split_name
from ackclock.papers.manyflows.internet import ANYONE, BACKBONES, CLUSTERS, DEGREES
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.papers.manyflows.reasons import ACKS_LOST, ALONE, AS_IT_IS, EXACT, INDEPENDENT, NO_SLOW_START

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.quantities import Quantity

_FULL = 100  # the rate of a backbone, in per cent, that carries all that the access links can
_FEW_DROPS = 1  # per cent of the drops that do not count
_NO_LESS = 1  # points of goodput, in per cent of the access links, that do not count
_NEARLY_ALL, _MOST = 90, 50  # per cent of the connections, or flows
_NEAR_THE_LAW = 0.05
_COMMAND = run_command("examples/access_links.toml", [], record="drops@in.t1,out.t1.reverse")

_fast = Named(
    "a backbone as fast as all access links together, or faster", [rate for rate in BACKBONES if rate >= _FULL]
)
_without = m.ACCESS_GOODPUT.at("backbone", rate=0).called("goodput without a backbone", digits=1)
_drops, _goodput = (one.at("backbone", rate=_fast) for one in (m.AT_BACKBONE, m.ACCESS_GOODPUT))
_quiet = _drops.below(_FEW_DROPS) & ~_without.above(_goodput, by=_NO_LESS)
_fastest = {"rate": BACKBONES[-1]}
_at_last = _drops.pick(**_fastest).below(_FEW_DROPS) & ~_without.above(_goodput.pick(**_fastest), by=_NO_LESS)
# at 1 the largest component of n nodes has n^(2/3) of them, not a fixed share of n
_degrees = Named("mean degrees except 0.75 to 1.25", [degree for degree in DEGREES if not 0.75 <= degree <= 1.25])
_steady = m.STAYS.at("drawn"), m.STAYS.at("extra").called(f"{m.STAYS.label}, where others reach a T1 domain")
_together = m.ALIKE.at("drawn")

INTERNET = (
    Claim(
        key="2.1-1",
        where="2.1, assumption 1",
        figure="backbone",
        text="Access links are the bottleneck of wide-area connections.",
        test=Bars(
            whole=_quiet.every().called(
                f"a backbone as fast as all access links together, and each faster one, has less than {_FEW_DROPS} % "
                f"of the drops and costs at most {_NO_LESS} % of goodput"
            ),
            part=_at_last.called("the fastest one does"),
        ),
        command=_COMMAND,
    ),
    Claim(
        key="2.2-1",
        where="2.2",
        figure="components",
        text="After decomposition one can focus on a single connected component.",
        test=Ways(
            Holds(m.LARGEST.at("components", degree=2.0).below(0.5)),
            axis="traffic",
            ways=(ANYONE, CLUSTERS),
            on="which domains communicate",
        ),
        command=_COMMAND,
    ),
    Claim(
        key="2.2-2",
        where="2.2, not in the paper",
        figure="components",
        text="If all domains communicate with all others, the largest component is the giant component of a "
        "random graph, with "
        "S = 1 - exp(-cS).",
        origin="ours",
        test=AtPoints(
            m.OFF_THE_LAW.at("components", traffic=ANYONE, degree=_degrees).near(0, by=_NEAR_THE_LAW), points="degrees"
        ),
        command=_COMMAND,
    ),
    Claim(
        key="4-1",
        where="4, assumption 2",
        figure="bottlenecks",
        text="The bottleneck will eventually stabilize.",
        test=Bars(
            whole=_steady[0].at_least(_NEARLY_ALL).every() & _steady[1].at_least(_NEARLY_ALL).every(),
            part=_steady[0].above(_MOST).every() & _steady[1].above(_MOST).every(),
        ),
        command=_COMMAND,
    ),
    Claim(
        key="4-2",
        where="4, assumption 2",
        figure="bottlenecks",
        text="Connections that share an access link are congested at the same place.",
        test=Bars(whole=_together.at_least(_NEARLY_ALL), part=_together.above(_MOST)),
        command=_COMMAND,
    ),
)

_TWO = FACTORS.index(2.0)
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
        f"{what} changes the median ratio of predicted to sent packets (full formula) by a factor of over {_MATTERS:g}"
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
        "ACKs are lost or reordered in the unchanged runs",
        "in the unchanged runs no ACK is lost or reordered, since they have a separate return path",
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
            m.WithinTwo()
            .above(_MOST)
            .called(f"more than {_MOST} % of the flows are within a factor of 2 of a formula"),
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
            m.MoreWithinTwo()
            .at_least(-_NO_WORSE)
            .called(
                "as many flows are within a factor of 2 of the approximate formula as of the full one, or at most "
                f"{_NO_WORSE} % fewer"
            ),
            "topologies",
        ),
        shows={"shares": m.WithinTwo()},
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

_NEAR_THE_SQUARE = 1.25  # a factor within which a ratio matches the square of the round trips' ratio
_SAME_POWER = 0.2  # the difference up to which two powers of the round trip are the same
_SETTING = "processing times"
_GROUPS_FILE = "examples/distances50.toml"

_busy, _plain, _any_ratio = m.OverSquare(processing=WITH), m.OverSquare(processing=WITHOUT), m.OverSquare()
_inside, _inside_without = (one.at_least(1) & one.at_most(2) for one in (_busy, _plain))
_off = (_any_ratio.above(_NEAR_THE_SQUARE) | _any_ratio.below(1, times=_NEAR_THE_SQUARE)).called(
    f"the ratio of goodput is more than a factor of {_NEAR_THE_SQUARE:g} off the square of the ratio of round-trip "
    "times"
)
_excess = m.Excess(GROUPS[0], GROUPS[-1])
_equal = m.POWER.at("unequal", groups=split_name((25, 25)))
_others = [split_name(counts) for counts in UNEQUAL if counts != (25, 25)]

DISTANCES = (
    Claim(
        key="5.3-1",
        where="5.3; Figure 23, (A1)",
        text="The ratio of the throughputs of two groups is between the square of the ratio of their round-trip times, "
        "inverted, and twice that.",
        paper="1 to 2 times the square",
        test=Depends(
            AtPoints(_inside),
            on=_SETTING,
            again=_inside_without.most(),
            words=f"The test is repeated {WITHOUT}: if most points have the opposite answer there, the claim depends "
            "on them.",
        ),
        why=lambda said: (
            f"With the processing times that the paper prescribes, the ratio is in this band at "
            f"{said.counted(_inside, 'points')}, below it at {said.counted(_busy.below(1), 'points')} and above it at "
            f"{said.counted(_busy.above(2), 'points')}. {WITHOUT.capitalize()}, the ratio is in the band at "
            f"{said.counted(_inside_without, 'points')}, below it at {said.counted(_plain.below(1), 'points')} and "
            f"above it at {said.counted(_plain.above(2), 'points')}."
        ),
        shows={"without": _plain},
        command=run_command(_GROUPS_FILE, []),
    ),
    Claim(
        key="5.3-2",
        where="5.3; Figure 23",
        text="The ratios of throughput do not match the square of the ratio of round-trip times very well.",
        test=AtPoints(_off, points="ratios"),
        command=run_command(_GROUPS_FILE, ["clients.1.access.delay=52 ms"]),
    ),
    Claim(
        key="5.3-3",
        where="5.3",
        figure="group-sizes",
        text="The ratio of two single connections is unpredictable, that of two groups of reasonable size is stable.",
        test=Ways(
            Holds(
                _excess.below(0).called(
                    "over nine distances around four times the nearer group's, the ratio of the goodput of two groups "
                    f"of {GROUPS[-1]} has less than {m.STABLE:g} times the standard deviation (of its logarithm) that "
                    "the ratio of two connections has"
                )
            ),
            axis="processing",
            ways=(WITH, WITHOUT),
            on=_SETTING,
        ),
        command=run_command(_GROUPS_FILE, ["clients.0.count=1", "clients.1.count=1"], record="windows"),
    ),
    Claim(
        key="5.3-4",
        where="5.3, left for later by its authors",
        figure="unequal-groups",
        text="Groups of unequal size share the link in the same way as equal groups.",
        origin="ours",
        test=AtPoints(m.POWER.at("unequal", groups=_others).near(_equal, by=_SAME_POWER)),
        command=run_command(_GROUPS_FILE, ["clients.0.count=45", "clients.1.count=5"]),
    ),
    Claim(
        key="5.3-5",
        where="5.3, left for later by its authors",
        figure="unequal-groups",
        text="Five groups share the link in the same way as two.",
        origin="ours",
        test=Ways(
            Holds(m.POWER.at("several").called("power with five groups").near(_equal, by=_SAME_POWER)),
            axis="processing",
            ways=(WITH, WITHOUT),
            on=_SETTING,
        ),
        command=run_command(_GROUPS_FILE, ["clients.1.access.delay=766 ms"]),
    ),
)
