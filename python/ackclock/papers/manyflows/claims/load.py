"""The rules on throughput and goodput of all connections together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.analysis import student_interval
from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.manyflows.claims.reading import curves_of, slope
from ackclock.papers.manyflows.experiment import ISDN, T1
from ackclock.papers.manyflows.places import BUFFERS, CAPPED, FAR_PIPE, MODERN_CAPACITIES, STEADY, curve
from ackclock.papers.reading import shown, span, told
from ackclock.papers.truth import (
    Truth,
    above,
    at_least,
    at_most,
    below,
    counted,
    every,
    most,
    near,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.manyflows.claims.reading import Points
    from ackclock.papers.manyflows.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = [
    "FALL",
    "FULL",
    "LITTLE",
    "LOSSY",
    "NEARLY",
    "NEGLIGIBLE",
    "TIMERS",
    "fills_when_many",
    "goodput_falls",
    "large_buffer_fills",
    "little_affected",
    "needless_when_lossy",
    "negligible",
    "underused",
    "underused_in_synchrony",
]

FULL = 0.995
"""The part of the link's rate from which on it is full."""

NEARLY = 0.9
"""The part that is close to it, for many connections behind a small buffer."""

FALL = 0.05
"""How far goodput falls from the fewest to the most connections, where it falls: a part of the link's rate."""

NEGLIGIBLE = 0.025
"""The part of the link's rate that unnecessary retransmissions may take."""

LOSSY = 0.2
"""The loss from which on the paper finds more than that."""

LITTLE = 0.025
"""The difference in throughput or goodput, as a part of the link's rate, that is little."""

TIMERS = "the timers of the TCP"
"""What goodput may depend on: those of 1999, or of ns-2.35."""

_FEWEST = 20
"""Connections from which on goodput is asked to fall."""

_SMALL = tuple(buffer for buffer in BUFFERS if buffer < FAR_PIPE.pipe)
_LARGE = tuple(buffer for buffer in BUFFERS if buffer >= FAR_PIPE.pipe)


def _far(side: Side) -> str:
    return "1, 10 and 100 connections: " + "; ".join(
        f"{name} " + ", ".join(f"{points[flows].mean:.3f}" for flows in (1, 10, 100))
        for name, points in curves_of(side.far[0.0], "throughput").items()
    )


def underused_in_synchrony(evidence: Evidence) -> Judgement:
    """Judge "with less buffer than W_c / 2, halving in synchrony leaves the link idle"."""
    found = curves_of(evidence.ours.far[0.0], "throughput")
    idle = [below(found[f"B = {buffer}"][flows], FULL) for buffer in _SMALL for flows in (1, 2, 5, 10)]
    full = [at_least(found[f"B = {buffer}"][flows], FULL) for buffer in _LARGE for flows in (1, 2, 5, 10)]
    return Judgement(
        verdict=by_share([*idle, *full]),
        why=f"With up to 10 connections the link is clearly not full at {counted(idle, 'points')} with less buffer "
        f"than half of W_c, which is less than W_opt, and full at {counted(full, 'points')} with more.",
        **told(evidence, _far),
    )


def underused(evidence: Evidence) -> Judgement:
    """Judge "the fewer connections and the smaller the buffer, the lower the utilisation below W_opt"."""
    found = curves_of(evidence.ours.far[0.0], "throughput")
    smaller = [
        above(found[f"B = {more}"][flows], found[f"B = {less}"][flows])
        for less, more in zip(_SMALL, (*_SMALL[1:], _LARGE[0]), strict=True)
        for flows in (1, 2, 5, 10)
    ]
    many = [above(found[f"B = {buffer}"][100], found[f"B = {buffer}"][10]) for buffer in _SMALL]
    few = [above(found[f"B = {buffer}"][10], found[f"B = {buffer}"][1]) for buffer in _SMALL]
    return Judgement(
        verdict=graded(whole=every([*smaller, *many, *few]), part=every([*smaller, *many])),
        why=f"A smaller buffer clearly gives less at {counted(smaller, 'points')}; 100 connections clearly get more "
        f"than 10 with {counted(many, 'buffers')}, 10 more than 1 with {counted(few, 'buffers')}.",
        **told(evidence, _far),
    )


def large_buffer_fills(evidence: Evidence) -> Judgement:
    """Judge "with a buffer above W_opt the throughput is about 1 for any number of connections"."""

    def found(side: Side) -> dict[str, Points]:
        return curves_of([run for run in side.counted(STEADY) if run.variant.startswith(T1.name)], "throughput")

    points = [point for some in found(evidence.ours).values() for point in some.values()]
    full = [at_least(point, FULL) for point in points]
    return Judgement(
        verdict=by_share(full),
        why=f"At {counted(full, 'points')}, 10 to 600 connections and W_c from 100 to 500, the link is full.",
        **told(
            evidence,
            lambda side: "; ".join(f"{name}: {span(some, 4)}" for name, some in found(side).items()),
        ),
    )


def fills_when_many(evidence: Evidence) -> Judgement:
    """Judge "with many connections the throughput is close to 1 even if the buffer is small"."""
    found = curves_of(evidence.ours.far[0.0], "throughput")
    busy = [at_least(found[f"B = {buffer}"][100], NEARLY) for buffer in _SMALL]
    return Judgement(
        verdict=by_share(busy),
        why=f"100 connections use at least {100 * NEARLY:g} % of the link with {counted(busy, 'buffers')} below W_opt.",
        **told(
            evidence,
            lambda side: (
                "100 connections: "
                + ", ".join(
                    f"{name} {shown(points[100], 3)}" for name, points in curves_of(side.far[0.0], "throughput").items()
                )
            ),
        ),
    )


def goodput_falls(evidence: Evidence) -> Judgement:
    """Judge "goodput falls linearly with the connections, faster on ISDN"."""

    def falls(runs: Sequence[Observation]) -> dict[str, Interval]:
        chosen = {curve(link, capacity) for link in (T1, ISDN) for capacity in MODERN_CAPACITIES}
        there = [run for run in runs if run.variant in chosen and run.clients >= _FEWEST]
        return {
            name: _fall([run for run in there if run.variant == name])
            for name in dict.fromkeys(run.variant for run in there)
        }

    def holds(runs: Sequence[Observation]) -> tuple[list[Truth], list[Truth]]:
        found = falls(runs)
        faster = [above(found[curve(ISDN, capacity)], found[curve(T1, capacity)]) for capacity in MODERN_CAPACITIES]
        return [at_least(fall, FALL) for fall in found.values()], faster

    def verdict(runs: Sequence[Observation]) -> Verdict:
        deep, faster = holds(runs)
        return graded(whole=every([*deep, *faster]), part=most(deep))

    usual, modern = verdict(evidence.ours.counted(STEADY)), verdict(evidence.ours.modern)
    turned = usual is Verdict.NOT and modern in {Verdict.REPRODUCED, Verdict.PARTLY}
    worst = max(abs(100 * slope(points)) for points in _goodputs(evidence.ours).values())
    deep, faster = holds(evidence.ours.modern)

    def say(side: Side) -> str:
        parts = (("timers of 1999", side.counted(STEADY)), ("of ns-2.35", side.modern))
        return "; ".join(
            f"{words}: " + ", ".join(f"{name} {fall.mean:.3f}" for name, fall in falls(runs).items())
            for words, runs in parts
        )

    return Judgement(
        verdict=Verdict.DEPENDS if turned else usual,
        setting=TIMERS if turned else "",
        why=f"With the timers of 1999 goodput changes by at most {100 * worst:.1f} % of the link in 100 connections, "
        f"on either link. With those of ns-2.35, which send again what is not lost, it falls by {100 * FALL:g} % or "
        f"more on {counted(deep, 'curves')}, and by more over ISDN than over T1 with {counted(faster, 'W_c')}.",
        **told(evidence, lambda side: "goodput lost from the fewest to the most connections, " + say(side)),
    )


def _fall(runs: Sequence[Observation]) -> Interval:
    """Give by how much goodput falls from the fewest to the most connections of a curve, seed by seed."""
    goodput = {(run.clients, run.seed): run.values["goodput"] or 0.0 for run in runs}
    fewest, largest = (choose(run.clients for run in runs) for choose in (min, max))
    return student_interval(
        [goodput[fewest, seed] - goodput[largest, seed] for seed in sorted({run.seed for run in runs})]
    )


def _goodputs(side: Side) -> dict[str, Points]:
    return curves_of([run for run in side.counted(STEADY) if run.clients >= _FEWEST], "goodput")


def _wasted(runs: Sequence[Observation], *, lossy: bool) -> list[Interval]:
    """Give the parts of the link's rate that carry what was there already, where loss is above a fifth or not."""

    def wasted(run: Observation) -> float:
        return (run.values["throughput"] or 0.0) - (run.values["goodput"] or 0.0)

    found = curves_of(runs, wasted)
    return [
        found[name][flows]
        for name, points in curves_of(runs, "loss").items()
        for flows, loss in points.items()
        if (loss.mean >= LOSSY) is lossy
    ]


def negligible(evidence: Evidence) -> Judgement:
    """Judge "unnecessary retransmissions are negligible while loss is below 20 %"."""
    ours = evidence.ours
    found = {reading: _wasted(ours.counted(reading), lossy=False) for reading in (STEADY, CAPPED)}
    each = [at_most(wasted, NEGLIGIBLE) for wasted in found[STEADY]]
    return Judgement(
        verdict=by_share(each),
        why=f"At {counted(each, 'points')} with less loss than {100 * LOSSY:g} % they take at most "
        f"{100 * NEGLIGIBLE:.1f} % of the link; counted from 0 s up to "
        f"{100 * max(wasted.mean for wasted in found[CAPPED]):.1f} %.",
        **told(evidence, lambda side: _most(side, lossy=False)),
    )


def needless_when_lossy(evidence: Evidence) -> Judgement:
    """Judge "otherwise the loss of goodput becomes significant"."""
    ours = evidence.ours
    each = [above(wasted, NEGLIGIBLE) for wasted in _wasted(ours.counted(STEADY), lossy=True)]
    early = [above(wasted, NEGLIGIBLE) for wasted in _wasted(ours.counted(CAPPED), lossy=True)]
    return Judgement(
        verdict=by_share(each),
        why=f"They take more than {100 * NEGLIGIBLE:.1f} % of the link at {counted(each, 'points')} with a loss of "
        f"{100 * LOSSY:g} % or more after a warm-up, and at {counted(early, 'points')} counted from 0 s.",
        **told(evidence, lambda side: _most(side, lossy=True)),
    )


def _most(side: Side, *, lossy: bool) -> str:
    found = [_wasted(side.counted(reading), lossy=lossy) for reading in (STEADY, CAPPED)]
    return "throughput less goodput: at most " + ", ".join(
        f"{max(one.mean for one in wasted):.3f} {words}"
        for wasted, words in zip(found, ("after a warm-up", "from 0 s"), strict=True)
    )


def little_affected(evidence: Evidence) -> Judgement:
    """Judge "processing time has little effect on throughput and goodput"."""

    def pairs(side: Side, measure: str) -> list[tuple[Interval, Interval]]:
        before, after = (curves_of(side.counted(STEADY, fraction), measure) for fraction in (0.0, 0.1))
        return [
            (point, after[name][flows])
            for name, points in before.items()
            for flows, point in points.items()
            if flows in after[name]
        ]

    each = [
        near(before, after, by=LITTLE)
        for name in ("throughput", "goodput")
        for before, after in pairs(evidence.ours, name)
    ]
    return Judgement(
        verdict=by_share(each),
        why=f"At {counted(each, 'points')} the difference is at most {100 * LITTLE:.1f} % of the link.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{name} changes by {min(found):+.4f} to {max(found):+.4f}"
                for name in ("throughput", "goodput")
                for found in [[after.mean - before.mean for before, after in pairs(side, name)]]
            ),
        ),
    )
