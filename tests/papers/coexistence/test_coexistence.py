"""The study of pairs of laws: its page, Ware's model, harm, and the order of a pair."""

from __future__ import annotations

from typing import Any

import pytest
from tests.papers.coexistence.coexistence_world import WORLD
from tests.support.kept import hold

from ackclock.papers.coexistence.claims import CLAIMS, modelled
from ackclock.papers.coexistence.experiment import MODELLED, both_ways
from ackclock.papers.coexistence.study import PAPER
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs


def test_the_page_of_pairs_is_the_one_that_was_kept() -> None:
    hold(
        "coexistence",
        PAPER.report(WORLD.evidence(), judge(CLAIMS, WORLD.evidence()), command="ackclock reproduce coexistence"),
    )


def test_the_model_gives_the_published_shares() -> None:
    """The shares of one BBR flow at 10 Mb/s and 40 ms over 120 s.

    Validates: the model of the share of BBR beside loss-based flows.
    Source: Ware et al., IMC 2019, section 5; shares computed by hand.
    Tolerance: 0.05 percentage points.
    """
    shares = [modelled(buffer) for buffer in MODELLED]
    assert shares == pytest.approx([78.4, 62.9, 54.5, 49.1, 44.0, 36.7], abs=0.05)


def test_a_pair_is_read_in_both_orders_and_its_harm_is_relative_to_a_flow_alone() -> None:
    where: dict[str, Any] = {"first": "CUBIC", "second": "BBR", "BDP": 1}
    pair = {"first_goodput": 20.0, "second_goodput": 60.0, "share": 25.0, "total": 25.0}
    alone = [Run(where={"law": law, "BDP": 1}, seed=1, values={"first_goodput": 80.0}) for law in ("CUBIC", "BBR")]
    runs = both_ways(Runs({"alone": alone, "buffers": [Run(where=where, seed=1, values=pair)]}))
    shares = {(row.where["first"], row.where["second"]): row.values["share"] for row in runs.part("shares")}
    assert shares == {("CUBIC", "BBR"): 25.0, ("BBR", "CUBIC"): 75.0}
    harm = {(row.where["first"], row.where["second"]): row.values["harm"] for row in runs.part("harm")}
    assert harm == {("CUBIC", "BBR"): 25.0, ("BBR", "CUBIC"): 75.0}
