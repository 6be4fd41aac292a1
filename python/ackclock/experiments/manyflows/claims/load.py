"""The rules on throughput and goodput of all connections together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.claims import Judgement, by_share, graded
from ackclock.experiments.manyflows.claims.reading import curves_of, held, slope
from ackclock.experiments.manyflows.experiment import ISDN, T1
from ackclock.experiments.manyflows.places import BUFFERS, CAPPED, FAR_PIPE, MODERN_CAPACITIES, STEADY, curve
from ackclock.experiments.reading import clearly, high, low, shown, span, told
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.experiments.manyflows.claims.reading import Points
    from ackclock.experiments.manyflows.evidence import Evidence, Side
    from ackclock.experiments.observation import Observation

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
    idle = [high(found[f"B = {buffer}"][flows]) < FULL for buffer in _SMALL for flows in (1, 2, 5, 10)]
    full = [low(found[f"B = {buffer}"][flows]) >= FULL for buffer in _LARGE for flows in (1, 2, 5, 10)]
    return Judgement(
        verdict=by_share([*idle, *full]),
        why=f"With up to 10 connections the link is clearly not full at {held(idle)} places with less buffer than half "
        f"of W_c, which is less than W_opt, and full at {held(full)} with more.",
        **told(evidence, _far),
    )


def underused(evidence: Evidence) -> Judgement:
    """Judge "the fewer connections and the smaller the buffer, the lower the utilisation below W_opt"."""
    found = curves_of(evidence.ours.far[0.0], "throughput")
    smaller = [
        clearly(found[f"B = {more}"][flows], found[f"B = {less}"][flows]) is True
        for less, more in zip(_SMALL, (*_SMALL[1:], _LARGE[0]), strict=True)
        for flows in (1, 2, 5, 10)
    ]
    many = [clearly(found[f"B = {buffer}"][100], found[f"B = {buffer}"][10]) is True for buffer in _SMALL]
    few = [clearly(found[f"B = {buffer}"][10], found[f"B = {buffer}"][1]) is True for buffer in _SMALL]
    return Judgement(
        verdict=graded(whole=all([*smaller, *many, *few]), part=all(smaller) and all(many)),
        why=f"A smaller buffer clearly gives less at {held(smaller)} places; 100 connections clearly get more than 10 "
        f"with {held(many)} buffers, 10 more than 1 with {held(few)}.",
        **told(evidence, _far),
    )


def large_buffer_fills(evidence: Evidence) -> Judgement:
    """Judge "with a buffer above W_opt the throughput is about 1 for any number of connections"."""

    def found(side: Side) -> dict[str, Points]:
        return curves_of([run for run in side.counted(STEADY) if run.variant.startswith(T1.name)], "throughput")

    points = [point for some in found(evidence.ours).values() for point in some.values()]
    full = [low(point) >= FULL for point in points]
    return Judgement(
        verdict=by_share(full),
        why=f"At {held(full)} places, 10 to 600 connections and W_c from 100 to 500, the link is full.",
        **told(
            evidence,
            lambda side: "; ".join(f"{name}: {span(some, 4)}" for name, some in found(side).items()),
        ),
    )


def fills_when_many(evidence: Evidence) -> Judgement:
    """Judge "with many connections the throughput is close to 1 even if the buffer is small"."""
    found = curves_of(evidence.ours.far[0.0], "throughput")
    near = [low(found[f"B = {buffer}"][100]) >= NEARLY for buffer in _SMALL]
    return Judgement(
        verdict=by_share(near),
        why=f"100 connections use at least {100 * NEARLY:g} % of the link with {held(near)} buffers below W_opt.",
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

    def falls(runs: Sequence[Observation]) -> dict[str, float]:
        chosen = {curve(link, capacity) for link in (T1, ISDN) for capacity in MODERN_CAPACITIES}
        there = [run for run in runs if run.variant in chosen and run.clients >= _FEWEST]
        return {
            name: points[min(points)].mean - points[max(points)].mean
            for name, points in curves_of(there, "goodput").items()
        }

    def holds(runs: Sequence[Observation]) -> tuple[list[bool], list[bool]]:
        found = falls(runs)
        faster = [found[curve(ISDN, capacity)] > found[curve(T1, capacity)] for capacity in MODERN_CAPACITIES]
        return [fall >= FALL for fall in found.values()], faster

    def verdict(runs: Sequence[Observation]) -> Verdict:
        deep, faster = holds(runs)
        return graded(whole=all([*deep, *faster]), part=2 * sum(deep) > len(deep))

    usual, modern = verdict(evidence.ours.counted(STEADY)), verdict(evidence.ours.modern)
    turned = usual is Verdict.NOT and modern is not Verdict.NOT
    worst = max(abs(100 * slope(points)) for points in _goodputs(evidence.ours).values())
    deep, faster = holds(evidence.ours.modern)

    def say(side: Side) -> str:
        parts = (("timers of 1999", side.counted(STEADY)), ("of ns-2.35", side.modern))
        return "; ".join(
            f"{words}: " + ", ".join(f"{name} {fall:.3f}" for name, fall in falls(runs).items())
            for words, runs in parts
        )

    return Judgement(
        verdict=Verdict.DEPENDS if turned else usual,
        setting=TIMERS if turned else "",
        why=f"With the timers of 1999 goodput changes by at most {100 * worst:.1f} % of the link in 100 connections, "
        f"on either link. With those of ns-2.35, which send again what is not lost, it falls by {100 * FALL:g} % or "
        f"more on {held(deep)} curves, and by more over ISDN at {held(faster)} W_c.",
        **told(evidence, lambda side: "goodput lost from the fewest to the most connections, " + say(side)),
    )


def _goodputs(side: Side) -> dict[str, Points]:
    return curves_of([run for run in side.counted(STEADY) if run.clients >= _FEWEST], "goodput")


def _wasted(runs: Sequence[Observation], *, lossy: bool) -> list[float]:
    """Give the parts of the link's rate that carry what was there already, where loss is above a fifth or not."""
    rest = {name: curves_of(runs, name) for name in ("throughput", "goodput", "loss")}
    return [
        rest["throughput"][name][flows].mean - rest["goodput"][name][flows].mean
        for name, points in rest["loss"].items()
        for flows, loss in points.items()
        if (loss.mean >= LOSSY) is lossy
    ]


def negligible(evidence: Evidence) -> Judgement:
    """Judge "unnecessary retransmissions are negligible while loss is below 20 %"."""
    ours = evidence.ours
    found = {reading: _wasted(ours.counted(reading), lossy=False) for reading in (STEADY, CAPPED)}
    each = [wasted <= NEGLIGIBLE for wasted in found[STEADY]]
    return Judgement(
        verdict=by_share(each),
        why=f"At {held(each)} places with less loss than {100 * LOSSY:g} % they take at most {100 * NEGLIGIBLE:.1f} % "
        f"of the link; counted from 0 s up to {100 * max(found[CAPPED]):.1f} %.",
        **told(evidence, lambda side: _most(side, lossy=False)),
    )


def needless_when_lossy(evidence: Evidence) -> Judgement:
    """Judge "otherwise the loss of goodput becomes significant"."""
    ours = evidence.ours
    each = [wasted > NEGLIGIBLE for wasted in _wasted(ours.counted(STEADY), lossy=True)]
    counted = [wasted > NEGLIGIBLE for wasted in _wasted(ours.counted(CAPPED), lossy=True)]
    return Judgement(
        verdict=by_share(each),
        why=f"They take more than {100 * NEGLIGIBLE:.1f} % of the link at {held(each)} places with a loss of "
        f"{100 * LOSSY:g} % or more after a warm-up, and at {held(counted)} counted from 0 s.",
        **told(evidence, lambda side: _most(side, lossy=True)),
    )


def _most(side: Side, *, lossy: bool) -> str:
    found = [_wasted(side.counted(reading), lossy=lossy) for reading in (STEADY, CAPPED)]
    return "throughput less goodput: at most " + ", ".join(
        f"{max(wasted):.3f} {words}" for wasted, words in zip(found, ("after a warm-up", "from 0 s"), strict=True)
    )


def little_affected(evidence: Evidence) -> Judgement:
    """Judge "processing time has little effect on throughput and goodput"."""

    def changes(side: Side, measure: str) -> list[float]:
        before, after = (curves_of(side.counted(STEADY, fraction), measure) for fraction in (0.0, 0.1))
        return [
            after[name][flows].mean - point.mean
            for name, points in before.items()
            for flows, point in points.items()
            if flows in after[name]
        ]

    each = [abs(change) <= LITTLE for name in ("throughput", "goodput") for change in changes(evidence.ours, name)]
    return Judgement(
        verdict=by_share(each),
        why=f"At {held(each)} places the difference is at most {100 * LITTLE:.1f} % of the link.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{name} changes by {min(found):+.4f} to {max(found):+.4f}"
                for name in ("throughput", "goodput")
                for found in [changes(side, name)]
            ),
        ),
    )
