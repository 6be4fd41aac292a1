"""Causes in what clients send: load, endless data, windows, transfers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import BOTTLENECK_RATE, PACKET_SIZE
from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.reading import shown, told
from ackclock.papers.truth import YES, above, counted, every, near
from ackclock.papers.vegas.claims.reading import along, at_each, outcomes, tally, told_along
from ackclock.papers.vegas.evidence import IDLE, LIGHT, line
from ackclock.papers.vegas.experiment import CLIENTS, GREEDY, OPEN, POISSON, RATE, SHARES, TRANSFERS, Place
from ackclock.papers.vegas.measures import EFFECT, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.vegas.evidence import Evidence

__all__ = ["NEAR", "greed", "leftover", "leftovers", "slow_start", "unsaturated", "window"]

CAPACITY = BOTTLENECK_RATE / (8 * PACKET_SIZE)
"""Packets a second that the bottleneck carries."""

NEAR = 0.02
"""How near to what Reno's applications leave counts as that."""


def leftover(vegas: int) -> float:
    """Give what a Vegas client gets over a Reno client where Reno's Poisson sources are sent in full.

    Examples
    --------
    >>> round(leftover(30), 3)
    0.389

    """
    return (CAPACITY - (CLIENTS - vegas) * RATE) / vegas / RATE


def unsaturated(evidence: Evidence) -> Judgement:
    """Judge "unsaturated, Vegas holds its own with any buffer"."""
    light, usual = line(Place(load=LIGHT)), line(Place())
    found, others = outcomes(evidence.ours, light), outcomes(evidence.ours, usual)
    return Judgement(
        verdict=by_share(list(found.values())),
        why=f"With Poisson sources of {LIGHT * RATE:g} packets a second, which leave a seventh of the link free, "
        f"{tally(found)}; with {RATE}, {tally(others)}.",
        **told(evidence, told_along("ratio", {f"{LIGHT * RATE:g} packets/s": light, f"{RATE} packets/s": usual})),
    )


def leftovers(evidence: Evidence) -> Judgement:
    """Judge "behind a large buffer Vegas gets what Reno's Poisson sources leave"."""
    where = [
        Place(buffer=1500, vegas=vegas, start=start) for vegas in SHARES if vegas >= CLIENTS // 2 for start in (0, 10)
    ]
    found = along(evidence.ours, where)
    holds = [near(ratio, leftover(place.vegas), by=NEAR * leftover(place.vegas)) for place, ratio in found.items()]
    left = ", ".join(f"{leftover(vegas):.3f}" for vegas in SHARES if vegas >= CLIENTS // 2)
    return Judgement(
        verdict=by_share(holds),
        why="With a buffer of 1500 packets and 30, 45 or 57 Vegas clients, what Reno's applications leave is a ratio "
        f"of {left}; Vegas gets that within {100 * NEAR:.0f} % at {counted(holds, 'points')}."
        + (" Reno takes no more there because its sources offer no more." if every(holds) is YES else ""),
        **told(
            evidence,
            at_each(
                "ratio",
                {f"{place.vegas} of 60, start {place.start} s": place for place in where},
                digits=3,
            ),
        ),
    )


def greed(evidence: Evidence) -> Judgement:
    """Judge "endless data and an open window are Reno's"."""
    pairs = _against(Place(application=POISSON), Place(application=OPEN))
    return _clear(
        evidence,
        pairs,
        "With greedy sources and an open window the ratio is clearly lower than with Poisson sources of 100 packets a "
        "second and a window of 20",
        ("Poisson, window 20", "greedy, open window"),
    )


def window(evidence: Evidence) -> Judgement:
    """Judge "an advertised window of 20 packets protects Vegas"."""
    pairs = _against(Place(application=GREEDY), Place(application=OPEN))
    return _clear(
        evidence,
        pairs,
        "With greedy sources on both sides, the ratio is clearly higher with an advertised window of 20 packets, with "
        "which Reno cannot fill the buffer, than with an open one",
        ("window 20", "open window"),
    )


def _against(one: Place, other: Place) -> list[tuple[Place, Place]]:
    """Pair two kinds of place at 1500 and 3000 packets, together and after 10 s."""
    return [
        (replace(one, buffer=buffer, start=start), replace(other, buffer=buffer, start=start))
        for start in (0, 10)
        for buffer in (1500, 3000)
    ]


def _clear(evidence: Evidence, pairs: Sequence[tuple[Place, Place]], words: str, names: tuple[str, str]) -> Judgement:
    """Judge whether the first of each pair clearly has the higher ratio."""
    holds = [above(*(interval(evidence.ours, place) for place in pair), by=EFFECT) for pair in pairs]
    named = {
        f"{name} {place.buffer:,} packets, start {place.start} s": place
        for pair in pairs
        for name, place in zip(names, pair, strict=True)
    }
    return Judgement(
        verdict=by_share(holds),
        why=f"{words} at {counted(holds, 'points')}.",
        **told(evidence, at_each("ratio", named)),
    )


def slow_start(evidence: Evidence) -> Judgement:
    """Judge "with transfers Vegas gets less, for it opens its window more slowly"."""
    idle, busy = Place(application=TRANSFERS, load=IDLE), Place(application=TRANSFERS)
    runs = evidence.ours
    times = [interval(runs, idle, f"{kind}_completion") for kind in ("reno", "vegas")]
    used, ratio = interval(runs, idle, "utilization"), interval(runs, busy)
    greedy = interval(runs, Place(application=OPEN))
    slower = above(times[1], times[0])
    less = above(greedy, ratio, by=EFFECT)
    return Judgement(
        verdict=graded(whole=slower & less, part=slower | less),
        ours=f"mean time of a transfer that hardly meets others: Reno {shown(times[0], 2)}, Vegas {shown(times[1], 2)} "
        f"s; ratio with 50 packets: transfers {shown(ratio, 2)}, endless data {shown(greedy, 2)}",
        ns2="–",  # noqa: RUF001 - for what was not measured
        why=f"On a link that is {100 * used.mean:.0f} % full a transfer takes Vegas "
        f"{times[1].mean / times[0].mean:.2f} times as long as Reno; with a buffer of 50 packets a Vegas client gets "
        f"{ratio.mean:.2f} of what a Reno client gets with transfers and {greedy.mean:.2f} with greedy sources.",
    )
