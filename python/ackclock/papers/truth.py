"""Three-valued answers from comparisons of intervals: yes, no or open.

A rule of a claim is written with comparisons of intervals (`above`, `below`, `near`, ...). Each is `Truth.YES` if the
comparison holds for all values within the intervals, `Truth.NO` if it holds for none, and `Truth.OPEN` otherwise. A
single run has no interval, so its comparisons are open. `&`, `|`, `~`, `every`, `some` and `most` combine answers by
Kleene's strong logic (*Introduction to Metamathematics*, 1952, section 64): the result is YES or NO only if the open
answers cannot change it. `graded` and `by_share` compute the verdict.

How to write a rule:

1. Compare intervals, not their means: ``above(a, b)``, ``above(a, b, times=1.1)``, ``near(a, b, by=3)``,
   ``at_least(a, 0.9)``. Exact numbers, such as a formula's, can be used directly; `exactly` converts an exact ``bool``
   to an answer. A value computed from several means, such as a slope or a ratio, has its own interval if it is computed
   seed by seed (`ackclock.papers.core.quantities.computed`).
2. Combine answers with ``~``, ``&``, ``|``, `every`, `some` and `most`, pass them to `graded` or `by_share`, and count
   them in sentences with ``counted(holds, "points")``. An answer cannot be used as a ``bool``: ``if x`` is an error,
   ``if x is YES`` is not.
3. If a claim says "a is larger", a clearly smaller a refutes it, but an equal a leaves it open, however many runs there
   are. If an equal a must refute the claim, give the smallest difference that counts: ``above(a, b, by=0.05)``.
4. The text of the rule must agree with its code, and the claim's tests must include runs that leave it undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NoReturn

from ackclock.analysis import Interval
from ackclock.report.html import Verdict


class Truth(Enum):
    """An answer to a question about runs: no, yes, or open if the runs are compatible with both.

    Examples
    --------
    >>> Truth.YES & Truth.OPEN, Truth.NO & Truth.OPEN, ~Truth.OPEN
    (<Truth.OPEN: 1>, <Truth.NO: 0>, <Truth.OPEN: 1>)

    """

    NO = 0
    OPEN = 1
    YES = 2

    def __and__(self, other: Truth) -> Truth:
        """Return yes if both answers are yes, and no if one is no."""
        return Truth(min(self.value, other.value))

    def __or__(self, other: Truth) -> Truth:
        """Return yes if one answer is yes, and no if both are no."""
        return Truth(max(self.value, other.value))

    def __invert__(self) -> Truth:
        """Swap yes and no; an open answer stays open."""
        return Truth(2 - self.value)

    def __bool__(self) -> NoReturn:
        """Raise an error: an open answer is neither true nor false.

        Raises
        ------
        TypeError
            Always.

        """
        raise TypeError("an answer may be open: compare it with YES, NO or OPEN")


YES, NO, OPEN = Truth.YES, Truth.NO, Truth.OPEN


def exactly(answer: bool) -> Truth:  # noqa: FBT001 - its only argument
    """Convert an exact ``bool`` to an answer."""
    return YES if answer else NO


def every(answers: Iterable[Truth]) -> Truth:
    """Check whether all answers are yes (also if there is none)."""
    return Truth(min((answer.value for answer in answers), default=YES.value))


def some(answers: Iterable[Truth]) -> Truth:
    """Check whether at least one answer is yes."""
    return Truth(max((answer.value for answer in answers), default=NO.value))


def most(answers: Iterable[Truth]) -> Truth:
    """Check whether more than half of the answers are yes.

    Examples
    --------
    >>> most([YES, YES, OPEN]), most([YES, OPEN, NO]), most([OPEN, NO])
    (<Truth.YES: 2>, <Truth.OPEN: 1>, <Truth.NO: 0>)

    """
    given = list(answers)
    if 2 * count(given, YES) > len(given):
        return YES
    return NO if 2 * count(given, NO) >= len(given) else OPEN


def count(answers: Iterable[Truth], which: Truth = YES) -> int:
    """Count the answers of one kind."""
    return sum(answer is which for answer in answers)


def counted(answers: Iterable[Truth], what: str) -> str:
    """Describe how many answers are yes, and how many are open if any are.

    Examples
    --------
    >>> counted([YES, NO, NO], "points"), counted([YES, OPEN, NO], "points")
    ('1 of 3 points', '1 of 3 points (1 undecided)')

    """
    given = list(answers)
    left = count(given, OPEN)
    return f"{count(given)} of {len(given)} {what}" + (f" ({left} undecided)" if left else "")


def above(larger: Interval | float, smaller: Interval | float, *, by: float = 0.0, times: float = 1.0) -> Truth:
    """Check whether one value is above another.

    Parameters
    ----------
    larger, smaller
        Means with their intervals, or exact numbers.
    by
        Difference that must be exceeded.
    times
        Positive factor that must be exceeded; it is applied to `smaller` before `by` is added.

    Returns
    -------
    Truth
        Whether ``larger > times * smaller + by``; open if the intervals are compatible with both.

    Examples
    --------
    >>> from ackclock.analysis import student_interval
    >>> few, many = student_interval([1, 1.2, 1.1]), student_interval([2, 2.2, 2.1])
    >>> above(many, few), above(many, few, times=3), above(many, few, by=1)
    (<Truth.YES: 2>, <Truth.NO: 0>, <Truth.OPEN: 1>)

    """
    (low, high), (least, most_) = _ends(larger), _ends(smaller)
    if low > times * most_ + by:
        return YES
    return NO if high <= times * least + by else OPEN


def below(smaller: Interval | float, larger: Interval | float, *, by: float = 0.0, times: float = 1.0) -> Truth:
    """Check whether ``times * smaller + by < larger``: `above` with its sides exchanged."""
    return above(larger, smaller, by=by, times=times)


def at_least(value: Interval | float, bar: Interval | float) -> Truth:
    """Check whether a value is equal to the bar or above it."""
    return ~above(bar, value)


def at_most(value: Interval | float, bar: Interval | float) -> Truth:
    """Check whether a value is equal to the bar or below it."""
    return ~above(value, bar)


def near(one: Interval | float, other: Interval | float, *, by: float) -> Truth:
    """Check whether two values differ by at most `by`."""
    return ~above(one, other, by=by) & ~above(other, one, by=by)


def _ends(value: Interval | float) -> tuple[float, float]:
    return (value.low, value.high) if isinstance(value, Interval) else (value, value)


def by_share(holds: Sequence[Truth]) -> Verdict:
    """Compute the verdict on a claim from the answers of its tests at several points.

    Open answers count neither for nor against the claim. The claim is reproduced if more than half of the answers are
    yes and none is no, partly reproduced if more than half are yes, not reproduced if half or more are no, and
    undecided otherwise. `BY_SHARE` is this rule as text for readers of a report.

    Raises
    ------
    ValueError
        There is no point.

    Examples
    --------
    >>> by_share([YES, YES, OPEN]).value, by_share([YES, YES, NO]).value, by_share([YES, OPEN, NO]).value
    ('reproduced', 'partly', 'undecided')

    """
    if not holds:
        raise ValueError("holds: must have at least one point")
    mostly = most(holds)
    return graded(whole=NO if NO in holds else mostly, part=mostly)


BY_SHARE = (
    "Reproduced if more than half of these tests pass and none fails; partly if more than half pass; not reproduced if "
    "half or more fail; otherwise undecided. A test neither passes nor fails if the 95 % intervals leave it undecided."
)
"""Text of the rule `by_share` in reports."""

ELSE_UNDECIDED = "Undecided if the 95 % intervals leave the verdict open."
"""Text in reports on how `graded` treats open answers."""


def graded(*, whole: Truth, part: Truth) -> Verdict:
    """Compute the verdict on a claim: reproduced if `whole` is yes, partly if only `part` is, else not reproduced.

    If the open answers allow *not reproduced* and another verdict, the verdict is *undecided*. If they allow only
    *reproduced* and *partly*, the verdict is *partly*.

    Examples
    --------
    >>> graded(whole=OPEN, part=YES).value, graded(whole=NO, part=OPEN).value, graded(whole=NO, part=NO).value
    ('partly', 'undecided', 'not reproduced')

    """
    if whole is YES:
        return Verdict.REPRODUCED
    if part is YES:
        return Verdict.PARTLY
    return Verdict.UNDECIDED if OPEN in (whole, part) else Verdict.NOT
