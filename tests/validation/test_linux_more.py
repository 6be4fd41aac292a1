"""The comparison with the second set of measurements of a Linux kernel: its rule, cells, measures and section."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ackclock as ac
from linux.more import measures
from linux.more.cells import Bursts, Cell, Outages, RateChanges, ShortFlows, cell
from linux.more.compared import Measured, Spread, compare, kernel_cells
from linux.more.packets import Packets, Windows, doublings
from linux.more.section import section
from linux.page import bars

if TYPE_CHECKING:
    from pathlib import Path


def spread(*values: float) -> Spread:
    return Spread.of(values)


def packets(*rows: tuple[float, int, int, float]) -> Packets:
    """Return packets from rows of arrival, flow, segment and delivery; NaN if the packet is lost."""
    times, flows, segments, delivered = (np.array(column) for column in zip(*rows, strict=True))
    lost = np.isnan(delivered)
    waits = np.where(lost, np.nan, (delivered - times) * 1e3)
    return Packets(times=times, flows=flows, segments=segments, lost=lost, waits=waits, delivered=delivered)


LOST = float("nan")


class TestRule:
    @pytest.mark.parametrize(
        ("ours", "kernel", "agrees"),
        [
            (spread(1, 2, 3), spread(3, 9, 9), True),  # the ranges touch
            (spread(1, 2, 2.9), spread(3, 9, 9), False),
            (spread(104), spread(100), True),
            (spread(106), spread(100), False),
            (spread(94), spread(100), False),
            (spread(0.019), spread(0), True),  # 0.02 in units of the measure
            (spread(0.021), spread(0), False),
        ],
    )
    def test_ranges_overlap_or_means_are_close(self, ours: Spread, kernel: Spread, *, agrees: bool) -> None:
        assert ours.agrees(kernel) == agrees

    def test_a_measure_without_a_value_never_agrees(self) -> None:
        one = Measured(cell=cell("rate_bbr"), measure="loss", kernel=spread(1), ours=None)
        assert not one.agrees
        assert one.key == "Changes of the rate: bbr: loss"


class TestCells:
    def test_every_cell_and_measure_of_the_data_has_a_title(self) -> None:
        kernel = kernel_cells()
        assert (len(kernel), sum(len(found) for found in kernel.values())) == (43, 336)
        titles = {f"{one.part}: {one.title}" for one in kernel}
        assert len(titles) == len(kernel)
        assert {name for found in kernel.values() for name in found} == {*measures.TITLES}
        spreads = [each for found in kernel.values() for each in found.values()]
        assert all(each.minimum <= each.mean <= each.maximum for each in spreads)

    def test_an_unknown_part(self) -> None:
        with pytest.raises(ValueError, match="cell 'storm_reno': must begin with many, burst"):
            cell("storm_reno")

    def test_starts_are_drawn_for_each_repetition(self, tmp_path: Path) -> None:
        one = cell("many_reno_60_50")
        first, second = (one.scenario(repetition, tmp_path).to_dict()["clients"] for repetition in (1, 2))
        assert len(first) == 50
        assert (first[0]["start"], second[0]["start"] == first[0]["start"]) == ("1582 ms", False)

    def test_a_short_flow_has_whole_segments_of_data(self, tmp_path: Path) -> None:
        asked = ShortFlows(kernel="cubic", segments=10).scenario(1, tmp_path).to_dict()
        assert asked["clients"][0]["source"]["size"] == "14480 B"

    @pytest.mark.parametrize(
        ("direction", "lossy"), [("fwd", (True, False)), ("back", (False, True)), ("both", (True, True))]
    )
    def test_an_outage_loses_data_or_acks(self, direction: str, lossy: tuple[bool, bool], tmp_path: Path) -> None:
        asked = Outages(kernel="reno", direction=direction, length_s=3).scenario(2, tmp_path).to_dict()["dumbbell"]
        queues = (asked["bottleneck"]["queue"], asked["reverse"].get("queue", {}))
        assert tuple("discipline" in queue for queue in queues) == lossy
        assert all((queue["begin"], queue["end"]) == (5.73, 8.73) for queue in queues if "discipline" in queue)

    def test_one_cell_from_end_to_end(self) -> None:
        one = Bursts(kernel="reno", segments=20, gap_s=1)
        kernel: dict[Cell, dict[str, Spread]] = {
            one: {"completion_ms": spread(66, 67), "dropped": spread(0), "rtos": spread(0)}
        }
        completion, dropped, absent = compare(kernel, jobs=1)
        assert completion.ours is not None
        assert completion.agrees
        assert dropped.agrees
        assert absent.ours is None
        assert not absent.agrees

    def test_no_packet_crosses_during_an_outage(self, tmp_path: Path) -> None:
        one = Outages(kernel="cubic", direction="fwd", length_s=1)
        run = ac.simulate(one.scenario(1, tmp_path), seed=1, record=one.record)
        found = Packets.of(run)
        assert found.between(5, 6).lost.all()
        assert not found.between(6.5, 7).lost.all()
        measured = one.measure(run, 1)
        assert measured["rtos"] >= 1
        assert 0 < measured["resume_s"] < 2
        assert measured["resume_s"] < measured["full_s"] + 0.25

    def test_the_rate_changes(self, tmp_path: Path) -> None:
        one = RateChanges(kernel="reno")
        measured = one.measure(ac.simulate(one.scenario(1, tmp_path), seed=1, record=one.record), 1)
        assert measured["goodput_mbps_20_30"] == pytest.approx(20 * 1448 / 1500, rel=0.05)
        assert measured["goodput_mbps_30_40"] == pytest.approx(2 * 1448 / 1500, rel=0.05)


class TestPackets:
    SENT = packets((0.0, 0, 1, 0.1), (0.1, 1, 1, LOST), (0.2, 0, 0, 0.3), (0.4, 1, 1, 0.5), (0.6, 0, 1, 0.7))

    def test_first_transmissions_and_deliveries(self) -> None:
        assert self.SENT.first_transmissions().times.tolist() == [0.2, 0.0, 0.1]  # by flow and segment
        assert self.SENT.first_deliveries().delivered.tolist() == [0.3, 0.1, 0.5]
        assert self.SENT.of_flow(1).lost.tolist() == [True, False]
        assert self.SENT.between(0.2, 0.6).times.tolist() == [0.2, 0.4]

    def test_records_of_a_run(self, tmp_path: Path) -> None:
        one = Bursts(kernel="reno", segments=100, gap_s=1)
        run = ac.simulate(one.scenario(1, tmp_path), seed=1, record=one.record)
        found = Packets.of(run)
        (windows,) = Windows.by_flow(run)
        assert (np.diff(found.times) >= 0).all()
        delivered = ~np.isnan(found.delivered)
        assert (delivered == ~found.lost).all()
        wire = found.delivered - found.times - found.waits / 1e3
        assert wire[delivered] == pytest.approx(0.0206, abs=1e-6), "first in, first out: delay and transmission"
        assert windows.cwnd[windows.place(0)] == windows.cwnd[0]
        assert (windows.times[windows.place(2.0)] <= 2.0) & (windows.times[windows.place(2.0) + 1] > 2.0)

    def test_doublings_of_the_timer(self) -> None:
        srtt = np.array([0.05, 0.05, 0.05, np.nan, np.nan])
        rto = np.array([0.26, 0.5, 1.1, 1.0, 4.0])
        assert doublings(srtt, rto).tolist() == [0, 1, 2, 0, 2]


class TestMeasures:
    def test_a_burst_begins_with_its_first_packet_unless_it_is_late(self) -> None:
        sent = packets((1.01, 0, 0, 1.05), (1.02, 0, 1, 1.06), (2.2, 0, 2, 2.3), (2.21, 0, 3, LOST), (2.5, 0, 3, 2.6))
        state = Windows(times=np.array([0.0]), cwnd=np.array([9.0]), ssthresh=np.array([7.0]), doublings=np.array([0]))
        first, second = measures.bursts(sent, state, segments=2, writes=[1.0, 2.0, 3.0], gap_s=1)
        assert first["completion_ms"] == pytest.approx(50)
        assert second["completion_ms"] == pytest.approx(600)
        assert (first["dropped"], second["dropped"], first["cwnd_start"]) == (0, 1, 9)

    def test_fairness_of_many_flows(self) -> None:
        sent = packets((0.1, 0, 0, 0.2), (0.3, 0, 1, 0.4), (0.5, 0, 2, 0.6), (0.7, 1, 0, 0.8), (0.9, 2, 0, LOST))
        state = Windows(times=np.array([0.0]), cwnd=np.array([2.0]), ssthresh=np.array([7.0]), doublings=np.array([3]))
        found = measures.many_flows(sent, [state] * 3, span=(0, 1), fair_bps=2000, payload=125)
        assert (found["silent"], found["starved"], found["top_of_fair"]) == (1, 1, 1.5)
        assert found["jain"] == pytest.approx(16 / 3 / 10)
        assert (found["loss"], found["mean_max_backoff"], found["mean_cwnd"]) == (0.2, 3, 2)

    def test_packets_after_an_outage(self) -> None:
        sent = packets((0.5, 0, 0, 0.6), (1.5, 0, 1, LOST), (2.5, 0, 1, 2.6), (2.7, 0, 2, 2.8), (2.9, 0, 2, 3.0))
        times = np.array([0.0, 1.9, 4.5])
        state = Windows(times=times, cwnd=times, ssthresh=2 * times, doublings=np.array([0, 2, 0]))
        found = measures.outage(sent, state, end=2, duration=5, rate_mbps=1e9)
        assert (found["resent_after"], found["backoff_end"], found["ssthresh_end"]) == (2, 2, 3.8)
        assert found["resume_s"] == pytest.approx(0.6)
        assert (found["cwnd_2s"], found["cwnd_5s"]) == (1.9, 4.5)
        assert "full_s" not in found

    def test_transfers(self) -> None:
        sent = packets((0.0, 0, 0, 0.1), (0.1, 0, 1, LOST), (0.4, 0, 1, 0.5), (0.5, 1, 0, 0.6), (0.5, 1, 1, 0.7))
        found = measures.transfers(sent, [0.0, 0.4], 2)
        assert (found["mean_ms"], found["affected"], found["loss"]) == (400, 1, 0.2)


class TestSection:
    ONE = Measured(cell=cell("burst_reno_100_0.5"), measure="dropped", kernel=spread(1, 2, 3), ours=spread(2))

    def test_counts_and_differences(self) -> None:
        text = section([self.ONE, replace(self.ONE, ours=spread(4, 5)), replace(self.ONE, cell=cell("rate_bbr"))])
        assert "| Bursts | 1 | 2 | 1 |\n" in text
        assert "| all | 2 | 3 | 1 |\n" in text
        row = "drops per burst | 2.00 (1.00 to 3.00) | 4.50 (4.00 to 5.00) |"
        assert f"| Bursts: reno, 100 segments each 0.5 s | {row}\n" in text
        assert "Not explained yet." in text

    def test_no_differences(self) -> None:
        assert "No measure differs." in section([self.ONE])

    def test_the_bar(self) -> None:
        (*_, bar) = bars([], {}, [self.ONE] * 7 + [replace(self.ONE, ours=None)])
        assert bar.row == ["More of the kernel", "all measures", "7 of 8", "88 %", "87.5 %", "met"]
        assert not bars([], {}, [self.ONE] * 6 + [replace(self.ONE, ours=None)])[-1].met
