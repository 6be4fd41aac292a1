"""The study of queue disciplines: its page, the varying link, and the file of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.papers.aqm.aqm_world import WORLD
from tests.support.kept import hold

import ackclock as ac
from ackclock.papers.aqm.claims import CLAIMS
from ackclock.papers.aqm.experiment import varying
from ackclock.papers.aqm.study import PAPER
from ackclock.papers.core.claim import judge

if TYPE_CHECKING:
    from pathlib import Path


def test_the_page_is_the_one_that_was_kept() -> None:
    hold("aqm", PAPER.report(WORLD.evidence(), judge(CLAIMS, WORLD.evidence()), command="ackclock reproduce aqm"))


def test_the_commands_run_the_base_scenario(root: Path) -> None:
    ours = PAPER.definition.scenario("tail drop")
    assert ac.Scenario.from_toml(root / "examples" / "aqm.toml").effective() == ours.effective()


def test_the_varying_link_changes_its_rate_every_ten_seconds() -> None:
    (spot, *_) = varying().spots
    run = ac.simulate(spot.scenario, seed=1)
    assert run.summary.throughput_bps / run.summary.utilization == pytest.approx(6e6)
