"""Judges the claims of each study with uneven runs, for which some claims hold, some fail and some are undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.papers.aqm import test_aqm
from tests.papers.buffers import test_buffers
from tests.papers.burstiness import burstiness_world
from tests.papers.coexistence import test_coexistence
from tests.papers.heterogeneous import heterogeneous_world
from tests.papers.manyflows import manyflows_world
from tests.papers.selfsimilar import (
    selfsimilar_world,
    test_selfsimilar_last_hop,
    test_selfsimilar_traffic_claims,
)
from tests.papers.vegas import vegas_world
from tests.support.kept import hold_judged
from tests.support.papers import PAPERS
from tests.support.uneven import uneven

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.selfsimilar import claims as table2
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.core.claim import Claim

WORLDS: dict[str, Callable[[], Both]] = {
    "aqm": test_aqm.evidence,
    "buffers": test_buffers.evidence,
    "burstiness": lambda: burstiness_world.PAPER,
    "coexistence": test_coexistence.evidence,
    "characterization": lambda: heterogeneous_world.PAPER,
    "heterogeneous": lambda: heterogeneous_world.PAPER,
    "manyflows": lambda: manyflows_world.PAPER,
    "selfsimilar": selfsimilar_world.evidence,
    "last-hop": lambda: test_selfsimilar_last_hop.world(holds=True),
    "traffic": test_selfsimilar_traffic_claims.made_up,
    "vegas": vegas_world.evidence,
}

CLAIMS: dict[str, Sequence[Claim]] = {
    **{name: paper.claims for name, paper in PAPERS.items()},
    "selfsimilar": table2.CLAIMS,
    "last-hop": LAST_HOP_CLAIMS,
    "traffic": TRAFFIC_CLAIMS,
}


@pytest.mark.parametrize("name", WORLDS)
def test_verdicts_and_reasons_are_those_that_were_kept(name: str) -> None:
    """Verdict, reason and numbers of each claim are compared."""
    hold_judged(f"{name}-uneven", judge(CLAIMS[name], uneven(WORLDS[name](), by=0.25)))


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
