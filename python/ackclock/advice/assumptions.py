"""Changes of a question that show how far the recommendation depends on its assumptions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.advice.contenders import LAW_NAMES
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.advice.contenders import Contender
    from ackclock.advice.question import Question

__all__ = ["Assumption", "assumptions", "half_the_users"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumption:
    """Another question in which the contenders stay configured as they are.

    Parameters
    ----------
    words
        What differs.
    question
        The changed question.
    law
        The congestion control of all senders; None if it is the contender's.
    """

    words: str
    question: Question
    law: str | None = None

    def configured(self, contender: Contender) -> Contender:
        """Return a contender with the changed senders."""
        return contender if self.law is None else replace(contender, law=self.law)


def half_the_users(question: Question) -> Assumption:
    """Return the change that also decides between contenders that are equally good."""
    return Assumption(words="half the users", question=_with_users(question, {}, factor=0.5))


def assumptions(question: Question) -> Iterator[Assumption]:
    """Yield the changes of a question, without those that change no number."""
    for each in _possible(question):
        if each.law is not None or (each.question.counts, each.question.delays) != (question.counts, question.delays):
            yield each


def _possible(question: Question) -> Iterator[Assumption]:
    yield half_the_users(question)
    yield Assumption(words="twice the users", question=_with_users(question, {}, factor=2))
    yield Assumption(words="half the delay", question=_with_delay(question, 0.5))
    yield Assumption(words="twice the delay", question=_with_delay(question, 2))
    yield Assumption(
        words="twice the downloads and uploads",
        question=_with_users(question, {"downloads": 2, "uploads": 2}),
    )
    yield Assumption(
        words="twice the calls and videos but half the pages",
        question=_with_users(question, {"calls": 2, "video": 2, "pages": 0.5}),
    )
    for law in (each for each in LAW_NAMES if each not in question.laws):
        yield Assumption(words=f"all senders use {LAW_NAMES[law]}", question=question, law=law)


def _with_users(question: Question, factors: dict[str, float], factor: float = 1.0) -> Question:
    """Multiply the numbers of users; none of them becomes 0."""
    counts = {
        name: max(1, round(factors.get(name, factor) * count)) if count else 0
        for name, count in question.counts.items()
    }
    mix = question.mix.model_copy(update=counts)
    return question.model_copy(update={"mix": mix})


def _with_delay(question: Question, factor: float) -> Question:
    given = (question.delay,) if isinstance(question.delay, str) else question.delay
    scaled = tuple(TIME.format(round(factor * TIME.parse(each))) for each in given)
    return question.model_copy(update={"delay": scaled[0] if len(scaled) == 1 else scaled})
