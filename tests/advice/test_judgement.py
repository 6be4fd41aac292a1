"""The rule that names the best contender, on cases worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.advice.judgement import judge
from ackclock.advice.measures import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from ackclock.analysis.ranking import Better


def measure(key: str, better: Better = "lower", margin: float = 1.0) -> Measure:
    return Measure(
        key=key,
        words=key,
        head=key,
        unit="ms",
        better=better,
        digits=1,
        of=lambda _: None,
        absent=lambda _: 0.0,
        margin=lambda _: margin,
    )


DELAY, GOODPUT = measure("delay"), measure("goodput", "higher")
SURE = [0.0, 0.1, -0.1, 0.05, -0.05]
"""Deviations from a mean that chance hardly explains differences of 2 by."""
NOISY = [20.0, -20.0, 10.0, -10.0, 0.0]


def values(delay: float, goodput: float = 0.0, spread: Sequence[float] = SURE) -> Mapping[str, Sequence[float]]:
    return {"delay": [delay + each for each in spread], "goodput": [goodput + each for each in reversed(SURE)]}


def test_the_first_measure_decides() -> None:
    """b is 5 ms better, with a margin of 1 ms, although a has more goodput."""
    found = judge({"a": values(15, 90), "b": values(10, 50)}, [DELAY, GOODPUT], ["a", "b"])
    assert (found.chosen, found.as_good, dict(found.open)) == ("b", (), {})
    assert found.aside["a"].measure is DELAY
    assert found.aside["a"].best == "b"
    assert found.aside["a"].difference.mean == pytest.approx(5)


def test_the_second_measure_decides_between_those_that_differ_by_less_than_matters() -> None:
    """Validates: the measures of what matters decide in their order, and differences below the margin do not count.

    Source: four contenders, by hand: delays of 10.9, 10, 10.5 and 30 ms with a margin of 1 ms, then the goodput.
    Tolerance: exact.
    """
    samples = {"a": values(10.9, 50), "b": values(10, 50), "c": values(10.5, 90), "d": values(30, 99)}
    found = judge(samples, [DELAY, GOODPUT], ["a", "b", "c", "d"])
    assert found.chosen == "c"
    assert {key: (each.measure.key, each.best) for key, each in found.aside.items()} == {
        "a": ("goodput", "c"),
        "b": ("goodput", "c"),
        "d": ("delay", "b"),
    }


def test_the_simplest_of_those_that_stay_is_chosen() -> None:
    samples = {"a": values(10.2), "b": values(10), "c": values(10.4)}
    assert judge(samples, [DELAY], ["c", "b", "a"]).chosen == "c"
    found = judge(samples, [DELAY], ["a", "b", "c"])
    assert (found.chosen, found.as_good) == ("a", ("b", "c"))


def test_of_those_that_are_as_good_a_preferred_one_is_chosen() -> None:
    """c and d are preferred, and c is simpler; x is not among the best, so that its preference has no effect."""
    found = judge({each: values(10) for each in "abcd"} | {"x": values(30)}, [DELAY], ["a", "b", "c", "d", "x"])
    again = found.preferring({"x", "d", "c"})
    assert (again.chosen, again.as_good) == ("c", ("a", "b", "d"))
    assert again.aside == found.aside
    assert found.preferring({"x"}) == found


def test_a_large_difference_within_chance_leaves_a_contender_open() -> None:
    """The mean of a is 5 ms worse, and its standard error is 7 ms: it is neither chosen nor worse, though simplest."""
    found = judge({"a": values(15, spread=NOISY), "b": values(10)}, [DELAY], ["a", "b"])
    assert (found.chosen, list(found.open), dict(found.aside)) == ("b", ["a"], {})
    assert not found.open["a"].difference.low > 0


def test_the_margin_depends_on_the_best_value() -> None:
    share = Measure(
        key="goodput",
        words="",
        head="",
        unit="",
        better="higher",
        digits=1,
        of=lambda _: None,
        absent=lambda _: 0.0,
        margin=lambda best: 0.05 * best,
    )
    samples = {"a": values(0, 96), "b": values(0, 100), "c": values(0, 94)}
    found = judge(samples, [share], ["a", "b", "c"])
    assert (found.chosen, list(found.aside)) == ("a", ["c"])


def test_more_looks_set_fewer_contenders_aside() -> None:
    samples = {"a": values(12, spread=[0.0, 1.4, -1.4, 0.7, -0.7]), "b": values(10)}
    assert list(judge(samples, [DELAY], ["a", "b"]).aside) == ["a"]
    assert list(judge(samples, [DELAY], ["a", "b"], looks=20).open) == ["a"]


NUMBERS = st.lists(st.integers(0, 40), min_size=4, max_size=4)


@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(NUMBERS, NUMBERS), min_size=1), st.randoms())
def test_the_order_of_the_contenders_has_no_effect(
    drawn: dict[str, tuple[list[int], list[int]]], random: Random
) -> None:
    samples = {
        key: {"delay": [float(each) for each in delay], "goodput": [float(each) for each in goodput]}
        for key, (delay, goodput) in drawn.items()
    }
    keys = list(samples)
    random.shuffle(keys)
    found = judge(samples, [DELAY, GOODPUT], "abcdef")
    again = judge({key: samples[key] for key in keys}, [DELAY, GOODPUT], "abcdef")
    assert again == found
    assert {found.chosen, *found.as_good, *found.open, *found.aside} == samples.keys()


@given(st.dictionaries(st.sampled_from("abcd"), NUMBERS, min_size=2), st.floats(0, 50))
def test_the_choice_is_never_worse_than_the_best_by_more_than_the_margin(
    drawn: dict[str, list[int]], margin: float
) -> None:
    samples = {key: {"delay": [float(each) for each in delay]} for key, delay in drawn.items()}
    found = judge(samples, [measure("delay", margin=margin)], "abcd")
    means = {key: sum(each["delay"]) / 4 for key, each in samples.items()}
    assert means[found.chosen] <= min(means.values()) + margin + 1e-9
