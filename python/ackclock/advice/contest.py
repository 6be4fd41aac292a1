"""Screens the contenders with few seeds, and adds seeds until the best is separated from the others.

Several contenders may be as good as the best. The number of users is that of a busy hour, and fewer of them are active
at most times. Of such contenders, those that are also among the best with half the users therefore come first, and the
simplest of them is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ackclock.advice.assumptions import half_the_users
from ackclock.advice.contenders import contenders, reference
from ackclock.advice.judgement import Judgement, Worse, judge
from ackclock.advice.measures import JUDGED
from ackclock.advice.network import network
from ackclock.advice.runs import Samples, measured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.advice.contenders import Contender
    from ackclock.advice.measures import Measure
    from ackclock.advice.question import Question

__all__ = [
    "FIRST",
    "Contest",
    "Separated",
    "all_contenders",
    "contest",
    "judged_measures",
    "separate",
    "with_half_the_users",
]

FIRST: Final = 5
"""Seeds of the first stage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Separated:
    """What was measured of contenders in one network, and the judgement.

    Parameters
    ----------
    samples
        The values by the keys of contenders; those that were set aside early have fewer seeds.
    judgement
        The choice, and why others were not chosen.
    seeds
        Number of seeds of the last stage.
    """

    samples: Samples
    judgement: Judgement
    seeds: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Contest(Separated):
    """The contest of all contenders of a question.

    Parameters
    ----------
    contenders
        All contenders by their keys, the simplest first, and the reference.
    reference
        Key of what the recommendation is compared with.
    half
        The same with half the users, if several contenders are as good as the best.
    """

    contenders: Mapping[str, Contender]
    reference: str
    half: Separated | None

    @property
    def fading(self) -> tuple[str, ...]:
        """Of several contenders that are as good as the best: those that are not with half the users."""
        stay = self.judgement.best if self.half is None else self.half.judgement.best
        return tuple(each for each in self.judgement.best if each not in stay)


def contest(
    question: Question, folder: Path, *, seeds: int, least: int = 2 * FIRST, jobs: int | None = None
) -> Contest:
    """Run the contenders of a question, in stages, until no contender is open.

    Parameters
    ----------
    question, folder, jobs
        As for `ackclock.advice.advise`.
    seeds, least
        Largest and least number of seeds of the contenders that are not set aside.
    """
    found = _all_separated(question, question, folder, seeds=seeds, least=least, jobs=jobs)
    half = with_half_the_users(question, folder, seeds=seeds, jobs=jobs) if found.judgement.as_good else None
    every, compared = all_contenders(question)
    return Contest(
        samples=found.samples,
        judgement=found.judgement.preferring(half.judgement.best) if half else found.judgement,
        seeds=found.seeds,
        contenders=every,
        reference=compared,
        half=half,
    )


def with_half_the_users(question: Question, folder: Path, *, seeds: int, jobs: int | None = None) -> Separated:
    """Run all contenders of a question with half its users."""
    half = half_the_users(question)
    return _all_separated(question, half.question, folder, seeds=seeds, least=2 * FIRST, jobs=jobs, change=half.words)


def _all_separated(
    question: Question, asked: Question, folder: Path, *, seeds: int, least: int, jobs: int | None, change: str = ""
) -> Separated:
    """Run all contenders of a question in the network of another one."""
    every, compared = all_contenders(question)
    return separate(
        asked,
        every,
        folder,
        simplest=[each.key for each in contenders(question)],
        always=compared,
        seeds=seeds,
        least=least,
        jobs=jobs,
        change=change,
    )


def separate(
    question: Question,
    every: Mapping[str, Contender],
    folder: Path,
    *,
    simplest: Sequence[str],
    always: str,
    seeds: int,
    least: int = FIRST,
    jobs: int | None,
    change: str = "",
) -> Separated:
    """Run contenders in stages, and set those aside that are worse, until no contender is open.

    Parameters
    ----------
    question, folder, seeds, least, jobs
        As for `contest`.
    every
        The contenders by their keys.
    simplest
        Keys of those that can be chosen, the simplest first.
    always
        Key of the contender that runs with all seeds.
    change
        What differs from the original question, for the names of the runs.
    """
    measures, prefix = judged_measures(question), f"{change}: " if change else ""
    live, samples, aside = list(simplest), Samples(), dict[str, Worse]()
    stages = _stages(seeds)
    for count in stages:
        networks = {f"{prefix}{key}": network(question, every[key]) for key in dict.fromkeys((*live, always))}
        label = change or ("screening" if count == FIRST else "separating")
        found = measured(folder, networks, seeds=count, jobs=jobs, label=label)
        samples |= {name.removeprefix(prefix): values for name, values in found.items()}
        judgement = judge({key: samples[key] for key in live}, measures, simplest, looks=len(stages))
        aside |= judgement.aside
        live = [key for key in live if key not in aside]
        if count == stages[-1] or (count >= least and not judgement.open):
            return Separated(samples=samples, judgement=replace(judgement, aside=aside), seeds=count)
    raise AssertionError("the last stage returns")


def all_contenders(question: Question) -> tuple[dict[str, Contender], str]:
    """Return all contenders and the reference by their keys, and the key of the reference."""
    found = contenders(question)
    compared = reference(question)
    # On a slow link, another buffer may have the same number of packets as the reference.
    same = next((each for each in found if replace(each, buffer=compared.buffer) == compared), compared)
    return {each.key: each for each in (*found, same)}, same.key


def judged_measures(question: Question) -> list[Measure]:
    """Return the measures that decide, in their order."""
    return [each for name in question.matters for each in JUDGED[name]]


def _stages(seeds: int) -> list[int]:
    """Return the numbers of seeds after which the values are judged: doubled from stage to stage.

    >>> _stages(20), _stages(12), _stages(5)
    ([5, 10, 20], [5, 10, 12], [5])
    """
    stages = [FIRST]
    while stages[-1] < seeds:
        stages.append(min(seeds, 2 * stages[-1]))
    return stages
