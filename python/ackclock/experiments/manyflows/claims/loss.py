"""The rules on the loss of all connections together: predicted, for few of them, for many, and in total."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.claims import Judgement, by_share, graded
from ackclock.experiments.manyflows.claims.reading import curves_of, exponent, held, squares
from ackclock.experiments.manyflows.experiment import PACKET_SIZE, T1
from ackclock.experiments.manyflows.hyperbolas import away, fits
from ackclock.experiments.manyflows.places import CAPPED, PACKETS_EACH, READINGS, STEADY, WINDOWS, curve
from ackclock.experiments.reading import clearly, shown, told
from ackclock.models import large_pipe_loss
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.experiments.manyflows.claims.reading import Points
    from ackclock.experiments.manyflows.evidence import Evidence, Side
    from ackclock.experiments.manyflows.places import Reading
    from ackclock.experiments.observation import Observation

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

    def ratios(side: Side, law: str) -> list[float]:
        found = curves_of(side.predicted, "loss")
        return [
            float(point.mean / getattr(large_pipe_loss(window=w, smooth=True), law))
            for each in PACKETS_EACH
            for points in [found[f"B = {each} n"]]
            for point, w in zip(points.values(), _windows(points, each).values(), strict=True)
        ]

    near = {law: [abs(ratio - 1) <= NEAR for ratio in ratios(evidence.ours, law)] for law in ("printed", "corrected")}

    def say(side: Side) -> str:
        return "; ".join(
            f"measured over {law}: median {np.median(found):.3f}, {min(found):.3f} to {max(found):.3f}"
            for law in ("printed", "corrected")
            for found in [ratios(side, law)]
        )

    return Judgement(
        verdict=by_share(near["printed"]),
        why=f"Measured loss is within {100 * NEAR:g} % of the formula at {held(near['printed'])} places, and below it "
        f"at {held(ratio < 1 for ratio in ratios(evidence.ours, 'printed'))}: windows that grow by 1 / cwnd take "
        f"longer than it says. 8 / (3 W² + 25 W + 4) is within as much at {held(near['corrected'])}.",
        **told(evidence, say),
    )


def _totals(side: Side, reading: Reading) -> dict[str, dict[int, float]]:
    """Give packets sent and lost in the small pipe, by the connections."""
    runs = [run for run in side.counted(reading) if run.variant == curve(T1, 100) and run.clients >= 100]
    carried, lost = curves_of(runs, "throughput")[curve(T1, 100)], curves_of(runs, "loss")[curve(T1, 100)]
    start, end = (0, WINDOWS["T1"][1]) if not reading.steady else (T1.warm, T1.duration)
    whole = (end - start) * T1.bps / 8 / PACKET_SIZE
    sent = {flows: whole * point.mean / (1 - lost[flows].mean) for flows, point in carried.items()}
    return {"sent": sent, "lost": {flows: sent[flows] * lost[flows].mean for flows in sent}}


def grows_linearly(evidence: Evidence) -> Judgement:
    """Judge "in a small pipe the totals of packets sent and lost grow linearly with the connections"."""

    def lines(side: Side) -> dict[str, tuple[float, float]]:
        found = {}
        for reading in (CAPPED, STEADY):
            for name, points in _totals(side, reading).items():
                x, y = np.array(list(points), dtype=float), np.array(list(points.values()))
                line = np.polyfit(x, y, 1)
                found[f"{name} {reading.title}"] = (
                    float(line[0]),
                    float(1 - np.var(y - np.polyval(line, x)) / np.var(y)),
                )
        return found

    ours = lines(evidence.ours)
    straight = [slope > 0 and fit >= STRAIGHT for slope, fit in ours.values()]
    growing = [slope > 0 for slope, _ in ours.values()]
    return Judgement(
        verdict=graded(whole=all(straight), part=all(growing)),
        why=f"From 100 to 600 connections {held(straight)} totals lie on a rising line with R² of {STRAIGHT} or "
        f"more, and {held(growing)} rise.",
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
    found = curves_of(evidence.ours.few[fraction], "loss")
    powers = {name: exponent(points) for name, points in found.items()}
    if power == 2:
        shape = [squares(points, 2) >= PARABOLA and powers[name] >= BENT for name, points in found.items()]
    else:
        without = curves_of(evidence.ours.few[0.0], "loss")
        shape = [
            squares(points, 1) >= LINE and powers[name] < exponent(without[name]) for name, points in found.items()
        ]

    def say(side: Side) -> str:
        return "; ".join(
            f"{name}, {min(points)} to {max(points)} connections: exponent {exponent(points):.2f}, R² of a line "
            f"{squares(points, 1):.4f}, of a parabola {squares(points, 2):.4f}"
            for name, points in curves_of(side.few[fraction], "loss").items()
        )

    near = [abs(value - power) <= 0.2 for value in powers.values()]
    return Judgement(
        verdict=graded(whole=all(near), part=all(shape)),
        why=f"The exponent is within 0.2 of {power} with {held(near)} W_c; the points have the shape of a {word} law "
        f"with {held(shape)}.",
        **told(evidence, say),
    )


def hyperbolic(fraction: float) -> Judge:
    """Judge "the loss of many connections matches hyperbolas"."""

    def judge(evidence: Evidence) -> Judgement:
        found = {reading: fits(evidence.ours.counted(reading, fraction)) for reading in READINGS}
        on = {reading: [fit.rms <= HYPERBOLIC for fit in some.values()] for reading, some in found.items()}
        bent = {reading: [not fit.unbounded for fit in some.values()] for reading, some in found.items()}
        each = [one for some in on.values() for one in some]
        free = [one for some in bent.values() for one in some]

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
            why=f"The nearest hyperbola is within an rms of {100 * HYPERBOLIC:g} % of {held(each)} curves, all ways of "
            f"counting together; {held(free)} have a bounded a, the others may as well be straight lines through 0.",
            **told(evidence, say),
        )

    return judge


def tabled(fraction: float, link: str) -> Judge:
    """Judge "the hyperbolas have the parameters that are printed", for one link."""

    def ratios(runs: Sequence[Observation]) -> list[float]:
        return [
            ratio for name, points in away(runs, fraction).items() if name.startswith(link) for ratio in points.values()
        ]

    def judge(evidence: Evidence) -> Judgement:
        near = {
            reading: [abs(ratio - 1) <= NEAR for ratio in ratios(evidence.ours.counted(reading, fraction))]
            for reading in READINGS
        }
        verdicts = {reading: by_share(holds) for reading, holds in near.items()}
        verdict, setting = _weigh(verdicts)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Loss is within {100 * NEAR:g} % of the paper's curves at "
            + "; ".join(f"{held(holds)} places {reading.title}" for reading, holds in near.items())
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


def _weigh(verdicts: Mapping[Reading, Verdict]) -> tuple[Verdict, str]:
    """Give one verdict for several ways of counting: theirs if they agree, else that it depends on them."""
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values())), ""
    return Verdict.DEPENDS, COUNTING


def raised_when_many(evidence: Evidence) -> Judgement:
    """Judge "processing time leaves loss as it is below 100 connections, and raises it above"."""
    found = curves_of(evidence.ours.amounts, "loss")
    none, much = found["0 %"], found["10 %"]
    same = [abs(much[flows].mean / none[flows].mean - 1) <= NEAR for flows in none if flows < 100]
    more = [clearly(much[flows], none[flows]) is True for flows in none if flows >= 100]
    return Judgement(
        verdict=by_share([*same, *more]),
        why=f"Below 100 connections loss is within {100 * NEAR:g} % of that without at {held(same)} places; from 100 "
        f"on it is clearly higher at {held(more)}.",
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

    def pairs(side: Side) -> list[tuple[float, bool]]:
        before, after = (curves_of(side.counted(STEADY, fraction), "loss") for fraction in (0.0, 0.1))
        return [
            (after[name][flows].mean / point.mean, clearly(after[name][flows], point) is True)
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
        why=f"With 100 connections or more it is clearly larger at {held(each)} places of both links.",
        **told(evidence, say),
    )
