"""Causes in the sender and at the start: the base round trip, the start-up, ties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.reading import shown, told
from ackclock.papers.truth import NO, YES, Truth, above, apart, counted, most, some
from ackclock.papers.truth import OPEN as UNDECIDED
from ackclock.papers.vegas.claims.reading import at_each, outcomes, told_along
from ackclock.papers.vegas.evidence import PAPERS_BUFFERS, line, papers
from ackclock.papers.vegas.experiment import GREEDY, OPEN, POISSON, SHARES, Place
from ackclock.papers.vegas.measures import ALIKE, EFFECT, interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.vegas.evidence import Evidence
    from ackclock.papers.vegas.measures import Runs

__all__ = ["LONGER", "defect", "full_queue", "papers_start", "startup", "ties"]

LONGER = 0.005
"""The smallest difference of two least round-trip times that counts as one, s."""

EARLY = [place for buffer in PAPERS_BUFFERS for place in papers(buffer)]
"""The papers' places."""


def full_queue(evidence: Evidence) -> Judgement:
    """Judge "a base round trip taken with a full queue helps Vegas"."""
    clean, full = (
        {
            "30 join 30, greedy, 500 packets": Place(application=GREEDY, buffer=500, start=start),
            "open window, 500": Place(application=OPEN, buffer=500, start=start),
            "open window, 1,500": Place(application=OPEN, buffer=1500, start=start),
            "open window, 3,000": Place(application=OPEN, buffer=3000, start=start),
            "3 join 57, Poisson, 1,500": Place(vegas=SHARES[0], buffer=1500, start=start),
        }
        for start in (0, 10)
    )
    clean |= {"20 join 40, Poisson, 1,500": papers(1500, start=10)[0]}
    full |= {"20 join 40, Poisson, 1,500": papers(1500)[0]}
    runs = evidence.ours
    holds = [
        above(interval(runs, full[name]), interval(runs, clean[name]), by=EFFECT)
        & above(*(interval(runs, where[name], "vegas_rtt_least") for where in (full, clean)), by=LONGER)
        for name in full
    ]
    longest = [
        f"{1e3 * interval(runs, where[name], 'vegas_rtt_least').mean:.0f}" for name in full for where in (clean, full)
    ]
    seen = ", ".join(f"{before} and {after}" for before, after in zip(longest[::2], longest[1::2], strict=True))

    def say(side: Runs) -> str:
        parts = [
            f"{name} {shown(interval(side, clean[name]), 2)} and {shown(interval(side, full[name]), 2)}"
            for name in full
            if clean[name] in side and full[name] in side
        ]
        if not parts:
            raise LookupError("none of these places was run")
        return "ratio when Vegas starts with a short queue, and with a long one: " + "; ".join(parts)

    return Judgement(
        verdict=by_share(holds),
        why="Vegas clearly gets more, and its least round-trip time is clearly longer, when it starts with a long "
        f"queue at {counted(holds, 'points')}: {seen} ms."
        + (" Vegas mistakes the standing queue for propagation delay." if most(holds) is YES else ""),
        **told(evidence, say),
    )


def papers_start(evidence: Evidence) -> Judgement:
    """Judge "that is why Vegas holds its own in the papers with a large buffer"."""
    early, late = papers(1500)[0], papers(1500, start=10)[0]
    runs = evidence.ours
    met = [interval(runs, place, "queue_met").mean for place in (early, late)]
    more = above(interval(runs, early), interval(runs, late), by=EFFECT)
    holds = outcomes(runs, [early])[early]
    gains = {
        YES: "clearly gives them more",
        NO: "clearly gives them no more",
        UNDECIDED: "may or may not give them more",
    }
    return Judgement(
        verdict=graded(whole=more & holds, part=more),
        why=f"20 Vegas clients that join 40 of Reno behind FIFO of 1500 packets meet {met[0]:.0f} packets in the first "
        f"second at 1 s and {met[1]:.0f} at 10 s; the early start "
        + gains[more]
        + (", and yet they lose." if holds is NO else "."),
        **told(evidence, at_each("ratio", {"start at 1 s": early, "at 10 s": late})),
    )


def largest_gap(pairs: Sequence[tuple[Interval, Interval]]) -> float:
    """Give the largest difference of the means of two intervals."""
    return max(abs(one.mean - other.mean) for one, other in pairs)


def startup(evidence: Evidence) -> Judgement:
    """Judge "what the papers see is the start-up"."""
    whole = {place: replace(place, whole=True) for place in EARLY}
    runs = evidence.ours
    both = [(interval(runs, other), interval(runs, place)) for place, other in whole.items()]
    holds = [apart(one, other, by=ALIKE) for one, other in both]
    return Judgement(
        verdict=by_share(holds),
        why=f"Measured from the start and from 90 s on, the ratios differ by {largest_gap(both):.3f} at most, and "
        f"clearly by more than {ALIKE} at {counted(holds, 'points')}."
        + (" The start-up matters only through its lasting effect." if some(holds) is NO else ""),
        **told(
            evidence,
            at_each(
                "ratio from the start and from 90 s on, FIFO, 20 join 40",
                {
                    f"{place.buffer:,} packets{words}": there
                    for place in EARLY
                    if place.gateway == "FIFO" and place.vegas == 20
                    for words, there in ((" from 0 s", whole[place]), (" from 90 s", place))
                },
            ),
        ),
    )


def ties(evidence: Evidence) -> Judgement:
    """Judge "exact ties decide what Vegas gets"."""
    tied = {place: replace(place, ties=True) for place in EARLY}
    runs = evidence.ours
    both = [(interval(runs, place), interval(runs, other)) for place, other in tied.items()]
    differ = [apart(one, other, by=EFFECT) for one, other in both]
    return Judgement(
        verdict=by_share(differ),
        why=f"Without processing time, so that exact ties decide, the ratio clearly differs at "
        f"{counted(differ, 'points')} of the papers' curves, by {largest_gap(both):.2f} at most.",
        **told(
            evidence,
            at_each(
                "ratio behind 50 packets with 0 to 12 µs before each sending, and with none",
                {
                    f"{place.gateway}, {place.vegas} of 60{words}": there
                    for place in EARLY
                    if place.buffer == PAPERS_BUFFERS[0]
                    for words, there in ((" with", place), (" without", tied[place]))
                },
            ),
        ),
    )


def defect(evidence: Evidence) -> Judgement:
    """Judge "ns-2's rule for the base round trip costs Vegas its part where buffers are small"."""
    starts = (0, 10)
    pairs = [
        (replace(place, base_rtt="minimum"), place)
        for application in (POISSON, OPEN)
        for start in starts
        for place in line(Place(application=application, start=start))
    ]
    runs = evidence.ours

    def costs(buffers: tuple[int, ...]) -> list[Truth]:
        return [
            above(interval(runs, better), interval(runs, place), by=EFFECT)
            for better, place in pairs
            if place.buffer in buffers
        ]

    small, large = costs((10, 50)), costs((500, 1500, 3000))
    lines: Mapping[str, list[Place]] = {
        "ns-2's rule": line(Place(application=OPEN)),
        "the least sample": [replace(place, base_rtt="minimum") for place in line(Place(application=OPEN))],
    }
    return Judgement(
        verdict=by_share([*small, *(~one for one in large)]),
        why="With the least round-trip sample as the base, instead of ns-2's rule, Vegas clearly gets more at "
        f"{counted(small, 'points')} with a buffer of 10 or 50 packets and at {counted(large, 'points')} from 500 "
        "packets on" + (": the defect is not why it loses with a large buffer." if most(large) is NO else "."),
        **told(evidence, told_along("ratio, greedy with an open window", lines)),
    )
