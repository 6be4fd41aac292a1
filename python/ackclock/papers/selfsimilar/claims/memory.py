"""What the paper says of self-similarity: of the connection's own traffic, and of the method that measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.papers.claims import Claim, Judgement, by_share, graded
from ackclock.papers.reading import DASH, listed, shown
from ackclock.papers.selfsimilar.claims.reading import OVER_READINGS, by_reading, command, each, per_reading
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS, Setting
from ackclock.papers.selfsimilar.looks import BIN
from ackclock.papers.selfsimilar.memory import BACKGROUND, LONG, METHODS
from ackclock.papers.selfsimilar.methods import LENGTH, PATHS, TRUTH
from ackclock.papers.selfsimilar.paired import beaten, beats, interval
from ackclock.papers.truth import NO, YES, Truth, above, at_least, at_most, counted, every, exactly, some

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant
    from ackclock.report.html import Verdict

__all__ = ["METHOD", "OWN"]

_PRINTED: Final = (0.82, 0.90)
"""The Hurst parameters of Table 2, from least to most."""

_ROUNDED: Final = 0.005
"""What they may be off by, with two decimals."""

_NONE: Final = 0.5
"""The Hurst parameter of traffic without memory."""

_MORE: Final = 0.05
"""By how much one must be above it to show memory."""

_COVERED: Final = 0.9
"""The part of 95 % intervals that must hold the truth, for 100 paths to show that they do."""


def _inside(side: Side, reading: Reading) -> list[Truth]:
    low, high = _PRINTED[0] - _ROUNDED, _PRINTED[1] + _ROUNDED
    found = [interval(side, reading, variant, "hurst_k50") for variant in VARIANTS]
    return [at_least(h, low) & at_most(h, high) for h in found]


def _about(side: Side, reading: Reading) -> Verdict:
    return by_share(_inside(side, reading))


def _why_about(side: Side, reading: Reading) -> str:
    return f"{counted(_inside(side, reading), 'means')} are from {_PRINTED[0]:.2f} to {_PRINTED[1]:.2f}"


def _of(side: Side, name: str, method: str) -> Interval:
    """Give the Hurst parameter that a method found in long runs.

    Raises
    ------
    LookupError
        If it found none.

    """
    found = [value for values in side.memory.get(name, ()) if (value := values[method]) is not None]
    if not found:
        raise LookupError(f"{method} found no scaling in {name}")
    return student_interval(found)


def _has_memory(side: Side, name: str) -> Truth:
    """Say whether all methods find memory: above that of none, and not above 1, where traffic wanders."""
    try:
        found = [_of(side, name, method) for method in METHODS]
    except LookupError:
        return NO
    return every(above(h, _NONE, by=_MORE) & at_most(h, 1) for h in found)


def _memories(side: Side, reading: Reading) -> dict[str, Truth]:
    return {
        label: _has_memory(side, Setting(reading=reading, variant=variant).name) for variant, label in VARIANTS.items()
    }


def _with_memory(side: Side, reading: Reading) -> list[str]:
    return [label for label, answer in _memories(side, reading).items() if answer is YES]


def _sustains(side: Side, reading: Reading) -> Verdict:
    found = _memories(side, reading).values()
    return graded(whole=every(found), part=some(found))


def _why_sustains(side: Side, reading: Reading) -> str:
    return f"long-range dependence of {_brief_sustains(side, reading)}"


def _brief_sustains(side: Side, reading: Reading) -> str:
    return listed(_with_memory(side, reading)) or "none"


def _tell_memory(side: Side, name: str) -> str:
    return "/".join(shown(_of(side, name, method), 2) if _found(side, name, method) else DASH for method in METHODS)


def _found(side: Side, name: str, method: str) -> bool:
    return any(values[method] is not None for values in side.memory.get(name, ()))


def _tell_sustains(side: Side) -> str:
    if not side.memory:
        raise LookupError("there are no long runs")
    told = by_reading(
        lambda side, reading: ", ".join(
            f"{label} {_tell_memory(side, Setting(reading=reading, variant=variant).name)}"
            for variant, label in VARIANTS.items()
        )
    )
    return f"H by {'/'.join(METHODS.values())}: background {_tell_memory(side, BACKGROUND)}; {told(side)}"


def _top(side: Side, reading: Reading) -> Verdict:
    ahead = beats(side, reading, "vegas", "hurst_k50", 0).values()
    behind = [beats(side, reading, other, "hurst_k50", 0)["vegas"] for other in VARIANTS if other != "vegas"]
    return graded(whole=every(ahead), part=some(ahead) & ~some(behind))


def _why_top(side: Side, reading: Reading) -> str:
    above: list[Variant] = beaten(side, reading, "vegas", "hurst_k50", 0)
    return f"Vegas is clearly above {listed([VARIANTS[variant] for variant in above]) or 'none'}"


def _better(evidence: Evidence) -> Judgement:
    optimisation, wavelet = evidence.methods["optimisation"], evidence.methods["wavelet"]
    narrower = exactly(optimisation.width < wavelet.width)  # of the same fixed paths, whatever the seeds of the study
    return Judgement(
        verdict=graded(whole=narrower & exactly(optimisation.covered >= _COVERED), part=narrower),
        ours="; ".join(
            f"{name}: {method.mean:.3f}, s.d. {method.deviation:.3f}, intervals {method.width:.2f} wide of which "
            f"{100 * method.covered:.0f} % hold {TRUTH}"
            for name, method in evidence.methods.items()
        ),
        ns2=DASH,
        why=f"On exact noise of H = {TRUTH} its intervals are {optimisation.width / wavelet.width:.2f} as wide as "
        f"those of wavelets, and {100 * optimisation.covered:.0f} % of them hold it; its estimates are "
        f"{abs(optimisation.mean - TRUTH):.3f} {'below' if optimisation.mean < TRUTH else 'above'} it in the mean, "
        f"wavelets' {abs(wavelet.mean - TRUTH):.3f}. It assumes such noise, which TCP's traffic "
        "is not. The methods are not timed.",
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
        rule=f"Of packets received in {BIN:g} s, by the paper's method with 50 lags: reproduced if those of all "
        f"four variants are from {_PRINTED[0]:.2f} to {_PRINTED[1]:.2f}, rounded; partly if most. {OVER_READINGS}",
        judge=per_reading(
            _about,
            each("hurst_k50", 2),
            _why_about,
            lambda side, reading: counted(_inside(side, reading), "variants"),
            told="In 100 s the paper's method gives the paper's numbers for {}",
        ),
        command=command(Setting(reading=CONSTANT, variant="newreno"), record=f"arrivals@B->y/{1000 * BIN:g}ms"),
    ),
    Claim(
        key="5-9",
        where="5; abstract; 6",
        text="TCP sustains the long-range dependence of the background: its own traffic has it too.",
        paper="H near that of the background",
        rule=f"Of packets received in 1 s over {LONG} s, as 100 s are too few to tell. A variant's traffic has it if H "
        f"by wavelets and by local Whittle alike is above {_NONE:g} by more than {_MORE:g} (95 % intervals) and not "
        f"above 1. Reproduced if that of all four has it, partly if that of some. {OVER_READINGS}",
        judge=per_reading(
            _sustains,
            _tell_sustains,
            _why_sustains,
            _brief_sustains,
            told=f"Long-range dependence shows in {LONG:,} s for {{}}",
        ),
        command=command(Setting(reading=GREEDY, variant="newreno"), duration=LONG, record="arrivals@B->y/1s"),
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
