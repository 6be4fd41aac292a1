"""What the paper says of self-similarity: of the connection's own traffic, and of the method that measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import listed, shown
from ackclock.experiments.selfsimilar.claims.reading import DASH, OVER_READINGS, command, each, judged, per_reading
from ackclock.experiments.selfsimilar.experiment import CONSTANT, READINGS, VARIANTS, Setting
from ackclock.experiments.selfsimilar.looks import BIN
from ackclock.experiments.selfsimilar.methods import LENGTH, PATHS, TRUTH
from ackclock.experiments.selfsimilar.paired import beaten, interval

if TYPE_CHECKING:
    from ackclock.experiments.selfsimilar.evidence import Evidence, Side
    from ackclock.experiments.selfsimilar.experiment import Reading, Variant
    from ackclock.report.html import Verdict

__all__ = ["METHOD", "OWN"]

_PRINTED: Final = (0.82, 0.90)
"""The Hurst parameters of Table 2, from least to most."""

_COVERED: Final = 0.9
"""The part of 95 % intervals that must hold the truth, for 100 paths to show that they do."""


def _inside(side: Side, reading: Reading) -> list[bool]:
    low, high = _PRINTED
    return [low <= round(interval(side, reading, variant, "hurst_k50").mean, 2) <= high for variant in VARIANTS]


def _about(side: Side, reading: Reading) -> Verdict:
    return by_share(_inside(side, reading))


def _why_about(side: Side, reading: Reading) -> str:
    return f"{sum(_inside(side, reading))} of {len(VARIANTS)} means are from {_PRINTED[0]:.2f} to {_PRINTED[1]:.2f}"


def _claimed(side: Side) -> list[bool]:
    return [
        value == 1
        for reading in READINGS.values()
        for variant in VARIANTS
        for value in side.values(reading, variant, "long_range")
    ]


def _tell_claimed(side: Side) -> str:
    claimed = _claimed(side)
    wavelets = [
        student_interval(side.values(reading, variant, "hurst_wavelet")).mean
        for reading in READINGS.values()
        for variant in VARIANTS
        if any(run.values.get("hurst_wavelet") is not None for run in side.of(reading, variant))
    ]
    words = f"claimed of {sum(claimed)} of {len(claimed)} runs"
    return words + (f"; by wavelets H is {min(wavelets):.2f} to {max(wavelets):.2f}" if wavelets else "")


def _sustains(evidence: Evidence) -> Judgement:
    ours = evidence.ours
    claimed = _claimed(ours)
    share = sum(claimed) / len(claimed)
    udp = [value for run in ours.unresponsive if (value := run["hurst_k50"]) is not None]
    first = next((run.verdict for run in ours.of(CONSTANT, "newreno") if run.verdict), "")
    return judged(
        evidence,
        graded(whole=share >= evidence.power, part=2 * share >= evidence.power),
        _tell_claimed,
        f"Of {len(claimed)} runs {sum(claimed)} pass for long-range dependence; so few values are a hard test, but of "
        f"exact noise of H = {TRUTH} {100 * evidence.power:.0f} % do."
        + (f" Of NewReno's first run at a constant rate: {first}" if first else "")
        + (
            f" The same source over UDP, which crosses the same queue, has H = {shown(student_interval(udp), 2)}."
            if udp
            else ""
        ),
    )


def _top(side: Side, reading: Reading) -> Verdict:
    above = beaten(side, reading, "vegas", "hurst_k50", 0)
    below = [variant for variant in VARIANTS if "vegas" in beaten(side, reading, variant, "hurst_k50", 0)]
    return graded(whole=len(above) == len(VARIANTS) - 1, part=bool(above) and not below)


def _why_top(side: Side, reading: Reading) -> str:
    above: list[Variant] = beaten(side, reading, "vegas", "hurst_k50", 0)
    return f"Vegas is clearly above {listed([VARIANTS[variant] for variant in above]) or 'none'}"


def _better(evidence: Evidence) -> Judgement:
    optimisation, wavelet = evidence.methods["optimisation"], evidence.methods["wavelet"]
    narrower = optimisation.width < wavelet.width
    return Judgement(
        verdict=graded(whole=narrower and optimisation.covered >= _COVERED, part=narrower),
        ours="; ".join(
            f"{name}: {method.mean:.3f}, s.d. {method.deviation:.3f}, intervals {method.width:.2f} wide of which "
            f"{100 * method.covered:.0f} % hold {TRUTH}"
            for name, method in evidence.methods.items()
        ),
        ns2=DASH,
        why=f"On exact noise of H = {TRUTH} its intervals are {optimisation.width / wavelet.width:.2f} as wide as "
        f"those of wavelets, and {100 * optimisation.covered:.0f} % of them hold it; its estimates are "
        f"{abs(optimisation.mean - TRUTH):.3f} {'below' if optimisation.mean < TRUTH else 'above'} it in the mean, "
        f"wavelets' {abs(wavelet.mean - TRUTH):.3f}. That it is such noise is taken for granted, which TCP's traffic "
        "is not. That it is faster than variance-time and R/S plots is not judged: no clock shows in a report.",
    )


METHOD: tuple[Claim[Evidence], ...] = (
    Claim(
        key="4-1",
        where="4",
        text="The optimisation method gives better confidence intervals than wavelets.",
        paper="said with a reference",
        rule=f"Of {PATHS} paths of {LENGTH} values of fractional Gaussian noise with H = {TRUTH}: reproduced if its "
        f"95 % intervals are narrower than those of wavelets and {100 * _COVERED:g} % of them hold the truth, partly "
        "if they are narrower.",
        judge=_better,
        command=command(Setting(reading=CONSTANT, variant="newreno"), record=f"arrivals@B->y/{1000 * BIN:g}ms"),
    ),
)
"""Of the method."""

OWN: tuple[Claim[Evidence], ...] = (
    Claim(
        key="5-8",
        where="5, Table 2",
        text="Though its source has a constant rate, the connection's traffic has a Hurst parameter of about 0.85.",
        paper="0.82 to 0.90",
        rule=f"Of packets received in {BIN:g} s, by the paper's method with 50 lags: reproduced if the means of all "
        f"four variants are from {_PRINTED[0]:.2f} to {_PRINTED[1]:.2f}, partly if most. {OVER_READINGS}",
        judge=per_reading(_about, each("hurst_k50", 2), _why_about),
        command=command(Setting(reading=CONSTANT, variant="newreno"), record=f"arrivals@B->y/{1000 * BIN:g}ms"),
    ),
    Claim(
        key="5-9",
        where="5; abstract; 6",
        text="TCP sustains the long-range dependence of the background: its own traffic has it too.",
        paper="H near that of the background",
        rule="Whether a run's traffic has it is what ackclock.analysis.hurst says: no trend, no cycle, wavelets and "
        f"local Whittle from 0.5 to 1, and memory that lasts. Of {PATHS} paths of {LENGTH} values of noise with "
        f"H = {TRUTH}, which all have it, a part passes. Reproduced if as large a part of the runs does, partly if at "
        "least half of that part; else not.",
        judge=_sustains,
        command=command(Setting(reading=CONSTANT, variant="newreno"), record=f"arrivals@B->y/{1000 * BIN:g}ms"),
    ),
    Claim(
        key="5-10",
        where="5, Table 2",
        text="Of the four, Vegas' traffic has the highest Hurst parameter.",
        paper="0.90; the others 0.82 to 0.84",
        rule="By the paper's method with 50 lags; one is above another if the paired 95 % interval leaves out zero. "
        f"Reproduced if Vegas is above all others, partly if above some and below none. {OVER_READINGS}",
        judge=per_reading(_top, each("hurst_k50", 2), _why_top),
        command=command(Setting(reading=CONSTANT, variant="vegas"), record=f"arrivals@B->y/{1000 * BIN:g}ms"),
    ),
)
"""Of the connection's own traffic."""
