"""Rules as values. Each object computes a verdict, and composes the rule's text and the reason for the verdict.

- `Holds` asks one question.
- `Bars` asks two questions, of which the first is stricter.
- `AtPoints` counts the answers to one question at several points.
- `AtMostPartly` asks one question that can support the claim only partly.
- `Depends` repeats a question at other values of a setting that the paper does not print.
- `Fixed` asks whether such settings change the results.
- `Either` asks one question in several ways, which are points of the question.
- `Custom` is for all other rules.

`ackclock.papers.core.ways` has rules that apply another rule several times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.papers.core.answers import distinct, same_subject
from ackclock.papers.core.words import capital, key_words, listed, points_words
from ackclock.papers.truth import BY_SHARE, ELSE_UNDECIDED, NO, OPEN, YES, by_share, count, counted, graded, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.evidence import Grid, Scalar, Side
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.truth import Truth

_NAMED = 3
"""Maximum number of points with the answer "no" that are listed."""

_ANSWER = {YES: "yes", NO: "no", OPEN: "undecided"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The verdict of a rule.

    Parameters
    ----------
    verdict, why
        The verdict, and the reason as a sentence.
    setting
        The setting on which the outcome depends, for that verdict.
    command
        A command that shows the judged runs; empty for the claim's own command.

    """

    verdict: Verdict
    why: str
    setting: str = ""
    command: str = ""


class Rule(ABC):
    """A rule that judges a claim by our runs.

    Attributes
    ----------
    words
        The rule as text for readers.
    quantities
        The compared quantities, whose numbers are reported for both simulators.

    """

    words: str
    quantities: tuple[Quantity, ...]

    @abstractmethod
    def judge(self, ours: Side) -> Outcome:
        """Judge by our runs."""


class Bars(Rule):
    """Reproduced if the stricter question is answered "yes", partly if only the other is.

    Parameters
    ----------
    whole, part
        The questions. A question with several points must hold at all of them.
    counted
        Plural noun for these points. The reason then counts the points at which the stricter question holds, instead of
        listing the compared means.

    """

    def __init__(self, *, whole: Answers, part: Answers, counted: str = "") -> None:
        self._whole, self._part, self._asked, self._points = whole.every(), part.every(), whole, counted
        self.quantities, self._measured = _reported(whole, part), _asked(whole, part)
        lower = same_subject(whole, part.words, "it ") if len(whole.quantities) == 1 else part.words
        self.words = f"Reproduced if {whole.words}; partly if {lower}; otherwise not reproduced. {ELSE_UNDECIDED}"

    def judge(self, ours: Side) -> Outcome:
        verdict = graded(whole=self._whole.on(ours).only, part=self._part.on(ours).only)
        if self._points:
            return Outcome(verdict=verdict, why=_counted(self._asked, self._asked.on(ours), self._points))
        return Outcome(verdict=verdict, why=_measured(self._measured, ours))


class Holds(Bars):
    """Reproduced if a question is answered "yes", otherwise not."""

    def __init__(self, question: Answers) -> None:
        super().__init__(whole=question, part=question)
        self.words = f"Reproduced if {question.words}; otherwise not. {ELSE_UNDECIDED}"


class AtMostPartly(Rule):
    """Partly reproduced if a question is answered "yes", otherwise not reproduced.

    Parameters
    ----------
    question
        The question.
    because
        Why the claim cannot be fully reproduced, as a clause: "six points are too few".

    """

    def __init__(self, question: Answers, *, because: str) -> None:
        self._question = question.every()
        self.quantities, self._measured = _reported(question), _asked(question)
        self.words = (
            f"Partly reproduced if {question.words}; otherwise not. It cannot be fully reproduced, since {because}. "
            f"{ELSE_UNDECIDED}"
        )

    def judge(self, ours: Side) -> Outcome:
        verdict = graded(whole=NO, part=self._question.on(ours).only)
        return Outcome(verdict=verdict, why=_measured(self._measured, ours))


class AtPoints(Rule):
    """Asks one question at several points and combines the answers by `ackclock.papers.truth.by_share`.

    Parameters
    ----------
    *questions
        The questions; all their points have equal weight.
    points
        Plural noun for the points: "client counts".
    by
        An axis: the reason also counts the points for each of its values.

    """

    def __init__(self, *questions: Answers, points: str = "points", by: str = "") -> None:
        self._questions, self._points, self._by = questions, points, by
        self.quantities = _reported(*questions)
        asked = "; ".join(question.words for question in questions)
        self.words = f"Tested at each of the {points}: {asked}. {BY_SHARE}"

    def judge(self, ours: Side) -> Outcome:
        found = [question.on(ours) for question in self._questions]
        verdict = by_share([answer for grid in found for answer in grid.cells.values()])
        pairs = zip(self._questions, found, strict=True)
        why = " ".join(_counted(question, grid, self._points, self._by) for question, grid in pairs)
        return Outcome(verdict=verdict, why=why)


class Depends(Rule):
    """Repeats a question under other settings; if the answer is opposite there, the claim depends on the setting.

    Parameters
    ----------
    rule
        Judges under the usual setting.
    on
        The setting, such as "RED's averaging weight".
    again
        The question under the other settings, with one point for each, or without axes for a single one.
    named
        Plural noun for the points, such as "weights with 60 clients".
    asked
        The same question under the usual setting. By default the verdict is the answer: "no" for *not reproduced*.
    words
        The rule's last sentence, instead of the usual one on the repeated question.

    """

    def __init__(
        self, rule: Rule, *, on: str, again: Answers, named: str = "", asked: Answers | None = None, words: str = ""
    ) -> None:
        self._rule, self._on, self._again, self._named, self._asked = rule, on, again, named, asked
        self.quantities = rule.quantities
        usual = (
            f"Since the paper does not print {on}, the rule also tests at other {named} whether {again.words}. If the "
            f"answer there is clearly opposite, the claim depends on {on}."
        )
        self.words = f"{rule.words} {words or usual}"

    def judge(self, ours: Side) -> Outcome:
        usual = self._rule.judge(ours)
        asked = self._again.on(ours)
        opposite = (
            {Verdict.NOT: YES, Verdict.REPRODUCED: NO, Verdict.PARTLY: NO}.get(usual.verdict)
            if self._asked is None
            else {NO: YES, YES: NO}.get(self._asked.on(ours).only)
        )
        why = f"{usual.why} {self._elsewhere(asked)}"
        if opposite in asked.cells.values():
            return Outcome(verdict=Verdict.DEPENDS, why=why, setting=self._on)
        return Outcome(verdict=usual.verdict, why=why, setting=usual.setting)

    def _elsewhere(self, asked: Grid[Truth]) -> str:
        """Describe the settings at which the claim holds and fails."""
        answers = asked.cells
        if not asked.axes:
            return _said(self._again, asked.only)
        yes, no = (
            [key_words(asked.axes, key) for key, answer in answers.items() if answer is one] for one in (YES, NO)
        )
        parts = [f"{word} at {listed(there)}" for word, there in (("holds", yes), ("fails", no)) if there]
        decided = f"clearly {listed(parts)}" if parts else "is undecided at all"
        return f"Of {len(answers)} other {self._named}, it {decided}."


class Fixed(Rule):
    """Reproduced if no setting changes the results; otherwise the claim depends on the settings that do.

    Parameters
    ----------
    moves
        The question whether the results change, by the name of the setting; one point is enough.

    """

    def __init__(self, moves: Mapping[str, Answers]) -> None:
        self._asked = moves
        self._moves = {setting: question.some() for setting, question in moves.items()}
        self.quantities = _reported(*moves.values())
        asked = "; ".join(f"{setting} ({question.words})" for setting, question in moves.items())
        self.words = f"Reproduced if none of these settings changes the results: {asked}. If one clearly does, the "
        self.words += f"claim depends on it. {ELSE_UNDECIDED}"

    def judge(self, ours: Side) -> Outcome:
        answers = {setting: question.on(ours).only for setting, question in self._moves.items()}
        moving = [setting for setting, answer in answers.items() if answer is YES]
        fixed = ~some(answers.values())
        said = (_said(self._asked[setting], answer) for setting, answer in answers.items())
        return Outcome(
            verdict=Verdict.DEPENDS if moving else graded(whole=fixed, part=fixed),
            why=" ".join(said),
            setting=listed(moving),
        )


def _said(question: Answers, answer: Truth) -> str:
    """Format a question with its answer."""
    said = {YES: question.words, NO: question.denied}.get(answer)
    return f"{capital(said)}." if said else f"It is undecided whether {question.words}."


class Either(Rule):
    """Asks one question in several ways; if one answer is yes and another no, the claim depends on the way.

    Parameters
    ----------
    question
        The question; its points are the ways.
    on
        The open choice, such as "the bin".
    points
        Plural noun for the points.

    """

    def __init__(self, question: Answers, *, on: str, points: str = "points") -> None:
        self._question, self._on, self._points = question, on, points
        self.quantities = _reported(question)
        self.words = (
            f"Reproduced if {question.words}, at all {points}; if this clearly holds at one and clearly fails at "
            f"another, the claim depends on {on}; otherwise not reproduced. {ELSE_UNDECIDED}"
        )

    def judge(self, ours: Side) -> Outcome:
        asked = self._question.on(ours)
        answers = list(asked.cells.values())
        where = [key_words(asked.axes, key) for key, answer in asked.cells.items() if answer is YES]
        at = f": {listed(where)}" if where else ""
        why = f"{capital(self._question.words)} at {counted(answers, self._points)}{at}."
        if YES in answers and NO in answers:
            return Outcome(verdict=Verdict.DEPENDS, why=why, setting=self._on)
        answer = OPEN if OPEN in answers else some(answers)
        return Outcome(verdict=graded(whole=answer, part=answer), why=why)


class Custom(Rule):
    """A rule in code, with a text written by hand.

    Parameters
    ----------
    judge
        Judges our runs.
    words
        The rule's text.
    quantities
        Quantities to report.

    """

    def __init__(self, judge: Callable[[Side], Outcome], words: str, *quantities: Quantity) -> None:
        self._judge, self.words, self.quantities = judge, words, quantities

    def judge(self, ours: Side) -> Outcome:
        return self._judge(ours)


def _asked(*questions: Answers) -> tuple[Quantity, ...]:
    """Return the quantities of questions, without duplicates."""
    return distinct(one for question in questions for one in question.quantities)


def _reported(*questions: Answers) -> tuple[Quantity, ...]:
    """Return the quantities to report for questions, without duplicates."""
    return distinct(one.reported for one in _asked(*questions))


def _counted(question: Answers, grid: Grid[Truth], points: str, by: str = "") -> str:
    """Describe at how many points the answer is yes, and where it is no."""
    if not grid.axes:
        return f"{capital(question.words)}: {_ANSWER[grid.only]}."
    failing = [key_words(grid.axes, key) for key, answer in grid.cells.items() if answer is NO]
    but = f", but not at {listed(failing)}" if 0 < len(failing) <= _NAMED else ""
    split = ""
    if by:
        each: dict[Scalar, list[Truth]] = {}
        for key, answer in grid.cells.items():
            each.setdefault(key[grid.axes.index(by)], []).append(answer)
        split = ": " + ", ".join(f"{name} {count(there)} of {len(there)}" for name, there in each.items())
    return f"{capital(question.words)} at {counted(grid.cells.values(), points)}{but}{split}."


def _measured(quantities: Sequence[Quantity], ours: Side) -> str:
    sentences = []
    for one in quantities:
        points = one.points(ours)
        verb = " is" if len(points.cells) == 1 else ":"
        sentences.append(f"{one.label}{verb} {points_words(points, digits=one.digits, unit=one.unit)}")
    return capital("; ".join(sentences)) + "."
