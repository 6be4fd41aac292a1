"""The rules on large, small and medium pipes: who loses together, what waits, who shares, who is shut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.manyflows.claims.reading import agreed, curves_of, looked
from ackclock.papers.manyflows.experiment import ISDN, T1
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.places import STEADY, curve
from ackclock.papers.reading import at, shown, told
from ackclock.papers.truth import (
    NO,
    OPEN,
    YES,
    Truth,
    above,
    at_least,
    at_most,
    below,
    counted,
    every,
    near,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.manyflows.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = [
    "ACTIVE",
    "ALONE",
    "EMPTY",
    "FAIR",
    "FEWER",
    "FULL",
    "LARGE",
    "LOW",
    "MEDIUM",
    "SMALL",
    "START",
    "TOGETHER",
    "WIDE",
    "active",
    "fairly",
    "fewer_shut_off",
    "fluctuates",
    "local",
    "medium_settles",
    "settles",
    "synchronised",
    "unfairer",
]

LARGE, SMALL, MEDIUM = (
    tuple(name for name, pipe in PIPES.items() if pipe.size == size) for size in ("large", "small", "medium")
)
"""The pipes of each size."""

TOGETHER = 0.3
"""The correlation of losses from which on connections are globally synchronised."""

ALONE = 0.1
"""The one below which they are not."""

EMPTY, FULL = 2 / 3, 0.85
"""The 5th percentile of the buffer, as a part of it: up to the former it swings to about half, from the latter on it is
full and stable."""

FAIR = 0.95
"""Jain's index of very fair shares."""

AXES = {"ISDN, n = 100, B = 400": (20, 140), "T1, n = 100, B = 400": (160, 340)}
"""The ends of the axes on which Figure 6 shows what each connection received."""

WIDE, LOW = 0.25, 0.7
"""The distance of the buffer's 5th and 95th percentiles, and the median, as parts of it: wide, and low."""

ACTIVE = 1 / 3
"""How far from W_c, as a part of it, the active connections may be."""

FEWER = 0.5
"""Considerably fewer connections."""

START = "how connections start"
"""What claims about shut-off connections may depend on."""


def synchronised(evidence: Evidence) -> Judgement:
    """Judge "a large pipe leads to global synchronisation, the buffer swings from half to full"."""

    def holds(side: Side, pipe: str) -> list[Truth]:
        buffer = PIPES[pipe].buffer
        return [
            at_least(looked(side, 0.0, pipe, "correlation"), TOGETHER),
            at_least(looked(side, 0.0, pipe, "share"), 0.9),
            at_most(looked(side, 0.0, pipe, "low"), EMPTY * buffer),
            at_least(looked(side, 0.0, pipe, "high"), 0.95 * buffer),
        ]

    each = [one for pipe in LARGE for one in holds(evidence.ours, pipe)]
    return Judgement(
        verdict=by_share(each),
        why=f"Correlation, losers in an epoch, and the buffer's low and high: {counted(each, 'numbers')} are those of "
        "global synchronisation on both links.",
        **told(evidence, lambda side: _synchrony(side, 0.0, LARGE)),
    )


def _synchrony(side: Side, fraction: float, pipes: Sequence[str]) -> str:
    return "; ".join(
        f"{pipe}: loss correlation {shown(looked(side, fraction, pipe, 'correlation'), 3)}, "
        f"in an epoch {100 * looked(side, fraction, pipe, 'share').mean:.0f} % lose, buffer "
        f"{looked(side, fraction, pipe, 'low').mean:.0f} to {looked(side, fraction, pipe, 'high').mean:.0f}"
        for pipe in pipes
    )


def fairly(evidence: Evidence) -> Judgement:
    """Judge "all connections share a large pipe very fairly"."""
    ours = evidence.ours
    whole = [at_least(looked(ours, 0.0, pipe, "jain_index"), FAIR) for pipe in LARGE]
    shown_too = [
        at_least(looked(ours, 0.0, pipe, "least"), AXES[pipe][0])
        & at_most(looked(ours, 0.0, pipe, "most"), AXES[pipe][1])
        for pipe in LARGE
    ]
    close = [at_least(looked(ours, 0.0, pipe, "jain_index"), 0.8) for pipe in LARGE]

    def say(side: Side) -> str:
        return "; ".join(
            f"{pipe}: Jain's index {shown(looked(side, 0.0, pipe, 'jain_index'), 3)}, received "
            f"{looked(side, 0.0, pipe, 'least').mean:.0f} to {looked(side, 0.0, pipe, 'most').mean:.0f} packets"
            for pipe in LARGE
        )

    return Judgement(
        verdict=graded(whole=every([*whole, *shown_too]), part=every(close)),
        why=f"Jain's index is {FAIR} or more on {counted(whole, 'links')}; least and most in the seconds of Figure "
        f"6 are within its axes on {counted(shown_too, 'links')}.",
        **told(evidence, say),
    )


def active(evidence: Evidence) -> Judgement:
    """Judge "in a small pipe only about W_c connections are active"."""

    def alive(side: Side, spread: str) -> dict[int, Interval]:
        return curves_of(side.starts[spread, 0.0], lambda run: run.clients - (run.values["shut_off"] or 0))[
            curve(T1, 100)
        ]

    answers = {
        spread: [near(number, 100, by=100 * ACTIVE) for number in alive(evidence.ours, spread).values()]
        for spread in ("0 s", "1 s")
    }
    verdict, setting = agreed([by_share(each) for each in answers.values()], START)

    def say(side: Side) -> str:
        return "; ".join(
            f"started {words}: "
            + ", ".join(f"{number.mean:.0f} of {flows}" for flows, number in alive(side, spread).items())
            for spread, words in (("0 s", "at once"), ("1 s", "within a second"))
        )

    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"With W_c = 100, from 50 to 100 s, about as many are active at "
        f"{counted(answers['0 s'], 'numbers of connections')} if all start at once, and at "
        f"{counted(answers['1 s'], 'numbers')} if they start within a second.",
        **told(evidence, say),
    )


def fluctuates(evidence: Evidence) -> Judgement:
    """Judge "in a small pipe the buffer is low and fluctuates a lot"."""

    def parts(side: Side, pipe: str) -> tuple[float, ...]:
        return tuple(looked(side, 0.0, pipe, name).mean / PIPES[pipe].buffer for name in ("low", "middle", "high"))

    wide = [at_least(looked(evidence.ours, 0.0, pipe, _swing), WIDE * PIPES[pipe].buffer) for pipe in SMALL]
    empty = [at_most(looked(evidence.ours, 0.0, pipe, "middle"), LOW * PIPES[pipe].buffer) for pipe in SMALL]
    return Judgement(
        verdict=graded(whole=every([*wide, *empty]), part=some(wide)),
        why=f"The buffer swings by a quarter of it or more in {counted(wide, 'pipes')}; its median is low in "
        f"{counted(empty, 'pipes')}.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{pipe}: 5 % {least:.2f}, median {middle:.2f}, 95 % {most:.2f} of the buffer"
                for pipe in SMALL
                for least, middle, most in [parts(side, pipe)]
            ),
        ),
    )


def _swing(run: Observation) -> float:
    return (run.values["high"] or 0) - (run.values["low"] or 0)


_SAID = {YES: "yes", NO: "no", OPEN: "undecided"}
_LOCAL = ("clearly less correlated", "yet correlated", "not all lose together", "almost none shut off", "less fair")
"""What is asked of a medium pipe."""


def local(evidence: Evidence) -> Judgement:
    """Judge "a medium pipe synchronises locally, not globally; shares less fairly; almost none is shut off"."""
    ours, (pipe,) = evidence.ours, MEDIUM
    large = "T1, n = 100, B = 400"
    holds = [
        above(looked(ours, 0.0, large, "correlation"), looked(ours, 0.0, pipe, "correlation")),
        above(looked(ours, 0.0, pipe, "correlation"), ALONE),
        below(looked(ours, 0.0, pipe, "share"), 0.9),
        at_most(looked(ours, 0.0, pipe, "shut_off"), 1),
        below(looked(ours, 0.0, pipe, "jain_index"), looked(ours, 0.0, large, "jain_index")),
    ]

    def say(side: Side) -> str:
        return "; ".join(
            f"{name}: loss correlation {shown(looked(side, 0.0, name, 'correlation'), 3)}, "
            f"{100 * looked(side, 0.0, name, 'share').mean:.0f} % lose in an epoch, "
            f"{looked(side, 0.0, name, 'shut_off').mean:.1f} shut off, "
            f"Jain's index {shown(looked(side, 0.0, name, 'jain_index'), 3)}"
            for name in (pipe, large)
        )

    return Judgement(
        verdict=by_share(holds),
        why="Compared with the large pipe: "
        + ", ".join(f"{word}: {_SAID[one]}" for word, one in zip(_LOCAL, holds, strict=True))
        + ".",
        **told(evidence, say),
    )


def settles(evidence: Evidence) -> Judgement:
    """Judge "processing time of up to a tenth of the round trip breaks global synchronisation"."""
    ours = evidence.ours
    apart = [at_most(looked(ours, 0.1, pipe, "correlation"), ALONE) for pipe in LARGE]
    stable = [at_least(looked(ours, 0.1, pipe, "low"), FULL * PIPES[pipe].buffer) for pipe in LARGE]
    lower = [above(looked(ours, 0.0, pipe, "correlation"), looked(ours, 0.1, pipe, "correlation")) for pipe in LARGE]
    return Judgement(
        verdict=graded(whole=every([*apart, *stable, *lower]), part=every(lower)),
        why=f"The correlation is clearly lower on {counted(lower, 'links')}, and clearly at most {ALONE} on "
        f"{counted(apart, 'links')}; the buffer stays full on {counted(stable, 'links')}.",
        **told(evidence, lambda side: f"{_synchrony(side, 0.1, LARGE)}; without: {_correlations(side, LARGE)}"),
    )


def _correlations(side: Side, pipes: Sequence[str]) -> str:
    return ", ".join(shown(looked(side, 0.0, pipe, "correlation"), 3) for pipe in pipes)


def unfairer(evidence: Evidence) -> Judgement:
    """Judge "breaking the synchronisation increases unfairness and loss"."""
    ours = evidence.ours

    def pairs(side: Side, measure: str) -> dict[str, tuple[Interval, Interval]]:
        return {pipe: (looked(side, 0.0, pipe, measure), looked(side, 0.1, pipe, measure)) for pipe in LARGE}

    more = [above(after, before) for before, after in pairs(ours, "loss").values()]
    worse = [above(before, after) for before, after in pairs(ours, "jain_index").values()]
    return Judgement(
        verdict=by_share([*more, *worse]),
        why=f"Loss is clearly higher on {counted(more, 'links')}, Jain's index clearly lower on "
        f"{counted(worse, 'links')}.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{pipe}: {word} {shown(before, 4)}, then {shown(after, 4)}"
                for measure, word in (("loss", "loss"), ("jain_index", "Jain's index"))
                for pipe, (before, after) in pairs(side, measure).items()
            ),
        ),
    )


def fewer_shut_off(evidence: Evidence) -> Judgement:
    """Judge "in a small pipe processing time makes far fewer shut-off connections, and a full and stable buffer"."""
    ours = evidence.ours

    def starved(side: Side) -> dict[str, tuple[Interval, Interval]]:
        return {pipe: (looked(side, 0.0, pipe, "starved"), looked(side, 0.1, pipe, "starved")) for pipe in SMALL}

    def after(side: Side) -> Mapping[str, Interval]:
        return {pipe: looked(side, 0.1, pipe, "low") for pipe in SMALL}

    def long(side: Side) -> str:
        name = curve(ISDN, 100)
        points = (at(side.counted(STEADY, fraction), name, 600, "shut_off") for fraction in (0.0, 0.1))
        return ", then ".join(shown(point, 0) for point in points)

    fewer = [above(most, least) & ~above(least, most, times=FEWER) for most, least in starved(ours).values()]
    full = [at_least(point, FULL * PIPES[pipe].buffer) for pipe, point in after(ours).items()]
    return Judgement(
        verdict=graded(whole=every([*fewer, *full]), part=every(full) | every(fewer)),
        why=f"The connections below a tenth of their share are clearly at most half as many in "
        f"{counted(fewer, 'pipes')}; the buffer stays full in {counted(full, 'pipes')}.",
        **told(
            evidence,
            lambda side: (
                "; ".join(
                    f"{pipe}: below a tenth {shown(most, 0)}, then {shown(least, 0)}, buffer's 5 % at "
                    f"{after(side)[pipe].mean:.0f}"
                    for pipe, (most, least) in starved(side).items()
                )
                + f"; ISDN, W_c 100, n = 600, shut off from 500 to 2000 s: {long(side)}"
            ),
        ),
    )


def medium_settles(evidence: Evidence) -> Judgement:
    """Judge "in a medium pipe the local synchronisation goes, the buffer is full, goodput stays reasonable"."""
    ours, (pipe,) = evidence.ours, MEDIUM
    holds = [
        at_most(looked(ours, 0.1, pipe, "correlation"), ALONE),
        at_least(looked(ours, 0.1, pipe, "low"), FULL * PIPES[pipe].buffer),
        at_most(looked(ours, 0.1, pipe, "shut_off"), 1),
    ]
    return Judgement(
        verdict=by_share(holds),
        why=f"No correlation, a full buffer, nobody shut off: {counted(holds, 'hold')}.",
        **told(
            evidence,
            lambda side: (
                f"loss correlation {shown(looked(side, 0.0, pipe, 'correlation'), 3)}, then "
                f"{shown(looked(side, 0.1, pipe, 'correlation'), 3)}; buffer's 5 % at "
                f"{looked(side, 0.0, pipe, 'low').mean:.0f}, then {looked(side, 0.1, pipe, 'low').mean:.0f}; "
                f"{looked(side, 0.1, pipe, 'shut_off').mean:.1f} shut off"
            ),
        ),
    )
