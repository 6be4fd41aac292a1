"""The network of self-similar traffic: setup and agreement with ns-2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.long import often

import ackclock as ac
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar.experiment import (
    CONSTANT,
    GREEDY,
    READINGS,
    SCALES,
    SETTINGS,
    VARIANTS,
    WINDOW,
    Reading,
    Setting,
    Variant,
    background,
    flow_summary,
    scenario,
)
from ns2.selfsimilar import TABLE_2, Likeness, agreement, background_agreement, parts


class TestSetup:
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_every_variant_meets_the_same_background(self, variant: Variant) -> None:
        """With one seed, the on/off sources send the same number of packets alone and with any connection."""
        alone = ac.simulate(background().changed({"duration": "20 s"}), seed=3).summary.arrivals
        run = ac.simulate(scenario(Setting(reading=GREEDY, variant=variant)).changed({"duration": "20 s"}), seed=3)
        sources, flow = run.summary.groups
        assert (sources.name, flow.name) == ("background", "flow")
        assert sources.arrivals == alone > 10_000
        assert flow.arrivals > 1_000

    def test_the_round_trip_takes_the_75_ms_of_figure_6(self) -> None:
        """The transmissions of a data packet take 0.08, 0.16 and 0.08 ms, of its ACK 0.0032, 0.0064 and 0.0032 ms."""
        setting = Setting(reading=GREEDY, variant="vegas", sources=1)
        run = ac.simulate(scenario(setting).changed({"flows.0.start": "1 s", "duration": "2 s"}), record=["acks"])
        serialization = 0.32 + 0.0128
        assert run.table("acks")["time"][0].as_py() == pytest.approx((75 + serialization) / 1000, abs=1e-9)

    def test_readings(self) -> None:
        whole = {name: scenario(Setting(reading=reading, variant="sack")) for name, reading in READINGS.items()}
        flows = {name: each.effective().flows[1] for name, each in whole.items()}
        constant = flows[CONSTANT.name].source
        assert isinstance(constant, ac.Constant)
        assert constant.mean_rate * 8 * 1000 == 6_200_000
        windows = {}
        for name, flow in flows.items():
            assert isinstance(flow.transport, ac.Tcp)
            windows[name] = flow.transport.max_window
            assert (flow.transport.clock, flow.transport.min_rto, flow.packet_size) == ("1 ms", "200 ms", 1040)
        assert windows == {GREEDY.name: 10_000, CONSTANT.name: 10_000, WINDOW.name: 60}

    def test_vegas_has_ns2s_constants(self) -> None:
        """Vegas has no SYN, no header, and ns-2's rule for the base round-trip time."""
        flow = scenario(Setting(reading=GREEDY, variant="vegas")).effective().flows[1]
        assert isinstance(flow.transport, ac.Tcp)
        assert (flow.packet_size, flow.transport.handshake) == (1000, False)
        assert flow.transport.parameters["base_rtt"] == "ns2"

    def test_arrivals_and_acks_are_those_that_enter_the_last_links(self) -> None:
        """100 packets a second are sent, none is lost: the counts are the SYN and the packets that have arrived so far.

        Without queues a packet enters the receiver's link 35.2496 ms after it was sent, its ACK the sender's 30.0928 ms
        later.
        """
        setting = Setting(reading=Reading(name="slow", source=ac.Constant(rate=100)), variant="sack", sources=1)
        run = ac.simulate(scenario(setting).changed({"duration": "5 s"}), record=["arrivals@B->y,A->x/5s"])
        values = flow_summary(run)
        assert (values["drops"], values["retransmissions"], values["efficiency"]) == (0, 0, 1)
        assert values["arrivals"] == 1 + 1 + int(100 * (5 - 0.0352496))
        assert values["acks"] == 1 + 1 + int(100 * (5 - 0.0653424))


@pytest.mark.parametrize(("table", "seeds", "first"), [("counts", 40, 64414), ("adjacent", 37, 59399)])
def test_ns2_has_run_every_reading_and_variant(table: str, seeds: int, first: int) -> None:
    counts: dict[tuple[object, ...], list[int]] = {}
    runs = ns2_runs("selfsimilar").part(table)
    for run in runs:
        counts.setdefault(tuple(run.where.values()), []).append(run.seed)
    assert list(counts) == [tuple(setting.where.values()) for setting in SETTINGS]
    assert all(sorted(each) == list(range(1, seeds + 1)) for each in counts.values())
    assert (dict(runs[0].where), runs[0].seed) == ({"reading": "greedy", "variant": "Tahoe"}, 1)
    assert runs[0].values["arrivals"] == first


def test_ns2s_background_has_every_measure() -> None:
    measures = {"load", *(f"{name}_{scale:g}" for name in ("cov", "hurst") for scale in SCALES)}
    assert all(set(run.values) == measures for run in ns2_runs("selfsimilar").part("background"))


def test_samples_are_alike_unless_chance_would_hardly_set_them_so_far_apart() -> None:
    """Ten values each: one outlier is not significant, a different half is; separate samples have p = 2 / C(20, 10)."""
    low, high = tuple(np.arange(10.0)), tuple(np.arange(10.0) + 100)
    apart = Likeness(title="drops", variant="Vegas", ours=low, theirs=high)
    assert apart.p == pytest.approx(2 / 184_756)
    assert not apart.agrees
    assert Likeness(title="drops", variant="Vegas", ours=low, theirs=(*low[:9], 100.0)).agrees


def test_background_is_as_bursty_as_in_ns2() -> None:
    """Compares load, spread and Hurst parameter of the on/off sources from 0.01 to 1 s, with ten seeds.

    Validates: on/off sources with Pareto periods load the link and vary over time scales as ns-2's do.
    Source: ns-2.35's Application/Traffic/Pareto.
    Tolerance: 3 standard errors, or 1 % of the load and of H and 2 % of the c.o.v.
    """
    _, alone = parts(quick=True)
    places = background_agreement(gather([alone], seeds=range(1, 11), jobs=1).part("background"))
    assert len(places) == 1 + 2 * len(SCALES)
    assert all(place.agrees for place in places)


def test_agrees_with_ns2_at_a_constant_rate() -> None:
    """Compares SACK and Vegas at 6.2 Mb/s, with ten seeds.

    Validates: the counts of Table 2 for a connection over self-similar traffic agree with ns-2.
    Source: ns-2.35.
    Tolerance: 3 standard errors, or 1 % of arrivals and ACKs and 15 % of drops and retransmissions; Vegas by
        distribution, at the 1 % level.
    """
    counts, _ = parts(quick=True)
    some = replace(counts, spots=[spot for spot in counts.spots if spot.where["variant"] in ("SACK", "Vegas")])
    means, vegas = agreement(gather([some], seeds=range(1, 11), jobs=1).part("counts"))
    sack = {"reading": "constant rate", "variant": "SACK"}
    assert [(place.tolerance.title, place.where) for place in means] == [
        (tolerance.title, sack) for tolerance in TABLE_2
    ]
    assert [each.variant for each in vegas] == ["Vegas, constant rate"] * len(TABLE_2)
    assert all(place.agrees for place in means)
    assert all(each.agrees for each in vegas)


@pytest.mark.slow
def test_agrees_with_ns2() -> None:
    """Compares every interpretation of the source with every variant; forty seeds in the long form, otherwise eight.

    Validates: the four variants agree with ns-2 over self-similar traffic, with every kind of data source.
    Source: ns-2.35.
    Tolerance: as at a constant rate; see agreement_selfsimilar.md.
    """
    made = gather(parts(quick=False), seeds=range(1, often(8, long=40) + 1), jobs=1)
    assert all(place.agrees for place in background_agreement(made.part("background")))
    for table in ("counts", "adjacent"):
        means, vegas = agreement(made.part("counts"), table)
        assert (len(means), len(vegas)) == (9 * len(TABLE_2), 3 * len(TABLE_2))
        assert all(place.agrees for place in means)
        assert all(each.agrees for each in vegas)
