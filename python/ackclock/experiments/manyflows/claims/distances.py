"""What the paper claims of connections at unequal distances, and what its authors left for later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ackclock.experiments.claims import Claim, Judgement, by_share
from ackclock.experiments.manyflows.distances import (
    GROUPS,
    OVERHEADS,
    UNEQUAL,
    exponents_of,
    ns2_shares,
    pair_spread,
    spots,
    spread,
)
from ackclock.experiments.reading import DASH, high, low, run_command
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.manyflows.distances import Distances, Share, Spot

__all__ = ["DISTANCES", "HasDistances"]

NEAR_THE_SQUARE = 1.25
"""A factor within which a ratio matches the square of the round trips' ratio."""
STABLE = 0.5
"""The part of the spread of single pairs that groups may have to be called stable."""
SETTING = "processing times"
_FILE = "examples/distances50.toml"
_EQUAL = (25, 25)


class HasDistances(Protocol):
    """Evidence with runs at unequal distances."""

    @property
    def distances(self) -> Distances:
        """Our runs."""


def _split(shares: Sequence[Share], holds: Callable[[Spot], bool]) -> list[list[bool]]:
    """Ask a question at each point of Figure 23 with processing times, and at each without."""
    return [[holds(spot) for spot in spots(shares) if spot.case.overhead == overhead] for overhead in OVERHEADS]


def _counted(words: str, answers: Sequence[Sequence[bool]]) -> str:
    busy, plain = answers
    return f"{words} at {sum(busy)} of {len(busy)} points with processing times, {sum(plain)} of {len(plain)} without"


def _inside(spot: Spot) -> bool:
    return spot.inside


def _band(evidence: HasDistances) -> Judgement:
    shares = evidence.distances.figure23
    answers, theirs = _split(shares, _inside), _split(ns2_shares(), _inside)
    told = [
        [
            spot.ratio.mean / spot.rtt_ratio**2
            for spot in spots(shares)
            if spot.case.overhead == overhead and not spot.inside
        ]
        for overhead in OVERHEADS
    ]
    above = [sum(value > 2 for value in off) for off in told]
    verdict, other = (by_share(some) for some in answers)
    parts = (verdict is Verdict.NOT) is not (other is Verdict.NOT)
    return Judgement(
        verdict=Verdict.DEPENDS if parts else verdict,
        setting=SETTING if parts else "",
        ours=_counted("inside", answers),
        ns2=_counted("inside", theirs),
        why=f"With the processing times that the paper prescribes {len(told[0]) - above[0]} points lie below the "
        f"band and {above[0]} above it, without them {len(told[1]) - above[1]} and {above[1]}.",
    )


def _square(evidence: HasDistances) -> Judgement:
    def off(spot: Spot) -> bool:
        return max(place := spot.ratio.mean / spot.rtt_ratio**2, 1 / place) > NEAR_THE_SQUARE

    answers, theirs = (_split(some, off) for some in (evidence.distances.figure23, ns2_shares()))
    every = [answer for some in answers for answer in some]
    return Judgement(
        verdict=by_share(every),
        ours=_counted("off", answers),
        ns2=_counted("off", theirs),
        why=f"{sum(every)} of {len(every)} ratios are more than a factor of {NEAR_THE_SQUARE:g} off the square.",
    )


def _stable(evidence: HasDistances) -> Judgement:
    found: list[tuple[float, float, float]] = []
    for overhead in OVERHEADS:
        single, group = (
            [
                share
                for share in evidence.distances.groups
                if (share.case.overhead, share.case.counts[0]) == (overhead, size)
            ]
            for size in (GROUPS[0], GROUPS[-1])
        )
        found.append((2 ** spread(single), 2 ** spread(group), 2 ** pair_spread(group)))
    holds = [np.log(group) < STABLE * np.log(single) for single, group, _ in found]
    words = [f"{single:.2f} and {group:.2f}" for single, group, _ in found]
    return Judgement(
        verdict=Verdict.REPRODUCED if all(holds) else Verdict.DEPENDS if any(holds) else Verdict.NOT,
        setting=SETTING if any(holds) and not all(holds) else "",
        ours=f"one standard deviation is a factor of, for two connections and for groups of {GROUPS[-1]}: "
        f"{words[0]} with processing times, {words[1]} without",
        ns2=DASH,
        why="Over nine distances that differ by 1 % groups are "
        + ("" if holds[0] else "not ")
        + "stable with processing times and "
        + ("stable" if holds[1] else "not, since all of a group share their phase,")
        + f" without; single connections of such groups still differ by a factor of {found[0][2]:.2f} with them.",
    )


def _sizes(evidence: HasDistances) -> Judgement:
    powers = exponents_of(evidence.distances.unequal)

    def same(one: Interval, other: Interval) -> bool:
        return low(one) <= high(other) and low(other) <= high(one)

    holds = [
        same(powers[overhead, counts], powers[overhead, _EQUAL])
        for overhead in OVERHEADS
        for counts in UNEQUAL
        if counts != _EQUAL
    ]
    first, last = UNEQUAL[0], UNEQUAL[-1]
    return Judgement(
        verdict=by_share(holds),
        ours="; ".join(
            f"{'with' if overhead else 'without'} processing times "
            + ", ".join(f"{counts[0]} and {counts[1]}: {powers[overhead, counts].shown(2)}" for counts in UNEQUAL)
            for overhead in OVERHEADS
        ),
        ns2=DASH,
        why=f"The power is the same as with equal groups at {sum(holds)} of {len(holds)} places; with processing "
        f"times it goes from {powers[OVERHEADS[0], first].mean:.2f} where {first[0]} of 50 are near to "
        f"{powers[OVERHEADS[0], last].mean:.2f} where {last[0]} are.",
    )


def _several(evidence: HasDistances) -> Judgement:
    powers = list(exponents_of(evidence.distances.several).values())
    two = exponents_of(evidence.distances.unequal)
    holds = [
        low(five) <= high(two[overhead, _EQUAL]) and low(two[overhead, _EQUAL]) <= high(five)
        for overhead, five in zip(OVERHEADS, powers, strict=True)
    ]
    return Judgement(
        verdict=Verdict.REPRODUCED if all(holds) else Verdict.DEPENDS if any(holds) else Verdict.NOT,
        setting=SETTING if any(holds) and not all(holds) else "",
        ours=f"the power with five groups {powers[0].shown(2)} with processing times, {powers[1].shown(2)} without; "
        "with two " + ", ".join(two[overhead, _EQUAL].shown(2) for overhead in OVERHEADS),
        ns2=DASH,
        why="With five groups goodput falls with a power of the round trip that is "
        + " and ".join(
            f"{'the same as' if same else 'another than'} with two {'with' if overhead else 'without'} processing times"
            for same, overhead in zip(holds, OVERHEADS, strict=True)
        )
        + ".",
    )


DISTANCES: tuple[Claim[HasDistances], ...] = (
    Claim(
        key="5.3-1",
        where="5.3; Figure 23, (A1)",
        text="The ratio of the throughputs of two groups is between the square of the ratio of their round-trip times, "
        "inverted, and twice that.",
        paper="1 to 2 times the square",
        rule="By the places at which ns-2 was run, with processing times up to one transmission as the paper has "
        "them: reproduced if all ratios of goodput are within the band, or no further off than chance, partly if "
        "most, else not; depends on processing times if without them it is the other way.",
        judge=_band,
        command=run_command(_FILE, []),
    ),
    Claim(
        key="5.3-2",
        where="5.3; Figure 23",
        text="The ratios do not match the square of the round trips' ratio very well.",
        paper="not very well",
        rule=f"Reproduced if all ratios are more than a factor of {NEAR_THE_SQUARE:g} off, partly if most, else not.",
        judge=_square,
        command=run_command(_FILE, ["clients.1.access.delay=52 ms"]),
    ),
    Claim(
        key="5.3-3",
        where="5.3",
        text="The ratio of two single connections is unpredictable, that of two groups of reasonable size is stable.",
        paper="relatively stable",
        rule="By the standard deviation of the logarithm of the ratio, over nine distances around four times that "
        f"of the nearer group: reproduced if with groups of {GROUPS[-1]} it is below {STABLE:g} of what it is with "
        "single connections, with processing times and without; depends on them if with one of the two; else not.",
        judge=_stable,
        command=run_command(_FILE, ["clients.0.count=1", "clients.1.count=1"], record="windows"),
    ),
    Claim(
        key="5.3-4",
        where="5.3, left for later by its authors",
        text="Groups of unequal size share the link as equal ones do.",
        paper=DASH,
        rule="By the power of the round-trip time with which the goodput of a connection falls: reproduced if it is "
        "the same as with equal groups, by the intervals, with every split of 50 connections; partly if with most; "
        "else not.",
        judge=_sizes,
        command=run_command(_FILE, ["clients.0.count=45", "clients.1.count=5"]),
    ),
    Claim(
        key="5.3-5",
        where="5.3, left for later by its authors",
        text="Five groups share the link as two do.",
        paper=DASH,
        rule="By the same power: reproduced if with five groups of 10, at 1 to 16 times the distance, it is the "
        "same as with two of 25, by the intervals, with processing times and without; depends on them if with one "
        "of the two; else not.",
        judge=_several,
        command=run_command(_FILE, ["clients.1.access.delay=766 ms"]),
    ),
)
"""Of section 5.3."""
