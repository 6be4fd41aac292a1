"""The rules on the loss of all connections together: predicted, for few of them, for many, and in total."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.manyflows.claims.reading import agreed, curves_of, exponent, squares
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1
from ackclock.papers.manyflows.hyperbolas import away, fits, losses, printed
from ackclock.papers.manyflows.places import CAPPED, PACKETS_EACH, READINGS, STEADY, WINDOWS, curve
from ackclock.papers.reading import jackknife, shown, told, within
from ackclock.papers.truth import (
    OPEN,
    Truth,
    above,
    at_least,
    at_most,
    below,
    counted,
    every,
    exactly,
    near,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.manyflows.claims.reading import Points
    from ackclock.papers.manyflows.evidence import Evidence, Side
    from ackclock.papers.manyflows.places import Reading
    from ackclock.papers.observation import Observation

    Judge = Callable[[Evidence], Judgement]

__all__ = [
    "BENT",
    "COUNTING",
    "HYPERBOLIC",
    "LINE",
    "NEAR",
    "PARABOLA",
    "STRAIGHT",
    "grows_linearly",
    "hyperbolic",
    "linear_with_overhead",
    "lossier_with_overhead",
    "predicted",
    "quadratic",
    "raised_when_many",
    "tabled",
]

NEAR = 0.1
"""How far from a formula or a curve of the paper, as a part of it, a loss matches."""

HYPERBOLIC = 0.06
"""The rms of relative differences up to which points lie on a hyperbola."""

STRAIGHT = 0.98
"""The R^2 from which on totals grow linearly."""

BENT = 1.2
"""The exponent from which on a curve is not nearly linear."""

PARABOLA, LINE = 0.995, 0.99
"""The R^2 from which on points lie on a parabola, or on a line."""

COUNTING = "how losses are counted"
"""What the tables may depend on."""


def _windows(points: Points, each: int) -> dict[int, float]:
    """Give W of each number of connections that have so many packets of buffer each."""
    return {flows: each + T1.pipe / flows for flows in points}


def predicted(evidence: Evidence) -> Judgement:
    """Judge "the loss of a large pipe is 8 / (3 W^2 + 21 W + 8)"."""

    def pairs(side: Side, law: str) -> list[tuple[Interval, float]]:
        found = curves_of(side.predicted, "loss")
        return [
            (point, float(getattr(large_pipe_loss(window=w, smooth=True), law)))
            for each in PACKETS_EACH
            for points in [found[f"B = {each} n"]]
            for point, w in zip(points.values(), _windows(points, each).values(), strict=True)
        ]

    matches = {
        law: [within(loss, formula, part=NEAR) for loss, formula in pairs(evidence.ours, law)]
        for law in ("printed", "corrected")
    }
    less = [below(loss, formula) for loss, formula in pairs(evidence.ours, "printed")]

    def say(side: Side) -> str:
        return "; ".join(
            f"measured over {law}: median {np.median(found):.3f}, {min(found):.3f} to {max(found):.3f}"
            for law in ("printed", "corrected")
            for found in [[loss.mean / formula for loss, formula in pairs(side, law)]]
        )

    return Judgement(
        verdict=by_share(matches["printed"]),
        why=f"Measured loss is within {100 * NEAR:g} % of the formula at {counted(matches['printed'], 'points')}, and "
        f"clearly below it at {counted(less, 'points')}: windows that grow by 1 / cwnd take longer than it says. "
        f"8 / (3 W² + 25 W + 4) is within as much at {counted(matches['corrected'], 'points')}.",
        **told(evidence, say),
    )


def _small_pipe(side: Side, reading: Reading) -> list[Observation]:
    return [run for run in side.counted(reading) if run.variant == curve(T1, 100) and run.clients >= 100]


def _totals(runs: Sequence[Observation], reading: Reading) -> dict[str, dict[int, float]]:
    """Give packets sent and lost in the small pipe, by the connections."""
    carried, lost = curves_of(runs, "throughput")[curve(T1, 100)], curves_of(runs, "loss")[curve(T1, 100)]
    start, end = (0, WINDOWS["T1"][1]) if not reading.steady else (T1.warm, T1.duration)
    whole = (end - start) * T1.bps / 8 / PACKET_SIZE
    sent = {flows: whole * point.mean / (1 - lost[flows].mean) for flows, point in carried.items()}
    return {"sent": sent, "lost": {flows: sent[flows] * lost[flows].mean for flows in sent}}


def grows_linearly(evidence: Evidence) -> Judgement:
    """Judge "in a small pipe the totals of packets sent and lost grow linearly with the connections"."""

    def line(runs: Sequence[Observation], reading: Reading, name: str) -> tuple[float, float]:
        points = _totals(runs, reading)[name]
        x, y = np.array(list(points), dtype=float), np.array(list(points.values()))
        straight = np.polyfit(x, y, 1)
        return float(straight[0]), float(1 - np.var(y - np.polyval(straight, x)) / np.var(y))

    def lines(side: Side) -> dict[str, tuple[float, float]]:
        return {
            f"{name} {reading.title}": line(_small_pipe(side, reading), reading, name)
            for reading in (CAPPED, STEADY)
            for name in ("sent", "lost")
        }

    growing, straight = [], []
    for reading in (CAPPED, STEADY):
        for name in ("sent", "lost"):
            slope, fit = (
                jackknife(
                    _small_pipe(evidence.ours, reading),
                    lambda runs, reading=reading, name=name, which=which: line(runs, reading, name)[which],  # type: ignore[misc]
                )
                for which in (0, 1)
            )
            growing.append(above(slope, 0))
            straight.append(above(slope, 0) & at_least(fit, STRAIGHT))
    return Judgement(
        verdict=graded(whole=every(straight), part=every(growing)),
        why=f"From 100 to 600 connections {counted(straight, 'totals')} lie on a rising line with R² of {STRAIGHT} or "
        f"more, and {counted(growing, 'totals')} rise.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{name}: {slope:.1f} packets a connection, R² {fit:.3f}" for name, (slope, fit) in lines(side).items()
            ),
        ),
    )


def quadratic(evidence: Evidence) -> Judgement:
    """Judge "the loss of few connections grows quadratically"."""
    return _growth(evidence, 0.0, power=2, word="quadratic")


def linear_with_overhead(evidence: Evidence) -> Judgement:
    """Judge "with processing time it grows mostly linearly"."""
    return _growth(evidence, 0.1, power=1, word="linear")


def _growth(evidence: Evidence, fraction: float, *, power: int, word: str) -> Judgement:
    """Judge a power law: reproduced if the exponent is near it; partly if the shape is.

    A parabola that bends clearly has the shape of a quadratic law; what a line explains nearly whole, and bends less
    than without processing time, has that of a linear one.
    """

    def fitted(fraction: float, value: Callable[[Points], float]) -> dict[str, Interval]:
        runs = evidence.ours.few[fraction]
        return {
            name: jackknife(
                [run for run in runs if run.variant == name], lambda some: value(curves_of(some, "loss").popitem()[1])
            )
            for name in dict.fromkeys(run.variant for run in runs)
        }

    powers, fit = fitted(fraction, exponent), fitted(fraction, lambda points: squares(points, power))
    if power == 2:
        shape = [at_least(fit[name], PARABOLA) & at_least(value, BENT) for name, value in powers.items()]
    else:
        without = fitted(0.0, exponent)
        shape = [at_least(fit[name], LINE) & below(value, without[name]) for name, value in powers.items()]

    def say(side: Side) -> str:
        return "; ".join(
            f"{name}, {min(points)} to {max(points)} connections: exponent {exponent(points):.2f}, R² of a line "
            f"{squares(points, 1):.4f}, of a parabola {squares(points, 2):.4f}"
            for name, points in curves_of(side.few[fraction], "loss").items()
        )

    right = [near(value, power, by=0.2) for value in powers.values()]
    return Judgement(
        verdict=graded(whole=every(right), part=every(shape)),
        why=f"The exponent is within 0.2 of {power} with {counted(right, 'W_c')}; the points have the shape of a "
        f"{word} law with {counted(shape, 'W_c')}.",
        **told(evidence, say),
    )


def hyperbolic(fraction: float) -> Judge:
    """Judge "the loss of many connections matches hyperbolas"."""

    def judge(evidence: Evidence) -> Judgement:
        each: list[Truth] = []
        free: list[Truth] = []
        for reading in READINGS:
            runs = evidence.ours.counted(reading, fraction)
            for name in fits(runs):
                mine = [run for run in runs if run.variant == name]
                each.append(at_most(jackknife(mine, lambda some, name=name: fits(some)[name].rms), HYPERBOLIC))  # type: ignore[misc]
                free.append(_settled(mine, lambda some, name=name: not fits(some)[name].unbounded))  # type: ignore[misc]

        def say(side: Side) -> str:
            parts = []
            for reading in READINGS:
                some = fits(side.counted(reading, fraction))
                if some:
                    parts.append(
                        f"{reading.title}: rms {min(fit.rms for fit in some.values()):.3f} to "
                        f"{max(fit.rms for fit in some.values()):.3f}"
                    )
            if not parts:
                raise LookupError("nothing was counted")
            return "; ".join(parts)

        return Judgement(
            verdict=by_share([*each, *free]),
            why=f"The nearest hyperbola is within an rms of {100 * HYPERBOLIC:g} % of {counted(each, 'curves')}, all "
            f"ways of counting together; a is bounded for {counted(free, 'curves')}, and the others may as well be "
            "straight lines through 0.",
            **told(evidence, say),
        )

    return judge


def _settled(runs: Sequence[Observation], asked: Callable[[Sequence[Observation]], bool]) -> Truth:
    """Say whether something holds of the runs of all seeds but one, whichever is left out."""
    seeds = {run.seed for run in runs}
    answers = {asked([run for run in runs if run.seed != seed]) for seed in seeds if len(seeds) > 1}
    return exactly(answers.pop()) if len(answers) == 1 else OPEN


def tabled(fraction: float, link: str) -> Judge:
    """Judge "the hyperbolas have the parameters that are printed", for one link."""

    def ratios(runs: Sequence[Observation]) -> list[float]:
        return [
            ratio for name, points in away(runs, fraction).items() if name.startswith(link) for ratio in points.values()
        ]

    def judge(evidence: Evidence) -> Judgement:
        near = {
            reading: [
                within(point, float(printed(fraction, name, flows)), part=NEAR)
                for name, points in losses(evidence.ours.counted(reading, fraction)).items()
                if name.startswith(link)
                for flows, point in points.items()
            ]
            for reading in READINGS
        }
        verdict, setting = agreed([by_share(holds) for holds in near.values()], COUNTING)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Loss is within {100 * NEAR:g} % of the paper's curves at "
            + "; ".join(f"{counted(holds, 'points')} {reading.title}" for reading, holds in near.items())
            + ".",
            **told(evidence, say),
        )

    def say(side: Side) -> str:
        parts = []
        for reading in READINGS:
            found = ratios(side.counted(reading, fraction))
            if found:
                parts.append(f"{reading.title} {min(found):.2f} to {max(found):.2f}, median {np.median(found):.3f}")
        if not parts:
            raise LookupError("nothing was counted")
        return "loss over the paper's curve: " + "; ".join(parts)

    return judge


def raised_when_many(evidence: Evidence) -> Judgement:
    """Judge "processing time leaves loss as it is below 100 connections, and raises it above"."""
    found = curves_of(evidence.ours.amounts, "loss")
    none, much = found["0 %"], found["10 %"]
    same = [within(much[flows], none[flows], part=NEAR) for flows in none if flows < 100]
    more = [above(much[flows], none[flows]) for flows in none if flows >= 100]
    return Judgement(
        verdict=by_share([*same, *more]),
        why=f"Below 100 connections loss is within {100 * NEAR:g} % of that without processing time at "
        f"{counted(same, 'points')}; from 100 on it is clearly higher at {counted(more, 'points')}.",
        **told(
            evidence,
            lambda side: "; ".join(
                f"{name}: " + ", ".join(f"{shown(point, 4)} ({flows})" for flows, point in points.items())
                for name, points in curves_of(side.amounts, "loss").items()
            ),
        ),
    )


def lossier_with_overhead(evidence: Evidence) -> Judgement:
    """Judge "for the same connections and buffer, processing time makes the loss of many larger"."""

    def pairs(side: Side) -> list[tuple[float, Truth]]:
        before, after = (curves_of(side.counted(STEADY, fraction), "loss") for fraction in (0.0, 0.1))
        return [
            (after[name][flows].mean / point.mean, above(after[name][flows], point))
            for name, points in before.items()
            for flows, point in points.items()
            if flows >= 100 and flows in after[name]
        ]

    each = [clear for _, clear in pairs(evidence.ours)]

    def say(side: Side) -> str:
        ratios = [ratio for ratio, _ in pairs(side)]
        return f"loss with over without: {min(ratios):.2f} to {max(ratios):.2f}, median {np.median(ratios):.2f}"

    return Judgement(
        verdict=by_share(each),
        why=f"With 100 connections or more it is clearly larger at {counted(each, 'points')} of both links.",
        **told(evidence, say),
    )
