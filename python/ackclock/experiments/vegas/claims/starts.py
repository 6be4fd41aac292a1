"""Causes in the sender and at the start: the base round trip, the start-up, ties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.experiments.claims import Judgement, by_share, graded
from ackclock.experiments.reading import clearly, shown, told
from ackclock.experiments.vegas.claims.reading import at_each, outcomes, told_along
from ackclock.experiments.vegas.evidence import PAPERS_BUFFERS, line, papers
from ackclock.experiments.vegas.experiment import GREEDY, OPEN, POISSON, SHARES, Place
from ackclock.experiments.vegas.measures import Outcome, interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.experiments.vegas.evidence import Evidence
    from ackclock.experiments.vegas.measures import Runs

__all__ = ["ALIKE", "defect", "full_queue", "papers_start", "startup", "ties"]

ALIKE = 0.1
"""The most by which two ratios differ that count as alike."""

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
        clearly(interval(runs, full[name]), interval(runs, clean[name])) is True
        and clearly(interval(runs, full[name], "vegas_rtt_least"), interval(runs, clean[name], "vegas_rtt_least"))
        is True
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
        return "ratio where Vegas comes to a queue that is short, and to one that is long: " + "; ".join(parts)

    return Judgement(
        verdict=by_share(holds),
        why=f"At {sum(holds)} of {len(holds)} places Vegas clearly gets more, and has clearly a longer least round "
        f"trip, where it comes to a long queue: {seen} ms."
        + (" What waits when it comes counts as distance." if 2 * sum(holds) > len(holds) else ""),
        **told(evidence, say),
    )


def papers_start(evidence: Evidence) -> Judgement:
    """Judge "that is why Vegas holds its own in the papers with a large buffer"."""
    early, late = papers(1500)[0], papers(1500, start=10)[0]
    runs = evidence.ours
    met = [interval(runs, place, "queue_met").mean for place in (early, late)]
    more = clearly(interval(runs, early), interval(runs, late)) is True
    lost = outcomes(runs, [early])[early] is Outcome.LOSES
    return Judgement(
        verdict=graded(whole=more and not lost, part=more),
        why=f"20 Vegas clients that join 40 of Reno behind FIFO of 1500 packets meet {met[0]:.0f} packets in the first "
        f"second at 1 s and {met[1]:.0f} at 10 s; the early start "
        + ("clearly gives them more" if more else "gives them no more that is clear")
        + (", and yet they lose." if lost else "."),
        **told(evidence, at_each("ratio", {"start at 1 s": early, "at 10 s": late})),
    )


def startup(evidence: Evidence) -> Judgement:
    """Judge "what the papers see is the start-up"."""
    whole = {place: replace(place, whole=True) for place in EARLY}
    runs = evidence.ours
    apart = {place: abs(interval(runs, other).mean - interval(runs, place).mean) for place, other in whole.items()}
    return Judgement(
        verdict=by_share([gap > ALIKE for gap in apart.values()]),
        why=f"Measured from the start or from 90 s on, Vegas' part differs by {max(apart.values()):.3f} at most at the "
        f"papers' {len(apart)} places."
        + (" Whatever the start does, it does through what lasts." if max(apart.values()) <= ALIKE else ""),
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
    clear = [clearly(interval(runs, place), interval(runs, other)) is not None for place, other in tied.items()]
    apart = [abs(interval(runs, other).mean - interval(runs, place).mean) for place, other in tied.items()]
    return Judgement(
        verdict=by_share(clear),
        why=f"Without processing time, so that exact ties decide, Vegas' part differs clearly at {sum(clear)} of "
        f"{len(clear)} of the papers' places, by {max(apart):.2f} at most.",
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

    def costs(buffers: tuple[int, ...]) -> list[bool]:
        return [
            clearly(interval(runs, better), interval(runs, place)) is True
            for better, place in pairs
            if place.buffer in buffers
        ]

    small, large = costs((10, 50)), costs((500, 1500, 3000))
    lines: Mapping[str, list[Place]] = {
        "ns-2's rule": line(Place(application=OPEN)),
        "the least sample": [replace(place, base_rtt="minimum") for place in line(Place(application=OPEN))],
    }
    return Judgement(
        verdict=by_share([*small, *(not one for one in large)]),
        why="With the least round trip for Vegas' base in place of ns-2's rule, Vegas clearly gets more at "
        f"{sum(small)} of {len(small)} places with room for 10 or 50 packets and at {sum(large)} of {len(large)} from "
        "500 packets on"
        + (": the defect is not why it loses with a large buffer." if 2 * sum(large) < len(large) else "."),
        **told(evidence, told_along("ratio, greedy with an open window", lines)),
    )
