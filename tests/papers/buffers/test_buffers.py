"""The study of router buffers: its page, and the file that its commands run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.papers.buffers.buffers_world import WORLD
from tests.support.kept import hold

import ackclock as ac
from ackclock.papers.buffers.claims import CLAIMS
from ackclock.papers.buffers.study import FIGURE, PAPER
from ackclock.papers.core.claim import judge

if TYPE_CHECKING:
    from pathlib import Path


def test_the_figure_has_a_row_for_each_point() -> None:
    rows = FIGURE.drawing(WORLD.evidence(), command="x").csv.splitlines()
    assert (
        rows[0]
        == "source,variant,packets,runs,utilization_percent,utilization_percent_ci95,loss_percent,loss_percent_ci95"
    )
    assert len(rows) == 1 + 4 * 7
    hold(
        "buffers", PAPER.report(WORLD.evidence(), judge(CLAIMS, WORLD.evidence()), command="ackclock reproduce buffers")
    )


def test_the_commands_run_the_scenario_of_the_study(root: Path) -> None:
    (spot,) = [
        spot
        for part in PAPER.definition.parts()
        for spot in part.spots
        if dict(spot.where) == {"variant": "64 flows", "packets": 50}
    ]
    assert ac.Scenario.from_toml(root / "examples" / "buffers.toml").effective() == spot.scenario.effective()
