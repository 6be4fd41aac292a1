"""Judges the claims of each study by uneven runs, in which some hold, some fail and some are undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests import (
    burstiness_world,
    heterogeneous_world,
    manyflows_world,
    selfsimilar_world,
    test_buffers,
    test_selfsimilar_last_hop,
    test_selfsimilar_traffic_claims,
    vegas_world,
)
from tests.kept import hold_judged
from tests.uneven import uneven

from ackclock.papers.buffers.study import PAPER as BUFFERS
from ackclock.papers.burstiness.study import PAPER as BURSTINESS
from ackclock.papers.characterization.study import PAPER as CHARACTERIZATION
from ackclock.papers.claims import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.heterogeneous.study import PAPER as HETEROGENEOUS
from ackclock.papers.manyflows.study import PAPER as MANYFLOWS
from ackclock.papers.selfsimilar.claims import CLAIMS, TOPICS
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS, LAST_HOP_TOPICS
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS, TRAFFIC_TOPICS
from ackclock.papers.summary import summary
from ackclock.papers.vegas.study import PAPER as VEGAS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.summary import Topic

STUDIES: dict[str, tuple[Sequence[Claim], Sequence[Topic], Callable[[], Both]]] = {
    "buffers": (BUFFERS.claims, BUFFERS.topics, test_buffers.evidence),
    "burstiness": (BURSTINESS.claims, BURSTINESS.topics, lambda: burstiness_world.PAPER),
    "characterization": (CHARACTERIZATION.claims, CHARACTERIZATION.topics, lambda: heterogeneous_world.PAPER),
    "heterogeneous": (HETEROGENEOUS.claims, HETEROGENEOUS.topics, lambda: heterogeneous_world.PAPER),
    "manyflows": (MANYFLOWS.claims, MANYFLOWS.topics, lambda: manyflows_world.PAPER),
    "selfsimilar": (CLAIMS, TOPICS, selfsimilar_world.evidence),
    "last-hop": (LAST_HOP_CLAIMS, LAST_HOP_TOPICS, lambda: test_selfsimilar_last_hop.world(holds=True)),
    "traffic": (TRAFFIC_CLAIMS, TRAFFIC_TOPICS, test_selfsimilar_traffic_claims.made_up),
    "vegas": (VEGAS.claims, VEGAS.topics, vegas_world.evidence),
}


@pytest.mark.parametrize("by", [0.1, 0.4])
@pytest.mark.parametrize("name", STUDIES)
def test_verdicts_and_reasons_are_those_that_were_kept(name: str, by: float) -> None:
    """Verdict, reason and numbers of each claim, and the summary."""
    claims, topics, world = STUDIES[name]
    judged = judge(claims, uneven(world(), by=by))
    hold_judged(f"{name}-uneven-{100 * by:.0f}", judged, summary(judged, topics))


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
