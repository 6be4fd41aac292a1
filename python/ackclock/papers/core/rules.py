"""Rules that judge claims. A rule computes the verdict, and writes its own text and the reason for the verdict.

- `Holds` asks one question.
- `Bars` asks two questions; the first is stricter.
- `AtPoints` counts the answers to one question at several points.
- `AtMostPartly` asks one question that can support the claim only partly.
- `Depends` repeats a question at other values of a setting that the paper does not print.
- `Fixed` asks whether such settings change the results.
- `Either` asks one question for each of several equivalent choices, such as lengths of bins.
- `Custom` is a rule in code, for all other cases.

Rules that apply another rule several times are in `ackclock.papers.core.repeating`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ackclock.papers.core.answers import Answers, distinct, same_subject
from ackclock.papers.core.evidence import Grid, Scalar, Side
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import key_words, points_words
from ackclock.papers.truth import BY_SHARE, ELSE_UNDECIDED, NO, OPEN, YES, Truth, by_share, count, counted, graded, some
from ackclock.report.html import Verdict
from ackclock.values.words import capital, listed

_NAMED = 3
"""Maximum number of groups of points, and of points with the answer "no", that a reason lists."""

_ANSWER = {YES: "yes", NO: "no", OPEN: "undecided"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The verdict of a rule with its reason.

    Parameters
    ----------
    verdict, why
        The verdict, and the reason as a sentence.
    setting
        The setting on which the claim depends, if that is the verdict.
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
        Text of the rule in reports.
    quantities
        The compared quantities; reports show their numbers for both simulators.

    """

    words: str
    quantities: tuple[Quantity, ...]

    @abstractmethod
    def judge(self, ours: Side) -> Outcome:
        """Judge by our runs."""


class Bars(Rule):
    """Reproduced if the answer to the stricter question is yes, partly if only the answer to the other one is.

    Parameters
    ----------
    whole, part
        The stricter and the weaker question. If they have several points, the answer must be yes at all of them.
    counted
        Plural noun for these points. The reason then counts the points at which the answer to the stricter question is
        yes, instead of listing the compared means.

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
    """Reproduced if the answer to a question is yes, otherwise not."""

    def __init__(self, question: Answers) -> None:
        super().__init__(whole=question, part=question)
        self.words = f"Reproduced if {question.words}; otherwise not. {ELSE_UNDECIDED}"


class AtMostPartly(Rule):
    """Partly reproduced if the answer to a question is yes, otherwise not reproduced.

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
            f"Partly reproduced if {question.words}; otherwise not. The claim cannot be fully reproduced: {because}. "
            f"{ELSE_UNDECIDED}"
        )

    def judge(self, ours: Side) -> Outcome:
        verdict = graded(whole=NO, part=self._question.on(ours).only)
        return Outcome(verdict=verdict, why=_measured(self._measured, ours))


class AtPoints(Rule):
    """Asks questions at several points and combines the answers by `ackclock.papers.truth.by_share`.

    Parameters
    ----------
    *questions
        The questions; all their points have equal weight.
    points
        Plural noun for the points, such as "client counts".
    by
        An axis; for each of its values, the reason also counts the points with the answer yes.

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
    """Repeats a question with other values of a setting; an opposite answer makes the claim depend on the setting.

    Parameters
    ----------
    rule
        Judges the claim with the usual value.
    on
        The setting, such as "RED's averaging weight".
    again
        The question with the other values: one point for each value, or no axes for a single value.
    named
        Plural noun for the points, such as "weights with 60 clients".
    asked
        The same question with the usual value. By default the verdict is the answer: "no" for *not reproduced*.
    words
        Text on the repeated question, instead of the default text.

    """

    def __init__(
        self, rule: Rule, *, on: str, again: Answers, named: str = "", asked: Answers | None = None, words: str = ""
    ) -> None:
        self._rule, self._on, self._again, self._named, self._asked = rule, on, again, named, asked
        self.quantities = rule.quantities
        usual = (
            f"The paper does not print {on}. The rule therefore also tests, at other {named}, whether {again.words}. "
            f"If the answer at one of them is clearly the opposite, the claim depends on {on}."
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
        """Describe the values of the setting at which the repeated question has the answers yes and no."""
        answers = asked.cells
        if not asked.axes:
            return _said(self._again, asked.only)
        yes, no = (
            [key_words(asked.axes, key) for key, answer in answers.items() if answer is one] for one in (YES, NO)
        )
        parts = [f"{word} at {listed(there)}" for word, there in (("passes", yes), ("fails", no)) if there]
        decided = listed(parts) if parts else "is undecided at all"
        return f"Of {len(answers)} other {self._named}, the test {decided}."


class Fixed(Rule):
    """Reproduced if no setting changes the results; otherwise the claim depends on the settings that change them.

    Parameters
    ----------
    moves
        For each setting by name, the question whether the results change; they do if the answer is yes at one point.

    """

    def __init__(self, moves: Mapping[str, Answers]) -> None:
        self._asked = moves
        self._moves = {setting: question.some() for setting, question in moves.items()}
        self.quantities = _reported(*moves.values())
        asked = "; ".join(f"{setting} ({question.words})" for setting, question in moves.items())
        self.words = f"Reproduced if none of these settings changes the results: {asked}. If a setting does, the "
        self.words += f"claim depends on that setting. {ELSE_UNDECIDED}"

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
    """Format the answer to a question as a sentence."""
    said = {YES: question.words, NO: question.denied}.get(answer)
    return f"{capital(said)}." if said else f"It is undecided whether {question.words}."


class Either(Rule):
    """Asks one question for each of several choices; if one answer is yes and another no, the claim depends on them.

    Parameters
    ----------
    question
        The question, with one point for each choice.
    on
        Name of the choice, such as "the bin".
    points
        Plural noun for the points.

    """

    def __init__(self, question: Answers, *, on: str, points: str = "points") -> None:
        self._question, self._on, self._points = question, on, points
        self.quantities = _reported(question)
        self.words = (
            f"Reproduced if {question.words}, at all {points}; if this is clearly true at one and clearly false at "
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
        Function that judges the claim by our runs.
    words
        Text of the rule in reports.
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
    """Describe at how many points the answer is yes, and at which points it is no."""
    if not grid.axes:
        return f"{capital(question.words)}: {_ANSWER[grid.only]}."
    failing = [key_words(grid.axes, key) for key, answer in grid.cells.items() if answer is NO]
    but = f", but not at {listed(failing)}" if 0 < len(failing) <= _NAMED else ""
    split = ""
    if by:
        each: dict[Scalar, list[Truth]] = {}
        for key, answer in grid.cells.items():
            each.setdefault(key[grid.axes.index(by)], []).append(answer)
        shares = [
            (count(there) / len(there), f"{count(there)} of {len(there)} ({name})") for name, there in each.items()
        ]
        if len(shares) > _NAMED:
            split = f": {min(shares)[1]} to {max(shares)[1]}"
        else:
            split = ": " + ", ".join(words for _, words in shares)
    return f"{capital(question.words)} at {counted(grid.cells.values(), points)}{but}{split}."


def _measured(quantities: Sequence[Quantity], ours: Side) -> str:
    sentences = []
    for one in quantities:
        points = one.points(ours)
        verb = " is" if len(points.cells) == 1 else ":"
        sentences.append(f"{one.label}{verb} {points_words(points, digits=one.digits, unit=one.unit)}")
    return capital("; ".join(sentences)) + "."
