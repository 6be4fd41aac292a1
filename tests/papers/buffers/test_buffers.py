"""The study of router buffers: each rule with both outcomes, and the file that its commands run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.kept import hold

import ackclock as ac
from ackclock.papers.buffers.claims import CLAIMS
from ackclock.papers.buffers.study import FIGURE, PAPER
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Change = Callable[[str, int, float], float]

BY_KEY = {claim.key: claim for claim in CLAIMS}


def world(variant: str, packets: int) -> float:
    """Return a utilization for which every claim holds."""
    enough = {"1 flow": 400, "4 flows": 200, "16 flows": 100, "64 flows": 50, "64 flows, equal delays": 400}[variant]
    return 100.0 if packets >= enough else 100.0 - 20 * (1 - packets / enough)


def evidence(*changes: Change, spread: float = 0.001) -> Both:
    """Make runs with these utilizations and some changes."""

    def utilization(variant: str, packets: int) -> float:
        value = world(variant, packets)
        for change in changes:
            value = change(variant, packets, value)
        return value

    runs = {
        part.name: [
            Run(
                where=spot.where,
                seed=seed,
                values={
                    "utilization": utilization(str(spot.where["variant"]), int(spot.where["packets"])) + spread * seed,
                    "loss": 0.1,
                },
            )
            for spot in part.spots
            for seed in (1, 2, 3)
        ]
        for part in PAPER.definition.parts()
    }
    return Both(ours=Runs(runs), ns2=Runs())


def put(value: float, *variants: str, packets: int = 0) -> Change:
    def change(variant: str, there: int, before: float) -> float:
        return value if variant in variants and packets in {0, there} else before

    return change


OTHER: list[tuple[str, Verdict, list[Change]]] = [
    ("2-1", Verdict.PARTLY, [put(97, "1 flow", packets=400)]),
    ("2-1", Verdict.NOT, [put(90, "1 flow", packets=400)]),
    ("2-2", Verdict.PARTLY, [put(100, "1 flow", packets=200)]),
    ("2-2", Verdict.NOT, [put(100, "1 flow")]),
    ("3-1", Verdict.PARTLY, [put(95, "4 flows")]),
    ("3-1", Verdict.NOT, [put(95, "4 flows", "16 flows")]),
    ("3-2", Verdict.NOT, [put(100, "64 flows, equal delays")]),
]


@pytest.mark.parametrize("key", BY_KEY)
def test_each_claim_holds_where_the_world_is_as_it_says(key: str) -> None:
    assert BY_KEY[key].judge(evidence()).verdict is Verdict.REPRODUCED


@pytest.mark.parametrize(("key", "verdict", "changes"), OTHER)
def test_each_rule_turns(key: str, verdict: Verdict, changes: list[Change]) -> None:
    assert BY_KEY[key].judge(evidence(*changes)).verdict is verdict


@pytest.mark.parametrize("key", BY_KEY)
def test_runs_that_differ_too_much_decide_nothing(key: str) -> None:
    assert BY_KEY[key].judge(evidence(spread=60)).verdict is Verdict.UNDECIDED


def test_the_figure_has_a_row_for_each_point() -> None:
    rows = FIGURE.drawing(evidence(), command="x").csv.splitlines()
    assert (
        rows[0]
        == "source,variant,packets,runs,utilization_percent,utilization_percent_ci95,loss_percent,loss_percent_ci95"
    )
    assert len(rows) == 1 + 4 * 7
    hold("buffers", PAPER.report(evidence(), judge(CLAIMS, evidence()), command="ackclock reproduce buffers"))


def test_the_commands_run_the_scenario_of_the_study(root: Path) -> None:
    (spot,) = [
        spot
        for part in PAPER.definition.parts()
        for spot in part.spots
        if dict(spot.where) == {"variant": "64 flows", "packets": 50}
    ]
    assert ac.Scenario.from_toml(root / "examples" / "buffers.toml").effective() == spot.scenario.effective()
