"""What the rules are written with: intervals at places of the evidence, comparisons that allow for chance, words."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Protocol, TypeVar

from ackclock.analysis import Interval, student_interval
from ackclock.papers import truth
from ackclock.papers.truth import NO, OPEN, YES, Truth
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.papers.claims import Sides
    from ackclock.papers.observation import Observation

    Measure = str | Callable[[Observation], float | None]

__all__ = [
    "SETTING",
    "along",
    "at",
    "each_above",
    "either",
    "high",
    "jackknife",
    "listed",
    "low",
    "per_seed",
    "percent",
    "proportion",
    "run_command",
    "shown",
    "span",
    "told",
    "weighed",
    "within",
]

R = TypeVar("R")
M = TypeVar("M", bound="HasSeed")
S = TypeVar("S")


class HasSeed(Protocol):
    """Whatever was measured of a run."""

    @property
    def seed(self) -> int:
        """The run's seed."""


SETTING = "RED's averaging weight"
"""What claims about RED may depend on."""

DASH = "–"  # noqa: RUF001 - for what was not measured


def at(runs: Iterable[Observation], variant: str, clients: int, measure: Measure) -> Interval:
    """Give the mean of a measure at one place, with its interval.

    Raises
    ------
    LookupError
        If no run there has the measure.

    """
    return along(runs, variant, (clients,), measure)[clients]


def along(runs: Iterable[Observation], variant: str, counts: Sequence[int], measure: Measure) -> dict[int, Interval]:
    """Give the same at each of some client counts that the runs have.

    Raises
    ------
    LookupError
        If they have none.

    """
    samples: dict[int, list[float]] = {}
    for run in runs:
        if run.variant == variant and run.clients in counts:
            value = run.values.get(measure) if isinstance(measure, str) else measure(run)
            if value is not None:
                samples.setdefault(run.clients, []).append(value)
    if not samples:
        raise LookupError(f"no run of {variant} has it")
    return {clients: student_interval(sample) for clients, sample in sorted(samples.items())}


def per_seed(runs: Iterable[Observation], statistic: Callable[[Sequence[Observation]], float]) -> Interval:
    """Give a statistic of the runs with each seed, such as a slope or a ratio, with its interval over the seeds."""
    by_seed: dict[int, list[Observation]] = {}
    for run in runs:
        by_seed.setdefault(run.seed, []).append(run)
    return student_interval([statistic(those) for those in by_seed.values()])


def percent(name: str) -> Callable[[Observation], float | None]:
    """Make a measure that is a fraction one in per cent; None stays None."""

    def measure(run: Observation) -> float | None:
        value = run.values.get(name)
        return None if value is None else 100 * value

    return measure


def proportion(answers: Sequence[bool]) -> Interval:
    """Give the part of the answers that are yes, with Wilson's 95 % interval.

    Examples
    --------
    >>> found = proportion([True, True, False, False])
    >>> found.mean, round(found.low, 2), round(found.high, 2)
    (0.5, 0.15, 0.85)

    """
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to load

    part, of = sum(answers) / len(answers), len(answers)
    low, high = map(float, binomtest(sum(answers), of).proportion_ci(method="wilson"))
    return Interval(
        mean=part,
        half_width=(high - low) / 2,
        standard_error=math.sqrt(part * (1 - part) / of),
        count=of,
        level=0.95,
        shift=(low + high) / 2 - part,
    )


def low(interval: Interval) -> float:
    """Give the lower end of the interval; of a single run, the value."""
    return interval.low if math.isfinite(interval.half_width) else interval.mean


def high(interval: Interval) -> float:
    """Give the upper end of the interval; of a single run, the value."""
    return interval.high if math.isfinite(interval.half_width) else interval.mean


def either(holds: Sequence[Truth], setting: str) -> tuple[Verdict, str]:
    """Judge a claim that is asked several times: it depends on the setting where it clearly holds and clearly fails."""
    if YES in holds and NO in holds:
        return Verdict.DEPENDS, setting
    if OPEN in holds:
        return Verdict.UNDECIDED, ""
    return (Verdict.REPRODUCED if YES in holds else Verdict.NOT), ""


def within(one: Interval | float, other: Interval | float, *, part: float) -> Truth:
    """Say whether one value differs from another by no more than a part of the other."""
    return ~truth.above(one, other, times=1 + part) & ~truth.below(one, other, times=1 / (1 - part))


def jackknife(runs: Sequence[M], value: Callable[[Sequence[M]], float]) -> Interval:
    """Give what is computed of means over seeds, such as an exponent, with its interval.

    By Tukey's pseudo-values: each is what the runs of one seed add to the value of all (Miller, "The Jackknife - a
    Review", Biometrika 61, 1974).

    Parameters
    ----------
    runs
        What was measured, with any seeds.
    value
        Computes the number of some of them.

    """
    seeds = {run.seed for run in runs}
    whole = value(runs)
    if len(seeds) < 2:
        return student_interval([whole])
    without = [value([run for run in runs if run.seed != seed]) for seed in sorted(seeds)]
    return student_interval([len(seeds) * whole - (len(seeds) - 1) * rest for rest in without])


def each_above(larger: Mapping[int, Interval], smaller: Mapping[int, Interval]) -> list[Truth]:
    """Say for each client count of both whether one is above the other."""
    return [truth.above(larger[clients], smaller[clients]) for clients in larger if clients in smaller]


def shown(interval: Interval, digits: int, unit: str = "") -> str:
    """Write a mean and its half-width, with so many decimals."""
    return f"{interval.shown(digits)}{unit}"


def span(points: Mapping[int, Interval], digits: int, unit: str = "") -> str:
    """Write the smallest and the largest of some means, with their intervals."""
    least, most = (choose(points.values(), key=lambda point: point.mean) for choose in (min, max))
    return shown(least, digits, unit) if least is most else f"{shown(least, digits)} to {shown(most, digits, unit)}"


def told(evidence: Sides[S], say: Callable[[S], str]) -> dict[str, str]:
    """Say the same of our runs and of ns-2's; a dash for what ns-2 was not asked."""
    try:
        theirs = say(evidence.ns2)
    except LookupError:
        theirs = DASH
    return {"ours": say(evidence.ours), "ns2": theirs}


def weighed(verdict: Verdict, weights: Mapping[float, R], holds: Callable[[R], Truth]) -> tuple[Verdict, str, str]:
    """Turn a verdict into "depends on" if another weight of RED clearly gives the opposite answer.

    Parameters
    ----------
    verdict
        What came out at the usual weight.
    weights
        Our runs, by the weight.
    holds
        Says of the runs with one weight, which have 60 clients, whether the claim holds; None if chance may decide.

    Returns
    -------
    tuple
        The verdict, what it depends on, and at which weights the claim holds and fails, in words. An undecided verdict
        stays.

    """
    answers = {weight: holds(runs) for weight, runs in weights.items()}
    opposite = {Verdict.NOT: YES, Verdict.REPRODUCED: NO, Verdict.PARTLY: NO}.get(verdict)
    yes, no = ([f"{weight:g}" for weight, answer in answers.items() if answer is one] for one in (YES, NO))
    parts = [f"{word} at {listed(there)}" for word, there in (("holds", yes), ("fails", no)) if there]
    words = f"of {len(answers)} weights with 60 clients it " + (
        f"clearly {listed(parts)}" if parts else "is decided at none"
    )
    return (Verdict.DEPENDS, SETTING, words) if opposite in answers.values() else (verdict, "", words)


def listed(parts: Sequence[str]) -> str:
    """Join with commas and an "and"."""
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def run_command(file: str, fields: Sequence[str], *, record: str = "") -> str:
    """Give the command that makes one run.

    Parameters
    ----------
    file
        The scenario.
    fields
        What differs from it, as ``PATH=VALUE``.
    record
        A table to keep, if any.

    """
    words = ["ackclock", "run", file]
    for field in fields:
        words += ["--set", field]
    if record:
        words += ["--record", record, "--out", "out/run"]
    return shlex.join(words)
