"""Judges the claims of each study with uneven runs, for which some claims hold, some fail and some are undecided."""

from __future__ import annotations

import pytest
from tests.papers.test_claims import WORLDS
from tests.support.kept import hold_judged
from tests.support.uneven import uneven

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both


@pytest.mark.parametrize("name", WORLDS)
def test_verdicts_and_reasons_are_those_that_were_kept(name: str) -> None:
    """Verdict, reason and numbers of each claim are compared."""
    world = WORLDS[name]
    hold_judged(f"{name}-uneven", judge(world.paper.claims, uneven(world.evidence(), by=0.25)))


def test_uneven_runs_differ_from_point_to_point_and_less_from_run_to_run() -> None:
    rows = [
        Run(where={"n": n}, seed=seed, values={"a": 1.0, "b": [1.0, 1.0], "c": None, "d": "word"})
        for n in range(200)
        for seed in (1, 2)
    ]
    made = uneven(Both(ours=Runs({"part": rows}), ns2=Runs()), by=0.5).ours.part("part")
    first, second = ([row.values["a"] for row in made if row.seed == seed] for seed in (1, 2))
    assert 0.5 <= min(first) < 0.6
    assert 1.4 < max(first) <= 1.5
    assert 0.02 < max(abs(one - other) for one, other in zip(first, second, strict=True)) < 0.1
    assert made[0].values["b"][0] != made[0].values["b"][1]
    assert (made[0].values["c"], made[0].values["d"]) == (None, "word")
