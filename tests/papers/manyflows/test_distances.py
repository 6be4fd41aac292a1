"""Groups at unequal distances: measures and texts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from tests.papers.manyflows.manyflows_world import WORLD
from tests.support.long import long_only

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows import distances, flow_figures
from ackclock.papers.manyflows.distances import (
    CELLS,
    GROUPS,
    NEARLY,
    OVERHEADS,
    SEVERAL,
    UNEQUAL,
    Case,
    distance_parts,
    figure23,
    pair_spread,
    shares,
    spread,
    windows,
)
from ackclock.papers.manyflows.experiment import scenario
from ackclock.papers.manyflows.measures import OverSquare
from ackclock.papers.manyflows.places import WITH, WITHOUT

SEEDS = (1, 2, 3)
NS2 = ns2_runs("manyflows").part("figure23")


def test_the_points_of_figure_23_are_those_of_ns2() -> None:
    (where, case), *_ = CELLS["figure23"]
    assert where == {"processing": WITH, "buffer": 60, "connections": 10, "distance": 1.0}
    assert len(CELLS["figure23"]) == len(NS2) == 54
    near, far = scenario(figure23({**where, "distance": 4.0}).setting).effective().clients
    assert near.access is not None
    assert far.access is not None
    assert (near.count, near.access.delay, far.count, far.access.delay) == (10, "1 ms", 10, "154 ms")
    assert (case.span, case.setting.buffer) == ((100, 400), 60)
    assert {case.span for where, case in CELLS["figure23"] if where["buffer"] == 400} == {(150, 600)}


def test_groups_may_be_unequal_and_many() -> None:
    made = scenario(Case(counts=(5, 45), ratios=(1.0, 4.0)).setting)
    assert [group.count for group in made.clients] == [5, 45]
    assert [group.access.delay for group in made.clients if group.access] == ["1 ms", "154 ms"]
    assert len(scenario(Case(counts=(10,) * 5, ratios=SEVERAL).setting).clients) == 5


def test_a_spread_is_the_one_of_logarithms() -> None:
    runs = [Run(where={}, seed=1, values={"goodput_ratio": by, "flows": np.array([by, 1.0])}) for by in (1.0, 4.0)]
    assert spread(runs) == pytest.approx(np.sqrt(2))
    assert pair_spread(runs) == pytest.approx(np.sqrt(2))


def test_spreads_of_groups_and_of_their_pairs() -> None:
    """By hand: groups differ by 2^1 and 2^3. Pairs differ by 2^0, 2^2 and, if one sends nothing, 2^-2 and 2^2."""
    least = 1 / 450  # packets per second that count for none
    flows = ([8.0, 8.0, 8.0, 2.0], [0.0, 4 * least, 4 * least, 0.0])
    runs = [
        Run(where={}, seed=1, values={"goodput_ratio": ratio, "flows": each})
        for ratio, each in zip((2.0, 8.0), flows, strict=True)
    ]
    assert spread(runs) == pytest.approx(np.std([1, 3], ddof=1))
    assert pair_spread(runs) == pytest.approx(np.std([0, 2, -2, 2], ddof=1))
    assert np.isnan(spread([*runs, Run(where={}, seed=1, values={"goodput_ratio": None})])), "no ratio, no spread"


def test_groups_share_by_the_mean_of_their_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of 1, 3 and 2 flows; 4000 bits are a packet."""
    goodput = pl.DataFrame({"goodput_bps": [4000.0, 8000.0, 4000.0, 12000.0, 1500.0, 500.0]})
    scenario = SimpleNamespace(groups=[SimpleNamespace(count=count) for count in (1, 3, 2)])
    run = SimpleNamespace(scenario=scenario, table={"flows": goodput}.__getitem__)
    monkeypatch.setattr(distances, "mean_round_trips", lambda _: np.array([0.1, 0.1, 0.2, 0.3, 0.4, 0.6]))
    found = shares(run)  # type: ignore[arg-type]
    assert found["rtt"] == pytest.approx([0.1, 0.2, 0.5])
    assert found["goodput"] == pytest.approx([1, 2, 0.25])
    assert found["flows"] == pytest.approx([1, 2, 1, 3, 0.375, 0.125])
    assert (found["rtt_ratio"], found["goodput_ratio"]) == pytest.approx((5, 4))


def test_windows_are_those_that_figure_24_shows() -> None:
    """From 200 to 260 s, both ends included."""
    table = pl.DataFrame(
        {
            "time": [199.9, 200.0, 200.0, 230.0, 260.0, 260.0, 260.1],
            "flow": [0, 0, 1, 1, 0, 1, 1],
            "cwnd": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        }
    )
    found = windows(SimpleNamespace(table={"windows": table}.__getitem__))  # type: ignore[arg-type]
    assert {name: column.tolist() for name, column in found.items()} == {
        "near time": [200, 260],
        "near cwnd": [2, 5],
        "far time": [200, 230, 260],
        "far cwnd": [3, 4, 6],
    }


def test_figure_24_is_of_one_seed() -> None:
    parts = {part.name: part for part in distance_parts()}
    assert {name: part.seeds for name, part in parts.items()} == {**dict.fromkeys(CELLS), "figure24": (1,)}
    assert all(part.take is shares for name, part in parts.items() if name != "figure24")


def test_ns2_lies_where_it_was_measured() -> None:
    where = {"processing": WITHOUT, "buffer": 400, "connections": 50, "distance": 4.0}
    (point,) = (row for row in NS2 if row.where == where)
    assert point.values["rtt_ratio"] == pytest.approx(1.287, abs=1e-3)
    assert point.values["goodput_ratio"] == 2.366
    (beside,) = OverSquare().samples(Runs({"figure23": [point]})).cells.values()
    assert beside[point.seed] == pytest.approx(2.366 / 1.287**2, rel=1e-3)


def test_figures_show_every_run() -> None:
    evidence = WORLD.evidence()
    figures = (
        flow_figures.FIGURE23,
        flow_figures.FIGURE24,
        flow_figures.SIZES,
        flow_figures.OTHERWISE,
    )
    drawings = [figure.drawing(evidence, command="x") for figure in figures]
    assert [drawing.slug for drawing in drawings] == ["figure23", "figure24", "group-sizes", "unequal-groups"]
    assert len(drawings[2].numbers.rows) == len(OVERHEADS) * len(GROUPS)
    assert drawings[1].csv.startswith("connection,time,cwnd\nnear,0.0000,1.000\n")


@long_only
@pytest.mark.slow
def test_runs_agree_with_ns2_on_round_trips() -> None:
    """Both simulators have exact mean round-trip times, which differ by the queueing."""
    found = gather(distance_parts(), seeds=[1], jobs=1)
    theirs = {tuple(row.where.values()): row.values["rtt_ratio"] for row in NS2}
    for row in found.part("figure23"):
        assert row.values["rtt_ratio"] == pytest.approx(theirs[tuple(row.where.values())], rel=0.02)
    assert len(found.part("groups")) == len(OVERHEADS) * len(GROUPS) * len(NEARLY)
    assert [len(row.values["flows"]) for row in found.part("unequal")] == [50] * 2 * len(UNEQUAL)
