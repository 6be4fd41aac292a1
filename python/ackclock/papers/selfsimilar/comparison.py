"""What is compared with ns-2 over on/off sources: means, and for Vegas, which has two fates, distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.papers.comparison import Rule, named
from ackclock.papers.selfsimilar.experiment import SCALES, VARIANTS
from ackclock.papers.selfsimilar.traffic import BINS, ESTIMATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ackclock.papers.observation import Observation

BAR: Final = 0.95  # share of the points of each measure that must agree
LEAST_P: Final = 0.01  # samples are unlike if chance would set them as far apart in a smaller share of cases


def _has_one_fate(run: Observation) -> bool:
    return not run.variant.startswith(VARIANTS["vegas"])


TABLE_2: Final = tuple(
    Rule(title=title, measure=named(title), relative=relative, applies=_has_one_fate)
    for title, relative in (("arrivals", 0.01), ("acks", 0.01), ("drops", 0.15), ("retransmissions", 0.15))
)
"""The counts of Table 2."""

BACKGROUND: Final = (
    Rule(title="load", measure=named("load"), relative=0.01),
    *(Rule(title=f"c.o.v. in {scale:g} s", measure=named(f"cov_{scale:g}"), relative=0.02) for scale in SCALES),
    *(Rule(title=f"H in {scale:g} s", measure=named(f"hurst_{scale:g}"), relative=0.01) for scale in SCALES),
)
"""The mean of the background, its spread over a ladder of time scales, and its Hurst parameter there."""


def _estimated(method: str, scale: float) -> Callable[[Observation], float | None]:
    """Take a Hurst parameter, which no run has where the method asks for more bins than there are."""
    return lambda run: run.values.get(f"{method} {scale:g}")


LOADS: Final = (
    Rule(title="load", measure=named("load"), relative=0.01),
    Rule(title="loss", measure=named("loss"), relative=0.15),
    *(Rule(title=f"c.o.v. in {scale:g} s", measure=named(f"cov {scale:g}"), relative=0.02) for scale in BINS),
    *(
        Rule(title=f"H, {method}, in {scale:g} s", measure=_estimated(method, scale), relative=0.01)
        for method in ESTIMATORS
        for scale in BINS
    ),
)
"""The background from low load to high: those methods that 100 s are enough for find points on both sides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """One measure of one variant, run by run on both sides."""

    title: str
    variant: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def p(self) -> float:
        """The probability of samples at least as far apart, were both the same (Kolmogorov and Smirnov, exact)."""
        from scipy.stats import ks_2samp  # noqa: PLC0415 - slow to load

        return float(ks_2samp(self.ours, self.theirs).pvalue)

    @property
    def agrees(self) -> bool:
        """Whether chance may have set them apart."""
        return self.p > LEAST_P


def by_distribution(ours: Iterable[Observation], theirs: Iterable[Observation]) -> list[Likeness]:
    """Compare Vegas's runs by what Table 2 counts, measure by measure, in the order of its readings.

    A mean says little of them: a base round-trip time that ns-2 took from the gap between two ACKs, after a timeout,
    halts a run for good, and one run of ten delivers a third of what the others do.
    """
    mine, others = list(ours), list(theirs)
    names = dict.fromkeys(run.variant for run in mine if not _has_one_fate(run))
    return [
        Likeness(title=rule.title, variant=name, ours=_values(mine, name, rule), theirs=_values(others, name, rule))
        for rule in TABLE_2
        for name in names
    ]


def _values(runs: Iterable[Observation], name: str, rule: Rule) -> tuple[float, ...]:
    values = (rule.measure(run) for run in runs if run.variant == name)
    return tuple(value for value in values if value is not None)
