"""Answers a question: the contest of the contenders, and the same finalists under changed assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.advice.assumptions import Assumption, assumptions, half_the_users
from ackclock.advice.contest import FIRST, Contest, Separated, all_contenders, contest, judged_measures, separate
from ackclock.advice.network import network
from ackclock.advice.runs import expected
from ackclock.values.kinds import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.advice.contenders import Contender
    from ackclock.advice.measures import Measure
    from ackclock.advice.question import Question

__all__ = ["SEEDS", "Advice", "Checked", "Cost", "advise", "cost"]

SEEDS: Final = whole(FIRST, 1000)
"""Allowed largest numbers of seeds."""
_NEEDED: Final = 0.4
"""Share of the runs after the screening that an answer usually needs: most contenders are set aside early."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A changed assumption, and which of the finalists is then chosen."""

    assumption: Assumption
    found: Separated


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """The answer to a question.

    Parameters
    ----------
    question
        The question.
    contest
        What was measured of the contenders, and which one is chosen.
    most
        Largest number of seeds that was allowed.
    checked
        The finalists under changed assumptions.
    """

    question: Question
    contest: Contest
    most: int
    checked: Sequence[Checked]

    @property
    def chosen(self) -> Contender:
        """The recommended contender."""
        return self.contest.contenders[self.contest.judgement.chosen]

    @property
    def measures(self) -> list[Measure]:
        """The measures that decide, in their order."""
        return judged_measures(self.question)

    @property
    def runs(self) -> int:
        """Number of runs behind the answer."""
        parts = [self.contest.samples, *(each.found.samples for each in self.checked)]
        return sum(len(next(iter(values.values()))) for samples in parts for values in samples.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        from ackclock.advice.plain import plain  # noqa: PLC0415  # it is a layer above

        return plain(self)

    def page(self, command: str = "") -> str:
        """Return the page of the answer: a self-contained HTML file."""
        from ackclock.advice.page import page  # noqa: PLC0415  # it loads Matplotlib

        return page(self, command)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What an answer costs.

    Parameters
    ----------
    contenders
        Number of contenders, with the reference.
    screening, separating, checking
        Number of runs of the first stage, and largest numbers of runs of further seeds and under changed assumptions.
    there
        Number of runs of the contenders that the store already has.
    likely, most
        Estimated CPU time in s of the runs that the store does not have: how much is likely needed, and the most.
    """

    contenders: int
    screening: int
    separating: int
    checking: int
    there: int
    likely: float
    most: float


def advise(question: Question, store: str | Path, *, seeds: int = 20, jobs: int | None = None) -> Advice:
    """Answer a question.

    Parameters
    ----------
    question
        The question.
    store
        Folder of the store for the runs, which may have runs of other questions. Runs that it has are not repeated.
    seeds
        Largest number of seeds.
    jobs
        Number of parallel runs (default: one per CPU). Does not affect the answer.

    Raises
    ------
    ScenarioError
        A number is not allowed, or the folder is no store.
    KeyboardInterrupt
        On Ctrl-C; the same call goes on.
    LostError
        A run failed.
    """
    SEEDS.require("seeds", seeds)
    found = contest(question, Path(store), seeds=seeds, jobs=jobs)
    finalists = _finalists(question, found)
    half = half_the_users(question)  # if several contenders are equally good, the contest has judged this change
    checked = [
        Checked(
            assumption=each,
            found=(found.half if each == half else None) or _checked(each, finalists, Path(store), seeds, jobs),
        )
        for each in assumptions(question)
    ]
    return Advice(question=question, contest=found, most=seeds, checked=checked)


def cost(question: Question, store: str | Path, *, seeds: int = 20) -> Cost:
    """Estimate what `advise` costs at most, without changing the store."""
    SEEDS.require("seeds", seeds)
    every, _ = all_contenders(question)
    # The estimate runs the first network: one with a queue that needs more work per packet than others.
    order = sorted(every.values(), key=lambda each: each.queue != "cake")
    outlook = expected(Path(store), {each.key: network(question, each) for each in order}, seeds=seeds)
    finalists = len(question.queues) + len(question.laws)
    # All contenders run with half the users; the finalists run with the other changes.
    checking = seeds * (len(every) + (len(list(assumptions(question))) - 1) * finalists)
    priced = outlook
    if not outlook.runs:  # the runs of the question are there, and those of its changes may not be
        half = half_the_users(question).question
        priced = expected(Path(store), {order[0].key: network(half, order[0])}, seeds=1)
    each = (priced.cpu_seconds or 0.0) / max(1, priced.runs)
    screening = FIRST * len(every)
    first = max(0, screening - outlook.there)
    return Cost(
        contenders=len(every),
        screening=screening,
        separating=seeds * len(every) - screening,
        checking=checking,
        there=outlook.there,
        likely=each * (first + _NEEDED * (outlook.runs - first + checking)),
        most=each * (outlook.runs + checking),
    )


def _finalists(question: Question, found: Contest) -> list[Contender]:
    """Return the contenders to run under changed assumptions.

    They are the choice, the best contender of each other queue, the same queue with each other congestion control, and
    the reference.
    """
    judgement, every = found.judgement, found.contenders
    chosen = every[judgement.chosen]
    order = judged_measures(question)
    # The longer a contender stayed, and the smaller its difference, the better it is.
    aside = sorted(
        judgement.aside.items(), key=lambda entry: (-order.index(entry[1].measure), abs(entry[1].difference.mean))
    )
    best: dict[tuple[str, str], str] = {}
    for key in (judgement.chosen, *judgement.as_good, *judgement.open, *(key for key, _ in aside)):
        each = every[key]
        if chosen.queue == each.queue or chosen.law == each.law:
            best.setdefault((each.queue, each.law), key)
    return [every[key] for key in dict.fromkeys((*best.values(), found.reference))]


def _checked(
    assumption: Assumption, finalists: Sequence[Contender], folder: Path, seeds: int, jobs: int | None
) -> Separated:
    """Run the finalists under a changed assumption, and judge them; those that become equal count once."""
    # Keys remain those of the original contenders, the recommended one first.
    distinct = {assumption.configured(each): each.key for each in reversed(finalists)}
    every = {key: configured for configured, key in reversed(distinct.items())}
    return separate(
        assumption.question,
        every,
        folder,
        simplest=list(every),
        always=finalists[0].key,
        seeds=seeds,
        jobs=jobs,
        change=assumption.words,
    )
