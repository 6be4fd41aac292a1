"""Three-valued answers: comparisons decide no more than their intervals, and verdicts no more than their answers."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import Interval, student_interval
from ackclock.papers.truth import (
    NO,
    OPEN,
    YES,
    Truth,
    above,
    at_least,
    at_most,
    below,
    by_share,
    count,
    counted,
    every,
    exactly,
    graded,
    most,
    near,
    some,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ANSWERS = st.sampled_from(Truth)
LISTS = st.lists(ANSWERS, min_size=1, max_size=7)
WHOLE = st.integers(-50, 50)


def interval(low: float, high: float) -> Interval:
    return Interval(mean=(low + high) / 2, half_width=(high - low) / 2, standard_error=1, count=5, level=0.95)


@st.composite
def admitted(draw: st.DrawFn) -> tuple[Interval, float]:
    """Draw an interval and a value within it, all exact in binary."""
    low, width = draw(WHOLE), draw(st.integers(0, 40))
    return interval(low, low + 2 * width), low + draw(st.integers(0, 2 * width))


def settled(answers: Sequence[Truth]) -> list[tuple[Truth, ...]]:
    """Return every combination of yes and no for the open answers."""
    return list(product(*[(NO, YES) if answer is OPEN else (answer,) for answer in answers]))


class TestComparisons:
    @given(admitted(), admitted(), WHOLE, st.integers(1, 4))
    def test_say_no_more_than_the_intervals_admit(
        self, one: tuple[Interval, float], other: tuple[Interval, float], by: int, times: int
    ) -> None:
        (a, x), (b, y) = one, other
        asked: list[tuple[Truth, bool]] = [
            (above(a, b, by=by, times=times), x > times * y + by),
            (below(a, b, by=by, times=times), times * x + by < y),
            (at_least(a, b), x >= y),
            (at_most(a, b), x <= y),
            (near(a, b, by=abs(by)), abs(x - y) <= abs(by)),
        ]
        assert all(answer in (OPEN, exactly(so)) for answer, so in asked)

    @given(WHOLE, WHOLE, st.integers(0, 30))
    def test_of_exact_numbers_are_never_open(self, x: int, y: int, by: int) -> None:
        for a, b in ((x, y), (interval(x, x), y), (x, interval(y, y))):
            assert above(a, b, by=by) is exactly(x > y + by)
            assert near(a, b, by=by) is exactly(abs(x - y) <= by)

    def test_of_one_run_are_open(self) -> None:
        """A single run has no interval, so no value is excluded."""
        assert above(student_interval([100]), 1) is OPEN
        assert at_most(student_interval([100]), student_interval([1, 1, 1])) is OPEN

    def test_of_two_wide_intervals_are_open(self) -> None:
        """The means differ strongly, but Student's t of two runs is 12.7."""
        assert below(student_interval([1, 2]), student_interval([4, 5])) is OPEN
        assert below(student_interval([1, 2, 1, 2, 1]), student_interval([4, 5, 4, 5, 4])) is YES


class TestLogic:
    @given(LISTS)
    def test_is_decided_exactly_if_the_open_answers_cannot_change_it(self, answers: list[Truth]) -> None:
        rules: list[tuple[Callable[[Sequence[Truth]], Truth], Callable[[Sequence[bool]], bool]]] = [
            (every, all),
            (some, any),
            (most, lambda holds: 2 * sum(holds) > len(holds)),
        ]
        for rule, plain in rules:
            outcomes = {plain([one is YES for one in way]) for way in settled(answers)}
            assert rule(answers) is (OPEN if len(outcomes) == 2 else exactly(outcomes.pop()))

    @given(ANSWERS, ANSWERS)
    def test_of_two_is_that_of_lists(self, one: Truth, other: Truth) -> None:
        assert one & other is every([one, other])
        assert one | other is some([one, other])
        assert ~(one & other) is ~one | ~other
        assert ~~one is one

    def test_of_none(self) -> None:
        assert (every([]), some([]), most([])) == (YES, NO, NO)

    def test_has_no_truth_value(self) -> None:
        with pytest.raises(TypeError, match="may be open"):
            bool(YES)

    def test_is_counted(self) -> None:
        answers = [YES, OPEN, NO, YES]
        assert [count(answers, which) for which in (NO, OPEN, YES)] == [1, 1, 2]
        assert counted(answers, "buffers") == "2 of 4 buffers (1 undecided)"
        assert counted([NO], "buffers") == "0 of 1 buffers"


class TestGraded:
    @given(ANSWERS, ANSWERS)
    def test_says_what_every_outcome_of_the_open_answers_admits(self, whole: Truth, part: Truth) -> None:
        ways = {graded(whole=one, part=two) for one, two in settled([whole, part])}
        verdict = graded(whole=whole, part=part)
        if len(ways) == 1:
            assert {verdict} == ways
        elif Verdict.NOT in ways:
            assert verdict is Verdict.UNDECIDED
        else:
            assert verdict is Verdict.PARTLY

    def test_takes_what_is_exact(self) -> None:
        assert graded(whole=exactly(False), part=exactly(True)) is Verdict.PARTLY  # noqa: FBT003 - one boolean each


class TestByShare:
    @pytest.mark.parametrize(
        ("answers", "verdict"),
        [
            ("yyyy", Verdict.REPRODUCED),
            ("yyy?", Verdict.REPRODUCED),
            ("yy??", Verdict.UNDECIDED),
            ("yyyn", Verdict.PARTLY),
            ("yynn", Verdict.NOT),
            ("?nn?", Verdict.NOT),
            ("??n?", Verdict.UNDECIDED),
            ("????", Verdict.UNDECIDED),
            ("y", Verdict.REPRODUCED),
            ("n", Verdict.NOT),
            ("?", Verdict.UNDECIDED),
        ],
    )
    def test_decides(self, answers: str, verdict: Verdict) -> None:
        meaning = {"y": YES, "n": NO, "?": OPEN}
        assert by_share([meaning[one] for one in answers]) is verdict

    @given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1, max_size=9))
    def test_never_turns_round_unless_a_point_does(self, pairs: list[tuple[Truth, Truth]]) -> None:
        """Two sets of runs that do not contradict each other at any point never give opposite verdicts."""
        calm = [(one, other) for one, other in pairs if {one, other} != {YES, NO}]
        if calm:
            first, second = (by_share(list(side)) for side in zip(*calm, strict=True))
            assert {first, second} != {Verdict.REPRODUCED, Verdict.NOT}

    @given(LISTS)
    def test_is_not_reproduced_exactly_if_no_outcome_is_better(self, answers: list[Truth]) -> None:
        ways = {by_share(way) for way in settled(answers)}
        assert (by_share(answers) is Verdict.NOT) == (ways == {Verdict.NOT})

    def test_needs_a_point(self) -> None:
        with pytest.raises(ValueError, match="at least one point"):
            by_share([])
