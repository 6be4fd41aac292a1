"""The runs, rules and figures of each study, as they were when they were kept."""

from __future__ import annotations

from importlib import import_module

import pytest
from tests.kept import hold_runs, hold_values

from ackclock.papers import STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_runs_are_those_that_were_kept(name: str) -> None:
    """Each point of each part: coordinates, scenario, records and seeds."""
    paper = import_module(f"ackclock.papers.{name}.study").PAPER
    hold_runs(name, [*paper.definition.parts(), *paper.parts()])


@pytest.mark.parametrize("name", STUDIES)
def test_rules_and_figures_are_those_that_were_kept(name: str) -> None:
    """Each number, coordinate and operator of the rules and quantities: ``python -m tests.described`` prints them."""
    hold_values(name, import_module(f"ackclock.papers.{name}.study").PAPER)
