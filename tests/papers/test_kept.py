"""The runs, rules and figures of each study equal the stored ones."""

from __future__ import annotations

import pytest
from tests.support.kept import hold_runs, hold_values
from tests.support.papers import PAPERS

from ackclock.papers import STUDIES


@pytest.mark.parametrize("name", PAPERS)
def test_runs_are_those_that_were_kept(name: str) -> None:
    """For each point of each part, coordinates, scenario, records and seeds are compared."""
    hold_runs(name, [*PAPERS[name].definition.parts(), *PAPERS[name].parts()])


@pytest.mark.parametrize("name", PAPERS)
def test_rules_and_figures_are_those_that_were_kept(name: str) -> None:
    """Each number, coordinate and operator of the rules is compared; `tests.support.described` prints them."""
    hold_values(name, PAPERS[name])


def test_no_study_is_left_out() -> None:
    assert PAPERS.keys() == STUDIES.keys()
