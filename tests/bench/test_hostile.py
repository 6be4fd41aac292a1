"""The hostile exam: its cases are reproducible, and its judge distinguishes good ends from failures."""

import dataclasses
import tomllib
from typing import Any

import pytest

from hostile.__main__ import End, judge
from hostile.generate import Case, case

FINE = End(status=2, interrupted=False, answer=0.0, grown=0, errors="count: 0 is not allowed\n")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case(number, 1) for number in range(100)]


def test_a_case_is_the_same_each_time(cases: list[Case]) -> None:
    assert cases[:50] == [case(number, 1) for number in range(50)]
    assert case(0, 1) != case(0, 2)


def test_cases_are_scenarios_and_studies_that_can_mostly_be_read(cases: list[Case]) -> None:
    commands, readable = set(), 0
    for given in cases:
        commands.add(given.arguments[0])
        try:
            tomllib.loads(given.files["case.toml"])
            readable += 1
        except (tomllib.TOMLDecodeError, RecursionError):
            pass
    assert commands == {"run", "sweep"}
    assert readable > 80


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "exit 2"),
        ({"status": 0, "errors": ""}, "exit 0"),
        ({"status": 130, "interrupted": True, "answer": 0.4}, "interrupted"),
        ({"status": 1, "interrupted": True}, "exit 1, late"),
        ({"status": 130, "interrupted": True, "answer": 0.6}, "! slow answer"),
        ({"status": 130}, "! status 130"),
        ({"status": -9}, "! status -9"),
        ({"status": 99}, "! status 99"),
        ({"errors": "Traceback (most recent call last):\n"}, "! traceback"),
        ({"errors": "thread '<unnamed>' panicked at\n"}, "! panic"),
        ({"errors": "one\ntwo\n"}, "! not one line"),
        ({"errors": ""}, "! not one line"),
        ({"grown": 3 * 10**9}, "! memory"),
    ],
)
def test_the_judge_tells_good_ends_from_bad_ones(changed: dict[str, Any], verdict: str) -> None:
    assert judge(dataclasses.replace(FINE, **changed), 2 * 10**9) == verdict
