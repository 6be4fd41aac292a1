"""A claim: a sentence, whose it is, and the rule that judges it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ackclock.papers.claims import Judgement
from ackclock.papers.core.quantities import numbers
from ackclock.papers.core.tabled import tabled
from ackclock.papers.core.words import DASH, points_words, with_unit
from ackclock.papers.truth import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.evidence import Evidence, Grid, Side
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.core.rules import Outcome, Rule
    from ackclock.papers.truth import Truth
    from ackclock.report.html import Table

__all__ = ["Change", "Claim", "Origin", "Said"]

Origin = Literal["paper", "ours"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A rule that was changed after results had been seen.

    Parameters
    ----------
    was, now
        The rule before and after, in short.
    before, after
        The verdicts.
    reason
        Why it was changed.

    """

    was: str
    now: str
    before: str
    after: str
    reason: str


class Said:
    """What a sentence may say: numbers of our runs, by name."""

    def __init__(self, side: Side, outcome: Outcome) -> None:
        self._side, self.outcome = side, outcome

    def __call__(self, quantity: Quantity) -> Grid[Interval]:
        """Give the means of a quantity, with their intervals."""
        return quantity.points(self._side)

    def answers(self, asked: Answers) -> Grid[Truth]:
        """Give the answers to a question."""
        return asked.on(self._side)

    def counted(self, asked: Answers, points: str) -> str:
        """Count the points at which the answer is yes: "3 of 4 points"."""
        return counted(self.answers(asked).cells.values(), points)

    def mean(self, quantity: Quantity) -> float:
        """Give the mean of a quantity that has one point."""
        (one,) = self(quantity).cells.values()
        return one.mean


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One claim of a paper, or of ours.

    Parameters
    ----------
    key
        Section and number, such as ``3.2-1``.
    where
        Where the paper says it: sections and figures.
    text
        The claim in our words.
    test
        The rule that judges it.
    paper
        The number that the paper prints; empty where it prints none.
    origin
        Whose claim it is.
    figure
        Slug of the figure that shows it; the figures that `where` names by number, if empty.
    command
        A command that shows a run in which it can be seen.
    why
        The sentence on what decided, in place of the rule's own: text with ``{name}`` for means of `shows`, or a
        function.
    shows
        Further quantities to report, by name.
    numbers
        Quantities whose numbers are reported; by default those of the rule and of `shows`.
    brief
        What the summary says in place of the sentence, where that is too long for it: text, or a function.
    changed
        How the rule was changed after results had been seen.

    """

    key: str
    where: str
    text: str
    test: Rule
    paper: str = ""
    origin: Origin = "paper"
    figure: str = ""
    command: str = ""
    why: str | Callable[[Said], str] = ""
    shows: Mapping[str, Quantity] = field(default_factory=dict)
    numbers: tuple[Quantity, ...] | None = None
    brief: str | Callable[[Said], str] = ""
    changed: Change | None = None

    @property
    def rule(self) -> str:
        """The rule in words."""
        return self.test.words

    def judge(self, evidence: Evidence) -> Judgement:
        """Judge by our runs, and report both sides' numbers."""
        outcome = self.test.judge(evidence.ours)
        said = Said(evidence.ours, outcome)
        return Judgement(
            verdict=outcome.verdict,
            setting=outcome.setting,
            ours=self._numbers(evidence.ours),
            ns2=self._numbers(evidence.ns2),
            why=self._sentence(said),
            command=outcome.command,
            brief=self.brief(said) if callable(self.brief) else self.brief,
        )

    def tables(self, evidence: Evidence) -> list[Table]:
        """Give both sides' numbers as tables, where they are many."""
        return tabled(self._reported(), evidence)

    def _reported(self) -> list[Quantity]:
        """Give the quantities whose numbers are reported, each once."""
        quantities = (*self.test.quantities, *self.shows.values()) if self.numbers is None else self.numbers
        return list({one.reported.words: one.reported for one in quantities}.values())

    def _numbers(self, side: Side) -> str:
        """Write the numbers of one side: a dash where it measured none."""
        parts = []
        for one in self._reported():
            with suppress(LookupError):
                parts.append(numbers(one, side))
        return "; ".join(parts) or DASH

    def _sentence(self, said: Said) -> str:
        if callable(self.why):
            return self.why(said)
        if not self.why:
            return said.outcome.why
        means = {name: _mean(one, said(one)) for name, one in self.shows.items()}
        return self.why.format(**means, why=said.outcome.why)


def _mean(of: Quantity, points: Grid[Interval]) -> str:
    """Write a mean; several with their intervals and where they are."""
    if len(points.cells) > 1:
        return points_words(points, digits=of.digits, unit=of.unit)
    (one,) = points.cells.values()
    return with_unit(f"{one.mean:,.{of.digits}f}", of.unit)
