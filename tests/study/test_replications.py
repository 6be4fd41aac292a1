"""The number of replications of a point."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import student_interval
from ackclock.study.design import Until
from ackclock.study.replications import Course, further

FIVE = Until(until="5 %", measure="cov", most=60)


def until(most: int = 60, share: str = "5 %") -> Until:
    return Until(until=share, measure="cov", most=most)


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ([], 5),
        ([1.0] * 5, 0),
        ([None] * 5, 0),  # the measure has no value at this point, and more runs will not change this
        ([None, None, 1.0, 1.0, 1.0], 5),
        ([0.0] * 5, 0),
        ([0.0, 0.0, 0.0, 0.0, 1.0], 5),
        ([0.5, 1.5, 1.0, 0.5, 1.5], 5),  # hundreds would be needed, but the number is at most doubled
        ([0.5, 1.5] * 5, 10),
        ([0.5, 1.5] * 29, 2),
        ([0.5, 1.5] * 30, 0),
    ],
)
def test_stages(values: list[float | None], more: int) -> None:
    assert further(values, until()) == more


def test_a_stage_is_what_the_spread_asks_for() -> None:
    values = [0.94, 1.06, 1.0] * 5
    interval = student_interval(values)
    needed = len(values) * (interval.half_width / 0.02) ** 2
    assert 5 < needed - len(values) < len(values)
    assert further(values, until(share="2 %")) == math.ceil(needed - len(values))


@given(st.integers(0, 2**32), st.integers(5, 80), st.floats(0.01, 1))
def test_the_order_in_which_runs_end_does_not_matter(seed: int, most: int, spread: float) -> None:
    drawn = random.Random(seed)  # noqa: S311 - not for secrets
    values = {number: drawn.gauss(1, spread) for number in range(1, most + 1)}

    def made(*, shuffled: bool) -> dict[int, float | None]:
        course = Course(until(most), {})
        while not course.ended:
            stage = [course.due.popleft() for _ in range(len(course.due))]
            if shuffled:
                drawn.shuffle(stage)
            for number in stage:
                course.took(number, values[number])
        return dict(sorted(course.values.items()))

    assert made(shuffled=False) == made(shuffled=True)


@given(st.integers(0, 60), st.integers(0, 2**32))
def test_what_is_there_already_is_not_made_again(there: int, seed: int) -> None:
    values = {number: float(value) for number, value in enumerate(np.random.default_rng(seed).normal(1, 0.1, 60), 1)}
    whole = Course(until(), {})
    while whole.due:
        number = whole.due.popleft()
        whole.took(number, values[number])
    rest = Course(until(), {number: values[number] for number in range(1, there + 1)})
    made = 0
    while rest.due:
        number = rest.due.popleft()
        assert number > there
        rest.took(number, values[number])
        made += 1
    assert dict(rest.values) == dict(whole.values)
    assert made == max(0, len(whole.values) - there)


def test_sequential_replications_end_where_the_mean_is_known() -> None:
    generator = np.random.default_rng(1)
    known, taken = 0, []
    for _ in range(400):
        course = Course(Until(until="5 %", measure="cov", most=1000), {})
        while course.due:
            course.took(course.due.popleft(), float(generator.normal(1, 0.15)))
        interval = student_interval([value for value in course.values.values() if value is not None])
        assert interval.half_width <= 0.05 * interval.mean
        known += interval.low <= 1 <= interval.high
        taken.append(len(course.values))
    # (1.96 x 0.15 / 0.05)^2 = 35 would be enough for a known spread; sequential rules cover a little less.
    assert 33 < np.mean(taken) < 45
    assert known / 400 > 0.9


def test_fixed_replications_are_these_seeds() -> None:
    course = Course((3, 9, 4), {9: 1.0})
    assert list(course.due) == [3, 4]
    for seed in (4, 3):
        assert not course.ended
        course.due.remove(seed)
        course.took(seed, 2.0)
    assert course.ended
    assert course.values == {9: 1.0, 4: 2.0, 3: 2.0}
