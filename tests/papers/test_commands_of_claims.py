"""The command of each claim makes a run of the kind that the claim describes."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.support.typed import typed

from ackclock.papers import STUDIES

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.core.paper import Paper
    from ackclock.scenario import Scenario

NO_RUN_OF_THE_STUDY = {
    "burstiness": {"3.2-6"},  # omits the first 20 s
    "heterogeneous": {"3.2-6"},
    "characterization": {"3-6"},
    "manyflows": {"2.1-1", "2.2-1", "2.2-2", "4-1", "4-2", "5.2.1-2"},  # smaller networks of the same kind
    "selfsimilar": {
        *(f"T1-{number}" for number in range(1, 8)),  # shorter runs
        *("2-1", "2-2"),
        *(f"H-{number}" for number in range(1, 6)),
        *(f"F-{number}" for number in (1, 2, 3, 4, 5, 6, 9, 10, 11)),
    },
}
"""Claims whose command makes a simpler run than those that judge the claim."""


def plain(scenario: Scenario) -> str:
    """Write a scenario without the paths of files: their digests are enough."""

    def without_paths(value: object) -> object:
        if isinstance(value, dict):
            return {name: without_paths(part) for name, part in value.items() if name != "path"}
        return [without_paths(part) for part in value] if isinstance(value, list | tuple) else value

    return json.dumps(without_paths(scenario.effective().to_dict()), sort_keys=True, default=str)


@pytest.mark.parametrize("name", STUDIES)
def test_makes_a_run_of_the_study(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper: Paper = import_module(f"ackclock.papers.{name}.study").PAPER
    runs = {plain(spot.scenario) for part in [*paper.definition.parts(), *paper.parts()] for spot in part.spots}
    monkeypatch.chdir(root)
    others = {
        claim.key
        for claim in paper.claims
        if claim.command.startswith("ackclock run") and plain(typed(claim.command)) not in runs
    }
    assert others == NO_RUN_OF_THE_STUDY.get(name, set())
