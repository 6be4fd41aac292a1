"""Questions with three-valued answers: comparisons of quantities at each point, and their combinations.

Each question has a text, from which rules compose their own text. Answers are `ackclock.papers.truth.Truth`: yes or no
if all values within the 95 % intervals agree, open otherwise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from ackclock.papers import truth
from ackclock.papers.core.evidence import Grid, joined
from ackclock.papers.core.words import definite, number, with_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Key, Side
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.truth import Truth

Kind = Literal["above", "below", "at_least", "at_most", "near", "within"]


class Answers(ABC):
    """A question about the runs, with an answer at each point of its axes.

    Attributes
    ----------
    words, denied
        The question as a condition, and its opposite: "the loss is above 1 %", "the loss is not above 1 %".
    quantities
        The compared quantities.

    """

    words: str
    denied: str
    quantities: tuple[Quantity, ...]

    @abstractmethod
    def on(self, side: Side) -> Grid[Truth]:
        """Return the answer at each point, by the runs of one simulator.

        Raises
        ------
        LookupError
            No run has a quantity.

        """

    def every(self, axis: str | None = None) -> Answers:
        """Ask whether the answer is yes at every point, or at every point along an axis."""
        return _Reduced(self, axis, truth.every, self.words, f"it is not true at every point that {self.words}")

    def some(self, axis: str | None = None) -> Answers:
        """Ask whether the answer is yes at one point or more."""
        return _Reduced(self, axis, truth.some, f"{self.words} at one point or more", f"{self.words} at no point")

    def most(self, axis: str | None = None) -> Answers:
        """Ask whether the answer is yes at more than half of the points."""
        words = f"{self.words} at more than half of the points"
        return _Reduced(self, axis, truth.most, words, f"it is not true that {words}")

    def where(self, condition: Answers) -> Answers:
        """Ask only at points that meet a condition; if the condition is open, so is the answer."""
        return _Where(self, condition)

    def else_no(self, part: str) -> Answers:
        """Ask at every point of a part; the answer is no at points where no run has the quantities."""
        return _ElseNo(self, part)

    def called(self, words: str, denied: str = "") -> Answers:
        """Return the question with another text."""
        return _Called(self, words, denied or f"it is not true that {words}")

    def __and__(self, other: Answers) -> Answers:
        """Ask whether both answers are yes."""
        return _Both(self, other, lambda a, b: a & b, "and")

    def __or__(self, other: Answers) -> Answers:
        """Ask whether at least one answer is yes."""
        return _Both(self, other, lambda a, b: a | b, "or")

    def __invert__(self) -> Answers:
        """Ask the opposite."""
        return _Not(self)


class Compare(Answers):
    """Whether a quantity is above, below or near another quantity or a number."""

    def __init__(
        self, kind: Kind, left: Quantity, right: Quantity | float, *, by: float = 0.0, times: float = 1.0
    ) -> None:
        self._kind, self._left, self._right, self._by, self._times = kind, left, right, by, times
        self.quantities = (left,) if isinstance(right, int | float) else (left, right)
        relation = self._relation()
        # "below" multiplies the smaller side, here the left one, by the factor.
        subject = definite(left.words)
        subject = f"{number(times)} times {subject}" if kind == "below" and times != 1 else subject
        self.words, self.denied = f"{subject} is {relation}", f"{subject} is not {relation}"

    def on(self, side: Side) -> Grid[Truth]:
        left, right = self._left.points(side), self._right
        if isinstance(right, int | float):
            return left.map(lambda value: self._answer(value, right))
        found = joined([left, right.points(side)])
        if not found.cells:
            raise LookupError(f"no point has both {self._left.words} and {right.words}")
        return found.map(lambda both: self._answer(*both))

    def _answer(self, left: Interval, right: Interval | float) -> Truth:
        by, times = self._by, self._times
        match self._kind:
            case "above":
                return truth.above(left, right, by=by, times=times)
            case "below":
                return truth.below(left, right, by=by, times=times)
            case "at_least":
                return truth.at_least(left, right)
            case "at_most":
                return truth.at_most(left, right)
            case "near":
                return truth.near(left, right, by=by)
            case "within":
                return ~truth.above(left, right, times=1 + by) & ~truth.below(left, right, times=1 / (1 - by))

    def _relation(self) -> str:
        right, unit = self._right, self._left.unit
        other = with_unit(number(right), unit) if isinstance(right, int | float) else definite(right.words)
        by = with_unit(number(self._by), unit)
        match self._kind:
            case "near":
                return f"within {by} of {other}"
            case "within":
                return f"within {number(100 * self._by)} % of {other}"
            case "at_least" | "at_most":
                return f"{self._kind.replace('_', ' ')} {other}"
            case _:
                times = "" if self._times == 1 or self._kind == "below" else f"{number(self._times)} times "
                return f"{f'more than {by} ' if self._by else ''}{self._kind} {times}{other}"


class Steps(Answers):
    """Whether a quantity rises or falls at each step along an axis; a step has the coordinate of its later point."""

    def __init__(
        self, kind: Literal["rises", "falls"], of: Quantity, axis: str, *, by: float = 0.0, times: float = 1.0
    ) -> None:
        self._kind, self._of, self._axis, self._by, self._times = kind, of, axis, by, times
        self.quantities = (of,)
        more = f" by more than {with_unit(number(by), of.unit)}" if by else ""
        more += f" by a factor of more than {number(times)}" if times != 1 else ""
        self._step = f"step of the {axis.replace('_', ' ')}"
        self._verb = f"{definite(of.words)} {kind}{more}"
        self.words = f"{self._verb} at every {self._step}"
        self.denied = f"it is not true that {self.words}"

    def on(self, side: Side) -> Grid[Truth]:
        lines = self._of.points(side).along(self._axis)
        cells: dict[Key, Truth] = {}
        for key, line in lines.cells.items():
            for (_, earlier), (at, later) in pairwise(line.items()):
                larger, smaller = (later, earlier) if self._kind == "rises" else (earlier, later)
                cells[(*key, at)] = truth.above(larger, smaller, by=self._by, times=self._times)
        return Grid((*lines.axes, self._axis), cells)

    def some(self, axis: str | None = None) -> Answers:
        words, denied = f"{self._verb} at one {self._step} or more", f"{self._verb} at no {self._step}"
        return _Reduced(self, axis, truth.some, words, denied)


class _Reduced(Answers):
    def __init__(
        self, of: Answers, axis: str | None, fold: Callable[[Iterable[Truth]], Truth], words: str, denied: str
    ) -> None:
        self._of, self._axis, self._fold = of, axis, fold
        self.quantities = of.quantities
        self.words, self.denied = words, denied

    def on(self, side: Side) -> Grid[Truth]:
        found = self._of.on(side)
        if self._axis is None:
            return Grid((), {(): self._fold(found.cells.values())})
        return found.along(self._axis).map(lambda line: self._fold(line.values()))


class _Both(Answers):
    def __init__(self, one: Answers, other: Answers, how: Callable[[Truth, Truth], Truth], word: str) -> None:
        self._of, self._how = (one, other), how
        self.quantities = distinct([*one.quantities, *other.quantities])
        self.words = f"{one.words} {word} {same_subject(one, other.words)}"
        self.denied = f"it is not true that {self.words}"

    def on(self, side: Side) -> Grid[Truth]:
        return joined([one.on(side) for one in self._of]).map(lambda both: self._how(*both))


class _Where(Answers):
    def __init__(self, of: Answers, condition: Answers) -> None:
        self._of, self._condition = of, condition
        self.quantities = distinct([*of.quantities, *condition.quantities])
        self.words, self.denied = (f"{words}, where {condition.words}" for words in (of.words, of.denied))

    def on(self, side: Side) -> Grid[Truth]:
        both = joined([self._of.on(side), self._condition.on(side)])
        met = {key: (answer, there) for key, (answer, there) in both.cells.items() if there is not truth.NO}
        return Grid(both.axes, met).map(lambda pair: pair[0] if pair[1] is truth.YES else truth.OPEN)


class _ElseNo(Answers):
    def __init__(self, of: Answers, part: str) -> None:
        self._of, self._part, self.quantities, self.words, self.denied = of, part, of.quantities, of.words, of.denied

    def on(self, side: Side) -> Grid[Truth]:
        rows = side.part(self._part)
        found: Grid[Truth] = Grid(tuple(rows[0].where), {})
        with suppress(LookupError):
            found = self._of.on(side)
        points = dict.fromkeys(tuple(row.where[axis] for axis in found.axes) for row in rows)
        return Grid(found.axes, {key: found.cells.get(key, truth.NO) for key in points})


class _Not(Answers):
    def __init__(self, of: Answers) -> None:
        self._of, self.quantities = of, of.quantities
        self.words, self.denied = of.denied, of.words

    def on(self, side: Side) -> Grid[Truth]:
        return self._of.on(side).map(lambda answer: ~answer)


class _Called(Answers):
    def __init__(self, of: Answers, words: str, denied: str) -> None:
        self._of, self.quantities, self.words, self.denied = of, of.quantities, words, denied

    def on(self, side: Side) -> Grid[Truth]:
        return self._of.on(side)


def same_subject(first: Answers, words: str, instead: str = "") -> str:
    """Omit the subject of a question, or replace it, if the previous question has the same subject."""
    subject = f"{definite(first.quantities[0].words)} "
    return f"{instead}{words.removeprefix(subject)}" if words.startswith(subject) else words


def distinct(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """Return quantities without duplicates."""
    return tuple({one.words: one for one in quantities}.values())
