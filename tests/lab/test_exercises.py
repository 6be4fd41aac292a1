"""The exercises of the lab have the answers that teachers expect, whatever the seed."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import lab_teaching
from ackclock import Scenario
from lab_exercises import is_right
from lab_parts import exercises

SEEDS = (1, 11, 12)
"""The seed of the page, and others with which the exercises were not written."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each["title"])
def test_the_expected_answer_is_right_and_others_are_wrong(exercise: dict[str, Any], seed: int) -> None:
    assert is_right(exercise, exercise["right"], seed)
    assert [answer for answer in exercise["wrong"] if is_right(exercise, answer, seed)] == []


@pytest.mark.parametrize("seed", range(1, 6))
def test_disciplines_cure_bufferbloat_at_their_defaults_whatever_the_seed(seed: int) -> None:
    exercise = next(each for each in exercises() if each["title"] == "Cure bufferbloat")
    kinds = ("codel", "cobalt", "fq_codel", "cake", "pie", "dualpi2", "red")
    queues: dict[str, dict[str, object]] = {kind: {"kind": kind, "packets": 500} for kind in kinds}
    right = {kind for kind, queue in queues.items() if is_right(exercise, {exercise["only"][0]: queue}, seed)}
    assert right == {"codel", "cobalt", "fq_codel", "cake"}


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each["title"])
def test_an_unchanged_run_is_no_answer(exercise: dict[str, Any]) -> None:
    if exercise["kind"] == "run":
        assert not is_right(exercise, {})
        start = Scenario.from_dict(tomllib.loads(exercise["toml"]))
        assert start.changed(exercise["right"]) != start


def test_there_are_ten_exercises_of_three_kinds() -> None:
    found = exercises()
    assert [each["number"] for each in found] == list(range(1, 11))
    assert {each["kind"] for each in found} == {"run", "number", "choice"}
    for each in found:
        assert {"title", "question", "hint", "finds", "minutes", "needs", "right", "wrong"} <= each.keys()
        assert len(each["wrong"]) >= 1


def test_the_page_for_teachers_has_the_exercises() -> None:
    assert lab_teaching.PAGE.read_text(encoding="utf-8") == lab_teaching.page(), "run `make references`"
