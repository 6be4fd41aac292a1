"""What the paper claims of connections at unequal distances, and what its authors left for later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from ackclock.analysis.models import rtt_bias_band
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share
from ackclock.papers.manyflows.distances import (
    GROUPS,
    OVERHEADS,
    UNEQUAL,
    exponents_of,
    ns2_shares,
    pair_spread,
    spots,
    spread,
)
from ackclock.papers.reading import DASH, either, jackknife, run_command
from ackclock.papers.truth import (
    NO,
    OPEN,
    YES,
    Truth,
    above,
    at_least,
    at_most,
    below,
    count,
    counted,
    near,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.manyflows.distances import Distances, Share, Spot

__all__ = ["DISTANCES", "HasDistances"]

NEAR_THE_SQUARE = 1.25
"""A factor within which a ratio matches the square of the round trips' ratio."""
SAME_POWER = 0.2
"""The difference up to which two powers of the round trip are the same."""
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


def _split(shares: Sequence[Share], holds: Callable[[Spot], Truth]) -> list[list[Truth]]:
    """Ask a question at each point of Figure 23 with processing times, and at each without."""
    return [[holds(spot) for spot in spots(shares) if spot.case.overhead == overhead] for overhead in OVERHEADS]


def _counted(words: str, answers: Sequence[Sequence[Truth]]) -> str:
    busy, plain = answers
    return f"{words} at {counted(busy, 'points')} with processing times, {counted(plain, 'points')} without"


def _inside(spot: Spot) -> Truth:
    band = rtt_bias_band(rtt_1=1.0, rtt_2=spot.rtt_ratio)
    return at_least(spot.ratio, float(band.low)) & at_most(spot.ratio, float(band.high))


def _by_mean(holds: Callable[[Spot], Truth]) -> Callable[[Spot], Truth]:
    """Ask of the mean alone, as it is asked of ns-2, which was run once."""
    return lambda spot: holds(replace(spot, ratio=replace(spot.ratio, half_width=0.0)))


def _band(evidence: HasDistances) -> Judgement:
    shares = evidence.distances.figure23
    answers, theirs = _split(shares, _inside), _split(ns2_shares(), _by_mean(_inside))
    low, high = (
        [count(some) for some in _split(shares, lambda spot, end=end: _outside(spot, end))]  # type: ignore[misc]
        for end in ("low", "high")
    )
    verdict, other = (by_share(some) for some in answers)
    parts = Verdict.UNDECIDED not in {verdict, other} and (verdict is Verdict.NOT) is not (other is Verdict.NOT)
    return Judgement(
        verdict=Verdict.DEPENDS if parts else verdict,
        setting=SETTING if parts else "",
        ours=_counted("inside", answers),
        ns2=_counted("inside", theirs),
        why=f"With the processing times that the paper prescribes {low[0]} points lie clearly below "
        f"the band and {high[0]} clearly above it, without them {low[1]} and {high[1]}.",
    )


def _outside(spot: Spot, end: str) -> Truth:
    band = rtt_bias_band(rtt_1=1.0, rtt_2=spot.rtt_ratio)
    return below(spot.ratio, float(band.low)) if end == "low" else above(spot.ratio, float(band.high))


def _square(evidence: HasDistances) -> Judgement:
    def off(spot: Spot) -> Truth:
        square = spot.rtt_ratio**2
        return above(spot.ratio, square, times=NEAR_THE_SQUARE) | above(square, spot.ratio, times=NEAR_THE_SQUARE)

    answers, theirs = _split(evidence.distances.figure23, off), _split(ns2_shares(), _by_mean(off))
    every = [answer for some in answers for answer in some]
    return Judgement(
        verdict=by_share(every),
        ours=_counted("off", answers),
        ns2=_counted("off", theirs),
        why=f"{counted(every, 'ratios')} are clearly more than a factor of {NEAR_THE_SQUARE:g} off the square.",
    )


def _stable(evidence: HasDistances) -> Judgement:
    found: list[tuple[float, float, float]] = []
    holds: list[Truth] = []
    for overhead in OVERHEADS:
        single, group = (
            [
                share
                for share in evidence.distances.groups
                if (share.case.overhead, share.case.counts[0]) == (overhead, size)
            ]
            for size in (GROUPS[0], GROUPS[-1])
        )
        holds.append(below(jackknife([*single, *group], _excess), 0))
        found.append((2 ** spread(single), 2 ** spread(group), 2 ** pair_spread(group)))
    verdict, setting = either(holds, SETTING)
    said = {YES: "stable", NO: "not stable", OPEN: "perhaps stable"}
    words = [f"{single:.2f} and {group:.2f}" for single, group, _ in found]
    return Judgement(
        verdict=verdict,
        setting=setting,
        ours=f"one standard deviation is a factor of, for two connections and for groups of {GROUPS[-1]}: "
        f"{words[0]} with processing times, {words[1]} without",
        ns2=DASH,
        why="Over nine distances that differ by 1 % groups are "
        f"{said[holds[0]]} with processing times and {said[holds[1]]} without"
        + (", since all of a group share their phase" if holds[1] is NO else "")
        + "; single connections of such groups still differ by a factor of "
        f"{found[0][2]:.2f} with them.",
    )


def _excess(shares: Sequence[Share]) -> float:
    """Give by how much groups vary more than the part of what two connections do that is called stable."""
    by_size = {size: [share for share in shares if share.case.counts[0] == size] for size in (GROUPS[0], GROUPS[-1])}
    return spread(by_size[GROUPS[-1]]) - STABLE * spread(by_size[GROUPS[0]])


def _sizes(evidence: HasDistances) -> Judgement:
    powers = exponents_of(evidence.distances.unequal)
    holds = [
        near(powers[overhead, counts], powers[overhead, _EQUAL], by=SAME_POWER)
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
        why=f"The power is the same as with equal groups at {counted(holds, 'points')}; with processing "
        f"times it goes from {powers[OVERHEADS[0], first].mean:.2f} where {first[0]} of 50 are near to "
        f"{powers[OVERHEADS[0], last].mean:.2f} where {last[0]} are.",
    )


def _several(evidence: HasDistances) -> Judgement:
    powers = list(exponents_of(evidence.distances.several).values())
    two = exponents_of(evidence.distances.unequal)
    holds = [near(five, two[overhead, _EQUAL], by=SAME_POWER) for overhead, five in zip(OVERHEADS, powers, strict=True)]
    verdict, setting = either(holds, SETTING)
    said = {YES: "the same as", NO: "another than", OPEN: "perhaps the same as"}
    return Judgement(
        verdict=verdict,
        setting=setting,
        ours=f"the power with five groups {powers[0].shown(2)} with processing times, {powers[1].shown(2)} without; "
        "with two " + ", ".join(two[overhead, _EQUAL].shown(2) for overhead in OVERHEADS),
        ns2=DASH,
        why="With five groups goodput falls with a power of the round trip that is "
        + " and ".join(
            f"{said[same]} with two {'with' if overhead else 'without'} processing times"
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
        rule="The points are those at which ns-2 was run, with processing times up to one transmission as the paper "
        f"has them: the ratio of goodput is within the band. {BY_SHARE} It depends on processing times if it is at "
        "least partly reproduced either with or without them, and not reproduced otherwise.",
        judge=_band,
        command=run_command(_FILE, []),
    ),
    Claim(
        key="5.3-2",
        where="5.3; Figure 23",
        text="The ratios do not match the square of the round trips' ratio very well.",
        paper="not very well",
        rule=f"The points are the ratios: each is clearly more than a factor of {NEAR_THE_SQUARE:g} off. {BY_SHARE}",
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
        "single connections, with processing times and without; depends on them if with one of the two; otherwise not "
        f"reproduced. {ELSE_UNDECIDED}",
        judge=_stable,
        command=run_command(_FILE, ["clients.0.count=1", "clients.1.count=1"], record="windows"),
    ),
    Claim(
        key="5.3-4",
        where="5.3, left for later by its authors",
        text="Groups of unequal size share the link as equal ones do.",
        paper=DASH,
        rule="The points are the unequal splits of 50 connections, with processing times and without: the power of the "
        f"round-trip time with which the goodput of a connection falls is within {SAME_POWER:g} of that with equal "
        f"groups. {BY_SHARE}",
        judge=_sizes,
        command=run_command(_FILE, ["clients.0.count=45", "clients.1.count=5"]),
    ),
    Claim(
        key="5.3-5",
        where="5.3, left for later by its authors",
        text="Five groups share the link as two do.",
        paper=DASH,
        rule=f"By the same power: reproduced if with five groups of 10, at 1 to 16 times the distance, it is within "
        f"{SAME_POWER:g} of that with two of 25, with processing times and without; depends on them if with one of the "
        f"two; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_several,
        command=run_command(_FILE, ["clients.1.access.delay=766 ms"]),
    ),
)
"""Of section 5.3."""
