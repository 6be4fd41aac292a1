"""The rule that names the best contender.

The measures of what matters decide in their order. A contender stays if its mean is worse than the best one by no more
than the margin that does not matter to a person. It is *set aside* if it is worse by more, and the confidence interval
of the difference, seed by seed, excludes zero; it is *open* if the interval includes zero. Only contenders that stay
are compared by the next measure. Of those that stay to the end, the simplest is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ackclock.analysis.ranking import rank_paired

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ackclock.advice.measures import Measure
    from ackclock.analysis.interval import Interval

__all__ = ["LEVEL", "Judgement", "Worse", "judge"]

LEVEL: Final = 0.95
"""Probability with which no contender is set aside wrongly, over all measures and looks at the values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Worse:
    """Why a contender did not stay: a measure, the best contender by it, and the difference from the best."""

    measure: Measure
    best: str
    difference: Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The result.

    Parameters
    ----------
    chosen
        The contender that is recommended.
    as_good
        Other contenders that stayed, the simplest first: no difference from the best that matters was seen.
    open
        Contenders whose means are worse by more than the margin, but within chance.
    aside
        Contenders that are worse.
    """

    chosen: str
    as_good: tuple[str, ...]
    open: Mapping[str, Worse]
    aside: Mapping[str, Worse]

    @property
    def best(self) -> tuple[str, ...]:
        """The contender that is recommended, and those that are as good."""
        return (self.chosen, *self.as_good)

    def verdict(self, key: str) -> str:
        """Return what this judgement says of a contender that was recommended elsewhere: a word for programs."""
        if key == self.chosen:
            return "still recommended"
        return "as good" if key in self.as_good else "undecided" if key in self.open else "worse"

    def preferring(self, preferred: Collection[str]) -> Judgement:
        """Recommend the simplest of those that are as good and preferred, if there is one."""
        chosen = next((each for each in self.best if each in preferred), self.chosen)
        return replace(self, chosen=chosen, as_good=tuple(each for each in self.best if each != chosen))


def judge(
    samples: Mapping[str, Mapping[str, Sequence[float]]],
    measures: Sequence[Measure],
    simplest: Sequence[str],
    *,
    looks: int = 1,
) -> Judgement:
    """Judge contenders that ran with the same seeds.

    Parameters
    ----------
    samples
        The values of each contender by the keys of the measures, one per seed.
    measures
        The measures, the most important first.
    simplest
        All contenders, the simplest first. The order of `samples` has no effect.
    looks
        How often the values are judged while seeds are added; the intervals allow for it.
    """
    level = 1 - (1 - LEVEL) / (looks * len(measures))
    kept = [each for each in simplest if each in samples]
    found: dict[bool, dict[str, Worse]] = {True: {}, False: {}}
    for measure in measures:
        ranking = rank_paired({each: samples[each][measure.key] for each in kept}, better=measure.better, level=level)
        best = samples[ranking.best][measure.key]
        margin = measure.margin(sum(best) / len(best))
        for each, compared in ranking.against.items():
            if abs(compared.difference.mean) > margin:
                kept.remove(each)
                found[compared.differ][each] = Worse(measure=measure, best=ranking.best, difference=compared.difference)
    chosen, *others = kept
    return Judgement(chosen=chosen, as_good=tuple(others), open=found[False], aside=found[True])
