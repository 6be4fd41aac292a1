"""The study of pairs of laws: each rule with both outcomes, Ware's model, harm, and the order of a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.kept import hold

from ackclock.papers.coexistence.claims import CLAIMS, modelled
from ackclock.papers.coexistence.experiment import KERNEL, MODELLED, both_ways, parts
from ackclock.papers.coexistence.study import PAPER
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Change = Callable[[str, Mapping[str, Any], dict[str, float]], None]

BY_KEY = {claim.key: claim for claim in CLAIMS}

PARTS = parts()

STRONG = {"Vegas": 1.0, "Copa": 6.0, "Reno": 9.0, "CUBIC": 10.0, "Prague": 10.0}
"""Weights of laws in a world in which shares follow from weights; those of BBR depend on the buffer."""


def weight(law: str, size: float | str | None) -> float:
    if law in STRONG:
        return STRONG[law]
    return 90.0 if not isinstance(size, int | float) or size <= 1 else 9.0


def world(part: str, where: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers for which every claim holds."""
    values = {"utilization": 99.0, "loss": 0.5, "p50": 50.0, "p95": 60.0}
    if part == "alone":
        return {**values, "first_goodput": 99.0, "p50": 3.0}
    if part == "six":
        small = where["BDP"] == 0.8
        return {**values, "first_goodput": 16.0, "loss": 10.0 if where["law"] == "BBR" and small else 0.2}
    if part == "model":
        share = modelled(where["BDP"])
    elif part == "kernel":
        share = KERNEL[where["packets"]]
    elif part == "crowd":
        share = 40.0
    elif where.get("queue") == "FQ-CoDel":
        share = 50.0
    elif where.get("queue") == "DualPI2" and part == "queues, distance":
        share = 75.0
    elif part.startswith("distance"):
        share = 30.0
    else:
        ours, theirs = (weight(where[law], where.get("BDP")) for law in ("first", "second"))
        share = 100 * ours / (ours + theirs)
    return {
        **values,
        "first_goodput": 0.99 * share,
        "second_goodput": 99 - 0.99 * share,
        "share": share,
        "total": share,
    }


def evidence(*changes: Change, spread: float = 0.0001) -> Both:
    """Make runs with these numbers and some changes."""
    runs: dict[str, list[Run]] = {}
    for part in PARTS:
        for spot in part.spots:
            values = world(part.name, spot.where)
            for change in changes:
                change(part.name, spot.where, values)
            runs[part.name] = [
                *runs.get(part.name, []),
                *(
                    Run(
                        where=spot.where,
                        seed=seed,
                        values={name: value * (1 + spread * (seed - 2)) for name, value in values.items()},
                    )
                    for seed in (1, 2, 3)
                ),
            ]
    return Both(ours=both_ways(Runs(runs)), ns2=Runs())


def put(measure: str, value: float, part: str, **where: Any) -> Change:
    """Replace a number at all points of a part with these coordinates; a share also sets the goodputs."""

    def change(there: str, at: Mapping[str, Any], values: dict[str, float]) -> None:
        if there == part and all(at[axis] == wanted for axis, wanted in where.items()):
            values[measure] = value
            if measure == "share":
                values |= {"first_goodput": 0.99 * value, "second_goodput": 99 - 0.99 * value, "total": value}

    return change


OTHER: list[tuple[str, Verdict, list[Change]]] = [
    ("H-1", Verdict.PARTLY, [put("loss", 3, "six", law="BBR", BDP=0.8)]),
    ("H-1", Verdict.NOT, [put("loss", 1, "six", law="BBR", BDP=0.8)]),
    ("H-2", Verdict.NOT, [put("loss", 2, "six", law="CUBIC", BDP=0.8)]),
    ("H-3", Verdict.PARTLY, [put("p50", 70, "six", law="BBR", BDP=8)]),
    ("H-3", Verdict.NOT, [put("p50", 90, "six", law="BBR", BDP=8)]),
    ("H-4", Verdict.NOT, [put("share", 60, "distance", first="BBR", second="BBR")]),
    ("H-5", Verdict.NOT, [put("share", 40, "buffers", first="CUBIC", second="BBR")]),
    ("H-6", Verdict.NOT, [put("share", 30, "buffers", first="CUBIC", second="BBR")]),
    ("W-1", Verdict.NOT, [put("total", 10, "model")]),
    ("W-1", Verdict.PARTLY, [put("total", 10, "model", BDP=MODELLED[0])]),
    ("W-2", Verdict.NOT, [put("total", 10, "crowd")]),
    ("W-3", Verdict.NOT, [put("share", 60, "buffers", first="CUBIC", second="BBR")]),
    ("K-1", Verdict.NOT, [put("total", 30, "kernel")]),
    ("C-1", Verdict.NOT, [put("p50", 20, "alone", law="Copa")]),
    ("C-2", Verdict.NOT, [put("share", 95, "buffers", first="CUBIC", second="Copa")]),
    ("D-1", Verdict.NOT, [put("share", 80, "queues", first="CUBIC", second="Prague")]),
    ("D-2", Verdict.NOT, [put("share", 50, "queues, distance", first="Prague", second="CUBIC")]),
    ("R-3", Verdict.NOT, [put("share", 70, "queues, distance", queue="FQ-CoDel")]),
    ("R-1", Verdict.NOT, [put("share", 20, "buffers", first="Reno", second="CUBIC")]),
    ("R-2", Verdict.NOT, [put("share", 70, "queues", queue="FQ-CoDel")]),
    ("O-1", Verdict.NOT, [put("share", 10, "buffers", first="CUBIC", second="Vegas")]),
    ("O-2", Verdict.NOT, [put("share", 50, "queues", first="CUBIC", second="BBR")]),
]


@pytest.mark.parametrize("key", BY_KEY)
def test_each_claim_holds_where_the_laws_are_as_it_says(key: str) -> None:
    assert BY_KEY[key].judge(evidence()).verdict is Verdict.REPRODUCED


@pytest.mark.parametrize(("key", "verdict", "changes"), OTHER)
def test_each_rule_of_a_pair_turns(key: str, verdict: Verdict, changes: list[Change]) -> None:
    assert BY_KEY[key].judge(evidence(*changes)).verdict is verdict


def test_every_claim_about_pairs_can_fail() -> None:
    assert {key for key, verdict, _ in OTHER if verdict is Verdict.NOT} == set(BY_KEY)


def test_the_page_of_pairs_is_the_one_that_was_kept() -> None:
    hold("coexistence", PAPER.report(evidence(), judge(CLAIMS, evidence()), command="ackclock reproduce coexistence"))


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
