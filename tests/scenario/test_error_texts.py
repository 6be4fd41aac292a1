"""Texts of errors at the exact limits of their lengths."""

from __future__ import annotations

import pytest

from ackclock.values.errors import Problem, ScenarioError, listed, near, one_of, shorten, shown


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "ab…fg"),
        ("abcdefgh", 7, "abc…fgh"),
        ("a\nb\x1b", 6, "a?b?"),
    ],
)
def test_a_text_is_cut_in_the_middle_beyond_its_limit(text: str, longest: int, expected: str) -> None:
    assert shorten(text, longest) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x" * 60, f"'{'x' * 60}'"),
        ("x" * 61, f"'{'x' * 29}…{'x' * 29}'"),
        (False, "false"),
        ([], "an empty array"),
        (["a"], "an array"),
        ([1, "a"], "an array"),
        ([1, 2.5], "[1, 2.5]"),
        ([True], "an array"),
        (list(range(30)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9…, 23, 24, 25, 26, 27, 28, 29]"),
        (2**179, str(2**179)),
        (2**180 - 1, str(2**180 - 1)),
        (2**180, "an integer of 181 bits"),
        (-(2**180), "an integer of 181 bits"),
    ],
)
def test_values(value: object, expected: str) -> None:
    assert shown(value) == expected


def test_fields_and_inputs_have_their_own_limits() -> None:
    allowed = "must be 1"
    assert str(Problem("f" * 120, 2, allowed)) == f"{'f' * 120}: 2 is not allowed; must be 1"
    assert str(Problem("f" * 121, 2, allowed)) == f"{'f' * 59}…{'f' * 59}: 2 is not allowed; must be 1"
    assert str(Problem("f", 2, allowed, where="w" * 500)) == f"{'w' * 500}: f: 2 is not allowed; must be 1"
    assert str(Problem("f", 2, allowed, where="w" * 501)) == f"{'w' * 249}…{'w' * 249}: f: 2 is not allowed; must be 1"


def test_lists_of_allowed_words_end_after_24() -> None:
    names = [str(number) for number in range(26)]
    assert listed(names[:24]) == ", ".join(names[:24])
    assert listed(names[:25]) == ", ".join(names[:24]) + " and 1 more"
    assert listed(names) == ", ".join(names[:24]) + " and 2 more"


def test_suggestions() -> None:
    assert near("a" * 120, ["a" * 119]) == f"did you mean '{'a' * 119}'? "
    assert near("a" * 121, ["a" * 119]) == ""
    assert near("RENO", ["vegas", "reno"]) == "did you mean 'reno'? "
    assert near("reno", [*map(str, range(9_999)), "renos"]) == "did you mean 'renos'? "
    assert near("reno", [*map(str, range(10_000)), "renos"]) == ""
    assert near("Bandwidth", ["rate", "delay"]) == "did you mean 'rate'? "
    assert near("warmup", ["duration", "measure"]) == "did you mean 'measure.from'? "
    assert near("queuing delay", ["delay_mean", "sojourn_mean"]) == "did you mean 'sojourn_mean'? "
    assert near("byte", ["B"], {"byte": "B"}) == "did you mean 'B'? "
    assert one_of("ren", ["reno"]) == "did you mean 'reno'? must be one of reno"
    assert one_of(3, ["reno"]) == "must be one of reno"
    assert one_of("ren", []) == "none exists"


def problems(count: int) -> ScenarioError:
    return ScenarioError(Problem(f"f{number}", number, "must be 1") for number in range(count))


def test_ten_problems_are_shown_and_the_rest_counted() -> None:
    assert str(problems(10)).splitlines() == [f"f{number}: {number} is not allowed; must be 1" for number in range(10)]
    assert str(problems(11)).splitlines()[10:] == ["and 1 more"]


@pytest.mark.parametrize(
    ("count", "more"),
    [
        (1, ""),
        (2, "; another error: f1"),
        (6, "; 5 other errors: f1, f2, f3, f4, f5"),
        (7, "; 6 other errors: f1, f2, f3, f4, f5, …"),
    ],
)
def test_a_headline_names_five_more_fields(count: int, more: str) -> None:
    assert problems(count).headline == f"f0: 0 is not allowed; must be 1{more}"


def test_a_table_that_must_be_absent_is_not_shown() -> None:
    assert str(Problem("f", {"a": 1}, "must be absent with g")) == "f: must be absent with g"
    assert str(Problem("f", 2, "must be absent with g")) == "f: 2 is not allowed; must be absent with g"
    assert str(Problem("f", {"a": 1}, "must be 1")) == "f: a table is not allowed; must be 1"
