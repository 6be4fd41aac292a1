"""The lab's page makes Python's plans, refuses the same scenarios, and its engine gives the bytes of the native one."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lab.random_scenarios import random_scenarios

from ackclock.lab.following import leaves
from ackclock.lab.page import built_page
from ackclock.running.run import Prepared
from ackclock.scenario import Scenario
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.needs("node")

RECORDS = ("arrivals", "queue", "gauges", "drops", "marks", "windows", "acks", "phases", "packets@*")
COUNT = 50


def node(root: Path, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ask the page's modules in Node."""
    lab = root / "target" / "lab"
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    command: list[str | Path] = ["node", lab / "node.mjs", lab / "engine.wasm", lab / "catalogue.json"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def digests(tables: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of each column as 64-bit floating-point numbers."""
    types = {"u32": "<u4", "u64": "<u8", "f64": "<f8", "bool": "u1"}
    return {
        name: {
            column: hashlib.sha256(np.frombuffer(data, types.get(kind, "u1")).astype("<f8").tobytes()).hexdigest()
            for column, kind, data in rows.columns()
        }
        for name, rows in tables.items()
    }


WRONG: tuple[Any, ...] = (
    *(0, -1, 2.5, 40, 65_536, True, [], {}, "", "abc", "off", "5.", "0.5 ps", "-1 s", "0 s", "5 ms", "5 s", "5 min"),
    *("0 B", "1 kB", "70 kB", "100 GB", "3 Mbps", None),
)
"""Values that are wrong for most fields; ``None`` removes the field."""


def spoilt(tables: dict[str, Any], random: Random) -> tuple[str, dict[str, Any]]:
    """Replace, add or remove a field at random. Return its path and the tables."""
    made = json.loads(json.dumps(tables))
    *table, name = random.choice([at for at, _ in leaves(made)])
    inner = made
    for step in table:
        inner = inner[step]
    if random.random() < 0.2:
        name = random.choice(["other", "start", "count", "loss", "ecn", "max_window", "packets", "bytes"])
    value = random.choice(WRONG)
    if value is None:
        inner.pop(name, None)
    else:
        inner[name] = value
    return ".".join(map(str, (*table, name))), made


def problem(tables: dict[str, Any]) -> str | None:
    """Return why Python refuses a scenario."""
    try:
        Scenario.from_dict(tables).effective()
    except ScenarioError as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def scenarios(root: Path) -> list[tuple[dict[str, Any], Prepared]]:
    if built_page() is None or not (root / "target" / "lab" / "node.mjs").exists():
        pytest.skip("not built: run `make lab`")
    drawn = list(random_scenarios(COUNT, seed=24))
    # the page shows each recovery, and no notice of its new default
    return [(tables, Prepared.of(Scenario.from_dict(tables).effective(), RECORDS)) for tables in drawn]


@pytest.fixture(scope="module")
def native(scenarios: list[tuple[dict[str, Any], Prepared]]) -> list[dict[str, Any]]:
    """Return the outcomes of the native engine."""
    from ackclock.engine import core  # noqa: PLC0415  # only where the tests run

    found = []
    for seed, (_, prepared) in enumerate(scenarios):
        outcome, tables, _ = core.simulate(prepared.plan, seed)
        found.append({"outcome": json.loads(outcome), "tables": digests(tables)})
    return found


class TestInNode:
    def test_plans_equal_those_of_python(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        answers = node(root, [{"scenario": tables} for tables, _ in scenarios])
        for (tables, prepared), answer in zip(scenarios, answers, strict=True):
            assert answer.get("plan") == json.loads(prepared.plan) | {"records": []}, (tables, answer.get("error"))

    def test_what_python_refuses_is_refused(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        random = Random(7)  # noqa: S311  # test inputs
        changed = [spoilt(tables, random) for tables, _ in scenarios for _ in range(6)]
        answers = node(root, [{"scenario": tables} for _, tables in changed])
        refused = [problem(tables) for _, tables in changed]
        assert None in refused, "some changes are allowed"
        for (at, tables), answer, expected in zip(changed, answers, refused, strict=True):
            found = answer.get("error")
            assert (found is None) == (expected is None), (at, tables, found, expected)

    def test_outcomes_and_tables_are_the_same_bytes(
        self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]], native: list[dict[str, Any]]
    ) -> None:
        questions = [{"plan": prepared.plan, "seed": str(seed)} for seed, (_, prepared) in enumerate(scenarios)]
        answers = node(root, questions)
        for (tables, _), answer, expected in zip(scenarios, answers, native, strict=True):
            assert answer.get("outcome") == expected["outcome"], (tables, answer.get("error"))
            assert answer["tables"] == expected["tables"], tables

    def test_notices_are_those_of_python(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        answers = node(root, [{"scenario": tables, "seed": str(seed)} for seed, (tables, _) in enumerate(scenarios)])
        for seed, ((tables, prepared), answer) in enumerate(zip(scenarios, answers, strict=True)):
            # the page chooses its records by itself, and says nothing about them
            assert answer["notices"] == list(replace(prepared, record=()).run(seed).notices), tables
