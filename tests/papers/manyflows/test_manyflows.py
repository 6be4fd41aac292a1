"""The study of many flows: setup and agreement with ns-2."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import ackclock as ac
from ackclock.papers.comparison import Tolerance, compare, named
from ackclock.papers.core.evidence import Run
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.distances import Case
from ackclock.papers.manyflows.experiment import (
    CAPACITIES,
    FLOWS,
    ISDN,
    T1,
    Bottleneck,
    flow_summary,
    grid_setting,
    part,
    scenario,
)
from ackclock.papers.manyflows.places import PROCESSING, setting_of
from ackclock.values.quantity import RATE
from ns2.manyflows import COMPARED, GRID


class TestSetup:
    def test_buffers_and_processing_times_are_those_of_the_grid(self) -> None:
        """Buffers are W_c minus the pipe; processing times are a tenth of W_c transmissions of 2.5 or 62.5 ms."""
        t1, isdn = grid_setting(T1, 300, 150, fraction=0.1), grid_setting(ISDN, 300, 150, fraction=0.1)
        assert (t1.buffer, isdn.buffer) == (260, 298)
        assert (t1.overhead, isdn.overhead) == pytest.approx((0.075, 1.875))
        whole = scenario(t1).effective()
        assert whole.profile == "ns2-1999-qiu"
        (clients,) = whole.clients
        assert (clients.count, clients.spread, clients.packet_size) == (150, "1 s", 500)
        assert isinstance(clients.transport, ac.Tcp)
        assert (clients.transport.overhead, clients.transport.max_rto, clients.transport.initial_window) == (
            "75 ms",
            "64 s",
            1,
        )

    @pytest.mark.parametrize(("link", "fraction", "rate"), [(T1, 0, 1600001), (T1, 0.1, 1600000), (ISDN, 0, 63999)])
    def test_links_are_detuned_where_nothing_else_breaks_ties(
        self, link: Bottleneck, fraction: float, rate: int
    ) -> None:
        dumbbell = scenario(grid_setting(link, 100, 20, fraction=fraction)).dumbbell
        assert dumbbell is not None
        assert dumbbell.reverse is not None
        assert dumbbell.bottleneck.rate == dumbbell.reverse.rate == RATE.format(rate)

    def test_the_way_there_and_back_is_ns2s(self) -> None:
        """The first packet and its ACK each cross two links of 10 Mb/s and 0.001 ms, and one of 1.6 Mb/s and 50 ms."""
        setting = replace(grid_setting(T1, 100, 1), detuned=0)
        run = ac.simulate(scenario(setting).changed({"clients.0.spread": "0 s", "duration": "60 s"}), record=["acks"])
        data, ack = 0.4 + 2.5 + 0.4, 0.032 + 0.2 + 0.032
        assert run.table("acks")["time"][0].as_py() == pytest.approx((data + ack + 100 + 4 * 0.001) / 1000, abs=1e-9)

    def test_groups_at_unequal_distances(self) -> None:
        """The one-way delay is 51 ms for the first group and twice as much for the second."""
        setting = Case(counts=(10, 10), ratios=(1.0, 2.0), buffer=60).setting
        near, far = scenario(setting).clients
        assert near.count == far.count == 10
        assert near.access is not None
        assert far.access is not None
        assert (near.access.delay, far.access.delay) == ("1 ms", "52 ms")
        assert setting.buffer == 60

    def test_throughput_and_goodput_are_parts_of_the_rate(self) -> None:
        run = ac.simulate(scenario(grid_setting(T1, 100, 60, span=(5, 20))))
        values = flow_summary(run)
        assert values["throughput"] == run.summary.utilization
        assert values["goodput"] == pytest.approx(run.summary.goodput_bps / 1_600_001, rel=1e-9)


def test_ns2_has_run_the_whole_grid() -> None:
    settings = [setting_of(row.where) for row in ns2_runs("manyflows").part("grid")]
    grid = {setting.name + str(setting.flows) for setting in settings}
    assert len(grid) == len(settings) == 196
    spans = {T1: [(50, 200), (100, 400)], ISDN: [(500, 2000)]}
    for link in (T1, ISDN):
        for capacity in CAPACITIES:
            for flows in FLOWS:
                for fraction in PROCESSING.values():
                    ways = [
                        grid_setting(link, capacity, flows, fraction=fraction, span=span).name + str(flows)
                        for span in spans[link]
                    ]
                    assert grid.intersection(ways)


def test_a_single_run_varies_as_ours_do() -> None:
    """Three runs have mean 0.2 and s = 0.01; the difference from one run has the standard error s sqrt(1 + 1/3)."""
    run = Run(where={"variant": "T1", "clients": 10}, seed=1, values={"loss": 0.23})
    ours = [replace(run, seed=seed, values={"loss": loss}) for seed, loss in enumerate((0.19, 0.2, 0.21))]
    tolerance = Tolerance(title="loss", measure=named("loss"), relative=0.1)
    (found,) = compare(ours, [run], [tolerance], single=True)
    assert found.standard_error == pytest.approx(0.01 * math.sqrt(4 / 3))
    assert found.relative == pytest.approx(-0.03 / 0.23)
    assert not found.is_near
    assert found.agrees  # the difference is 2.6 standard errors
    (missed,) = compare(ours, [replace(run, values={"loss": 0.24})], [tolerance], single=True)
    assert not missed.agrees
    assert compare(ours, [run], [tolerance]) == []


def test_twenty_connections_lose_exactly_one_packet_in_25() -> None:
    """W_c = 100 on the T1 link, no processing times: each of 20 connections loses one packet as its window reaches 5.

    Validates: a run with fully synchronised connections loses exactly 1/25 of its packets.
    Source: ns-2.35 over 100 to 400 s, 5,000 of 125,000; 1 / S' with W = 5, where S' = 23 + 2 counts the packets that
        Reno sends during the recovery round.
    Tolerance: none, at three seeds.
    """
    setting = replace(grid_setting(T1, 100, 20, span=(100, 400)), detuned=0)
    for seed in (1, 2, 3):
        found = ac.simulate(scenario(setting), seed=seed).summary
        assert (found.arrivals, found.drops, found.timeouts) == (125_000, 5_000, 0)


@pytest.mark.slow
def test_agrees_with_ns2() -> None:
    """Compares every tenth point with processing times, and every tenth point from time 0, with five seeds.

    Validates: loss, Jain's index, throughput and goodput of 10 to 600 flows with random processing times agree with
        ns-2, loss also from time 0 on, and goodput over unequal distances.
    Source: ns-2.35, one run per point.
    Tolerance: the wider of three standard errors and a fixed margin; see agreement_manyflows.md.
    """
    parts = [one for one in COMPARED if one.title.endswith("with processing times")]
    assert len(parts) == 3
    found = [one.compare(one.part, seeds=range(1, 6), among=one.quick) for one in parts]
    assert [len(places) for places in found] == [4 * 9, 2, 4]
    assert all(place.agrees for places in found for place in places)


@pytest.mark.slow
def test_who_wins_ties_moves_loss() -> None:
    """200 connections, W_c = 200, T1, no processing times; the link rate is exact, or a bit per second above or below.

    Validates: loss agrees with ns-2 if timers lose their ties with ACKs, as in ns-2's rounding, and differs strongly if
        they win.
    Source: ns-2.35: 0.1225.
    Tolerance: 5 %, five seeds; at least 15 % more with random ties, and at least 30 % if timers win.
    """
    setting = grid_setting(T1, 200, 200)
    cells = [({"detuned": detuned}, replace(setting, detuned=detuned)) for detuned in (1, 0, -1)]
    rows = gather([part("ties", cells)], seeds=range(1, 6), jobs=1).part("ties")
    losses = [
        np.mean([row.values["loss"] for row in rows if row.where["detuned"] == detuned]) for detuned in (1, 0, -1)
    ]
    assert losses[0] == pytest.approx(0.1225, rel=0.05)
    assert losses[1] > 1.15 * 0.1225
    assert losses[2] > 1.3 * 0.1225


def test_points_that_missed_are_kept_with_other_seeds() -> None:
    kept = ns2_runs("manyflows")
    for one in COMPARED:
        assert bool(one.again) is (one.bar is not None)
        first = [row.where for row in kept.part(one.part) if one.among(row.where)]
        again = [row for row in kept.part(one.again or one.part) if one.among(row.where)]
        assert all(row.where in first for row in again)
        assert all(row.seed in range(11, 16) for row in again) or not one.again
    assert {tolerance.title for tolerance in GRID} == {"loss", "Jain's index", "throughput", "goodput"}
