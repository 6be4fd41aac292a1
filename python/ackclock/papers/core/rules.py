"""Rules as values: each gives a verdict, the words of the rule, and the sentence on what decided, from one object.

- `Holds` asks one question.
- `Bars` asks two, of which the first is the stricter.
- `AtPoints` asks one question at several points and counts.
- `AtMostPartly` asks one question that cannot reproduce the claim, however it is answered.
- `Depends` asks a question again at other values of a setting that the paper leaves open.
- `Varied` judges again under other settings.
- `Fixed` asks whether such settings move the results.
- `Either` asks one question in each of several ways, which are points of the question.
- `Custom` is for what none of these says.

`ackclock.papers.core.ways` has rules that ask another rule several times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, by_share, graded
from ackclock.papers.core.answers import same_subject
from ackclock.papers.core.words import capital, key_words, listed, points_words
from ackclock.papers.truth import NO, OPEN, YES, count, counted, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.evidence import Grid, Scalar, Side
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.truth import Truth

__all__ = [
    "AtMostPartly",
    "AtPoints",
    "Bars",
    "Custom",
    "Depends",
    "Either",
    "Fixed",
    "Holds",
    "Outcome",
    "Rule",
    "Varied",
]

_NAMED = 3
"""As many points at which a question is answered "no" are named."""

_ANSWER = {YES: "yes", NO: "no", OPEN: "undecided"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The verdict of a rule.

    Parameters
    ----------
    verdict
        The verdict.
    why
        The sentence on what decided.
    setting
        What the outcome depends on, where that is the verdict.
    command
        A command that shows what was judged, where that is not the claim's own.

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
        The rule as a reader checks it.
    quantities
        The quantities that it compares: both simulators' numbers are reported.

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
        The questions. One that is asked at several points must hold at all of them.
    counted
        What these points are, in the plural: the sentence then counts those at which the stricter question is answered
        "yes", in place of the means that it compares.

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
    """Partly reproduced if a question is answered "yes", otherwise not: it cannot show more.

    Parameters
    ----------
    question
        The question.
    because
        Why it cannot, as a clause: "six points are too few".

    """

    def __init__(self, question: Answers, *, because: str) -> None:
        self._question = question.every()
        self.quantities, self._measured = _reported(question), _asked(question)
        self.words = (
            f"Partly reproduced if {question.words}; otherwise not. It is never more: {because}. {ELSE_UNDECIDED}"
        )

    def judge(self, ours: Side) -> Outcome:
        verdict = graded(whole=NO, part=self._question.on(ours).only)
        return Outcome(verdict=verdict, why=_measured(self._measured, ours))


class AtPoints(Rule):
    """One question at several points: `ackclock.papers.claims.by_share` says how they are counted.

    Parameters
    ----------
    *questions
        Asked at each of their points; all points count alike.
    points
        What the points are, in the plural: "client counts".
    by
        An axis: the sentence counts for each of its values too.

    """

    def __init__(self, *questions: Answers, points: str = "points", by: str = "") -> None:
        self._questions, self._points, self._by = questions, points, by
        self.quantities = _reported(*questions)
        asked = "; ".join(question.words for question in questions)
        self.words = f"The question at each of the {points}: {asked}. {BY_SHARE}"

    def judge(self, ours: Side) -> Outcome:
        found = [question.on(ours) for question in self._questions]
        verdict = by_share([answer for grid in found for answer in grid.cells.values()])
        why = (
            _counted(question, grid, self._points, self._by)
            for question, grid in zip(self._questions, found, strict=True)
        )
        return Outcome(verdict=verdict, why=" ".join(why))


class Depends(Rule):
    """Asks again under other settings: a clearly opposite answer there makes the verdict depend on the setting.

    Parameters
    ----------
    rule
        Judges under the usual setting.
    on
        The setting, such as "RED's averaging weight".
    again
        The question under each of the other settings, one point each; or under the only other one.
    named
        What a point is called in a sentence, such as "weights with 60 clients".
    asked
        The same question under the usual setting. By default the verdict answers it: "no" if it is *not reproduced*.
    words
        The rule's last sentence, in place of the usual one on what is asked again.

    """

    def __init__(
        self, rule: Rule, *, on: str, again: Answers, named: str = "", asked: Answers | None = None, words: str = ""
    ) -> None:
        self._rule, self._on, self._again, self._named, self._asked = rule, on, again, named, asked
        self.quantities = rule.quantities
        usual = (
            f"The question is asked again at other {named}, since the paper does not print {on}: if {again.words} "
            f"there where the rule says it is not so, or the reverse, the claim depends on {on}."
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
        """Say where else it holds and fails."""
        answers = asked.cells
        if not asked.axes:
            return _said(self._again, asked.only)
        yes, no = (
            [key_words(asked.axes, key) for key, answer in answers.items() if answer is one] for one in (YES, NO)
        )
        parts = [f"{word} at {listed(there)}" for word, there in (("holds", yes), ("fails", no)) if there]
        decided = f"clearly {listed(parts)}" if parts else "is decided at none"
        return f"Of {len(answers)} {self._named} it {decided}."


class Varied(Rule):
    """Judges again under other settings: a clearly different verdict makes the claim depend on that setting.

    Parameters
    ----------
    rule
        Judges under the usual setting.
    under
        Judges under each of the others, by their names: "who wins exact ties".
    words
        The rule's last sentence: what is asked again.
    saved
        Only a setting matters under which a claim that is not reproduced is so at least partly.

    """

    def __init__(self, rule: Rule, under: Mapping[str, Rule], *, words: str, saved: bool = False) -> None:
        self._rule, self._under, self._saved = rule, under, saved
        self.quantities = tuple(
            {one.words: one for each in (rule, *under.values()) for one in each.quantities}.values()
        )
        different = (
            "a claim that is not reproduced is so at least partly" if saved else "the verdict is clearly different"
        )
        self.words = f"{rule.words} {words} Where {different}, the claim depends on that setting."

    def judge(self, ours: Side) -> Outcome:
        usual = self._rule.judge(ours)
        others = {setting: rule.judge(ours) for setting, rule in self._under.items()}
        flips = [
            setting
            for setting, other in others.items()
            if Verdict.UNDECIDED not in (usual.verdict, other.verdict) != (usual.verdict, usual.verdict)
            and (usual.verdict is Verdict.NOT or not self._saved)
        ]
        return Outcome(
            verdict=Verdict.DEPENDS if flips else usual.verdict,
            why=" ".join([usual.why, *(other.why for other in others.values())]),
            setting=listed(flips),
        )


class Fixed(Rule):
    """Reproduced if no setting moves the results; the claim depends on the settings that clearly do.

    Parameters
    ----------
    moves
        The question whether the results move, by the name of the setting; one point is enough.

    """

    def __init__(self, moves: Mapping[str, Answers]) -> None:
        self._asked = moves
        self._moves = {setting: question.some() for setting, question in moves.items()}
        self.quantities = _reported(*moves.values())
        asked = "; ".join(f"{setting} ({question.words})" for setting, question in moves.items())
        self.words = f"Reproduced if none of these moves the results: {asked}. If one clearly does, the claim depends "
        self.words += f"on it. {ELSE_UNDECIDED}"

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
    """Write a question as it was answered."""
    said = {YES: question.words, NO: question.denied}.get(answer)
    return f"{capital(said)}." if said else f"It is undecided whether {question.words}."


class Either(Rule):
    """Asks one question in several ways: where it clearly holds and clearly fails, the claim depends on the way.

    Parameters
    ----------
    question
        The question; its points are the ways.
    on
        What is left open, such as "the bin".
    points
        What the points are, in the plural.

    """

    def __init__(self, question: Answers, *, on: str, points: str = "points") -> None:
        self._question, self._on, self._points = question, on, points
        self.quantities = _reported(question)
        self.words = (
            f"Reproduced if {question.words}, at all {points}; if that clearly holds at one and clearly fails at "
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
    """A rule in code, for what no other rule says; its words are written by hand.

    Parameters
    ----------
    judge
        Judges by our runs.
    words
        The rule.
    quantities
        Numbers to report.

    """

    def __init__(self, judge: Callable[[Side], Outcome], words: str, *quantities: Quantity) -> None:
        self._judge, self.words, self.quantities = judge, words, quantities

    def judge(self, ours: Side) -> Outcome:
        return self._judge(ours)


def _asked(*questions: Answers) -> tuple[Quantity, ...]:
    """Give the quantities of some questions, each once."""
    return tuple({one.words: one for question in questions for one in question.quantities}.values())


def _reported(*questions: Answers) -> tuple[Quantity, ...]:
    """Give the quantities whose numbers include those of some questions, each once."""
    return tuple({one.reported.words: one.reported for one in _asked(*questions)}.values())


def _counted(question: Answers, grid: Grid[Truth], points: str, by: str = "") -> str:
    """Say at how many points the answer is yes, and where it is no."""
    if not grid.axes:
        return f"{capital(question.words)}: {_ANSWER[grid.only]}."
    failing = [key_words(grid.axes, key) for key, answer in grid.cells.items() if answer is NO]
    but = f", not at {listed(failing)}" if 0 < len(failing) <= _NAMED else ""
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
