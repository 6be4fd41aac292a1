"""Assumptions of the wide-area abstraction: measures and texts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.papers.manyflows.manyflows_world import WORLD
from tests.support.long import long_only

from ackclock.papers.core.parts import gather
from ackclock.papers.manyflows import internet, internet_figures
from ackclock.papers.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTER,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    T1_BPS,
    at_backbone,
    at_entry,
    bottlenecks,
    components_of,
    giant_component,
    internet_parts,
    steady,
    taken_apart,
    together,
)
from ackclock.papers.manyflows.measures import ACCESS_GOODPUT, AT_BACKBONE, AT_ENTRY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.core.measures import Measure

SEEDS = (1, 2, 3)


def test_a_flow_keeps_its_bottleneck_if_it_is_the_same_whenever_it_loses() -> None:
    where = np.array([["a", "a", "", "", "b"], ["a", "b", "b", "", ""], ["a", "b", "b", "a", "b"]])
    # the fourth connection loses only once and is not counted
    assert steady(where) == {"steady": 3 / 4, "counted": 4 / 5}
    assert steady(np.full((3, 2), "")) == {"steady": None, "counted": 0.0}


def test_the_giant_component_solves_its_equation() -> None:
    for degree in (1.01, 1.5, 2.0, 4.0):
        share = giant_component(degree)
        assert share == pytest.approx(1 - np.exp(-degree * share), abs=1e-12)
        assert share > 0
    assert giant_component(1.0) == 0


def test_clusters_stay_apart_and_random_traffic_does_not() -> None:
    apart, mixed = (taken_apart(who, 3.0, seed=1) for who in (CLUSTERS, ANYONE))
    assert apart["largest"] == CLUSTER / 400
    assert mixed["largest"] == pytest.approx(giant_component(3.0), abs=0.03)
    assert taken_apart(ANYONE, 3.0, seed=1) == mixed


def test_networks_are_taken_apart_for_each_traffic_degree_and_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internet, "taken_apart", lambda who, degree, *, seed: {"largest": (who, degree, seed)})
    rows = components_of([3, 5])
    assert [row.where for row in rows[:3]] == [
        {"traffic": ANYONE, "degree": 0.25},
        {"traffic": ANYONE, "degree": 0.25},
        {"traffic": ANYONE, "degree": 0.5},
    ]
    assert [row.seed for row in rows[:3]] == [3, 5, 3]
    assert len(rows) == 2 * 2 * len(DEGREES)
    assert all(row.values["largest"] == (*row.where.values(), row.seed) for row in rows)


@pytest.mark.parametrize(("who", "cluster"), [(ANYONE, None), (CLUSTERS, 10)])
def test_components_are_counted_in_domains(monkeypatch: pytest.MonkeyPatch, who: str, cluster: int | None) -> None:
    """Of 20 domains three are in one component and two in another; the rest has no traffic."""
    asked: list[tuple[int, int, int | None, int]] = []

    def connections(names: Sequence[str], count: int, *, cluster: int | None, seed: int) -> Mapping[Any, int]:
        asked.append((len(names), count, cluster, seed))
        return {(names[0], names[1]): 2, (names[2], names[1]): 1, (names[18], names[19]): 1}

    monkeypatch.setattr(internet, "_MANY", 20)
    monkeypatch.setattr(internet, "clustered_connections", connections)
    assert taken_apart(who, 0.7, seed=9) == {"largest": 3 / 20, "components": 10}
    assert asked == [(20, 7, cluster, 9)]


def run_of(
    *drops: tuple[float, int, str],
    goodput: Sequence[float] = (1.0, 1.0, 1.0),
    groups: Sequence[int] = (),
    flows: Sequence[tuple[str, str, int]] = (),
) -> Any:
    """Make a run of 350 s, measured from 50 s on, with drops by time, flow and link, and groups of flows."""
    times, droppers, links = zip(*drops, strict=True) if drops else ((), (), ())
    tables = {
        "drops": pa.table(
            {
                "time": pa.array(times, pa.float64()),
                "flow": pa.array(droppers, pa.uint32()),
                "link": pa.array(links, pa.string()).dictionary_encode(),
            }
        ),
        "flows": pa.table({"goodput_bps": pa.array(goodput, pa.float64())}),
    }
    scenario = SimpleNamespace(
        measure=SimpleNamespace(from_="50 s"),
        groups=[SimpleNamespace(count=count) for count in groups],
        flows=[SimpleNamespace(from_=sender, to=receiver, count=count) for sender, receiver, count in flows],
    )
    return SimpleNamespace(scenario=scenario, table=tables.__getitem__)


class TestBottlenecks:
    def test_a_flow_congests_where_it_loses_most(self) -> None:
        """Six parts of 50 s: flow 0 loses more at b, later at a; flow 1 more at c at the very end; flow 2 nothing."""
        run = run_of(
            (49.9, 0, "a"),  # during the warm-up, as the next one
            (49.9, 0, "a"),
            (50.0, 0, "b"),
            (99.8, 0, "a"),
            (99.9, 0, "b"),
            (100.0, 0, "a"),
            (210.0, 0, "b"),
            (349.0, 1, "a"),
            (350.0, 1, "c"),
            (350.0, 1, "c"),
        )
        assert bottlenecks(run).tolist() == [
            ["b", "", ""],
            ["a", "", ""],
            ["", "", ""],
            ["b", "", ""],
            ["", "", ""],
            ["", "c", ""],
        ]
        assert bottlenecks(run, parts=1).tolist() == [["b", "c", ""]]

    def test_a_run_without_drops_has_none(self) -> None:
        assert bottlenecks(run_of()).tolist() == [["", "", ""]] * 6

    def test_at_the_backbone(self) -> None:
        """One drop of four is at the backbone; 4 of the 8 access links' rates arrive."""
        drops = [(60.0, 0, "backbone"), (49.0, 0, "backbone"), *[(70.0, 1, "domain-1")] * 3]
        run = run_of(*drops, goodput=(3 * T1_BPS, T1_BPS))
        assert at_backbone(run) == {"at_backbone": 1 / 4, "goodput": 1 / 2}
        assert T1_BPS == 1.5e6

    def test_at_the_entry(self) -> None:
        """Flows 0 and 1 are looked at: they lose four packets, three of them at the entry, and flow 0 moves."""
        drops = [(60.0, 0, "in.t1"), (110.0, 0, "out.t1"), (60.0, 1, "in.t1"), (110.0, 1, "in.t1")]
        others = [(60.0, 2, "in.t3"), (110.0, 2, "in.t3")]
        run = run_of(*drops, *others, goodput=(0.5 * T1_BPS, 0.25 * T1_BPS, 9e9), groups=(2, 1))
        assert at_entry(run) == {"steady": 1 / 2, "counted": 1.0, "at_entry": 3 / 4, "goodput": 0.75}
        alone = run_of(*others, groups=(2, 1))
        assert at_entry(alone) == {"steady": None, "counted": 0.0, "at_entry": None, "goodput": 2 / T1_BPS}

    def test_flows_of_an_access_link_congest_together(self) -> None:
        """Two of the three flows from a, and two of the three to b, congest at one link; c and d have one flow each."""
        drops = [(60.0, 0, "a"), (110.0, 1, "b.reverse"), (160.0, 2, "a"), (349.0, 3, "b.reverse")]
        flows = [("a", "b", 2), ("a", "c", 1), ("d", "b", 1), ("a", "b", 1)]  # the last one loses nothing
        found = together(run_of(*drops, goodput=[1.0] * 5, flows=flows))
        assert found == {"steady": None, "counted": 0.0, "together": (2 + 2) / (3 + 3)}
        apart = run_of((60.0, 0, "a"), goodput=[1.0] * 2, flows=[("a", "b", 1), ("c", "d", 1)])
        assert together(apart)["together"] is None


def test_figures_show_every_place() -> None:
    evidence = WORLD.evidence()
    figures = (internet_figures.BACKBONE, internet_figures.BOTTLENECKS, internet_figures.APART)
    drawings = [figure.drawing(evidence, command="x") for figure in figures]
    assert [drawing.slug for drawing in drawings] == ["backbone", "bottlenecks", "components"]
    assert [len(drawing.numbers.rows) for drawing in drawings] == [
        len(BACKBONES) + 1,
        len(EXTRA) + len(DRAWN),
        len(DEGREES),
    ]


@long_only
@pytest.mark.slow
def test_runs_show_where_packets_are_lost() -> None:
    found = gather(internet_parts(), seeds=[1], jobs=1)

    def number(measure: Measure, part: str, **where: int) -> float:
        return measure.at(part, **where).points(found).only.mean

    assert number(AT_BACKBONE, "backbone", rate=20) > 99, "a fifth of the access links' rates is the only bottleneck"
    assert number(AT_BACKBONE, "backbone", rate=400) == 0
    assert number(AT_ENTRY, "extra", others=0) == 100, "what one T1 link lets through does not overflow another"
    assert number(ACCESS_GOODPUT, "backbone", rate=20) < 20 < number(ACCESS_GOODPUT, "backbone", rate=400) < 100
