"""The comparison with a Linux kernel: its rules, data, replays and page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

from linux import cells, page
from linux.data import Sent, Timing, rows, timings, traces
from linux.divergence import Order, clock_phase, compare
from linux.explained import EXPLAINED, UNEXPLAINED, explanation, grouped
from linux.late_paths import late, record
from linux.lateness import RTT_MS, delays
from linux.more.compared import kernel_cells
from linux.more.measures import TITLES
from linux.replay import LEFT_OUT, RATE_MBPS, SCRIPTS, lost_arrivals, replay, replay_at, same_windows
from linux.rules import BBR_GOODPUT, BBR_SHARE, GOODPUT, LOSS, RANDOM_LOSS, ROUND_TRIP, SHARE, Tolerance
from linux.trace import compared, described

if TYPE_CHECKING:
    from pathlib import Path

EXACT = Timing(p50=0.0, p99=0.0, late=0.0)
ROW = {
    "cc": "reno",
    "rate_mbps": "5",
    "rtt_ms": "40",
    "buffer": "17",
    "bdp": "16.67",
    "duration_s": "12",
    "utilization": "0.995",
    "queueing_ms": "21.4",
    "loss": "0",
    "cycles": "2",
    "period_s": "1.27",
}


def sent(*packets: tuple[float, int], acks: tuple[float, ...] = ()) -> Sent:
    times, segments = zip(*packets, strict=True)
    return Sent(times=np.array(times, dtype=float), segments=np.array(segments), acks=np.array(acks, dtype=float))


class TestRules:
    @pytest.mark.parametrize(
        ("tolerance", "kernel", "ours", "agrees"),
        [
            (GOODPUT, [0.9], 0.9 * 1.019, True),
            (GOODPUT, [0.9], 0.9 * 1.021, False),
            (GOODPUT, [0.7, 0.9], 0.71, True),  # between two repetitions
            (LOSS, [0.01], 0.0129, True),
            (LOSS, [0.01], 0.0131, False),
            (LOSS, [0.01], 0.01 / 1.29, True),
            (LOSS, [0.01], 0.01 / 1.31, False),
            (LOSS, [0.0], 0.0, True),
            (LOSS, [0.0], 0.00001, False),
            (RANDOM_LOSS, [10.0, 12.0], 12.05, True),
            (RANDOM_LOSS, [10.0, 12.0], 12.15, False),
            (SHARE, [0.5, 0.9], 0.6, False),  # the spread does not count
            (SHARE, [0.5, 0.9], 0.749, True),
        ],
    )
    def test_a_number_agrees_within_the_allowed_difference(
        self, tolerance: Tolerance, kernel: list[float], ours: float, *, agrees: bool
    ) -> None:
        assert tolerance.agrees(ours, kernel) == agrees

    def test_a_rule_in_words(self) -> None:
        assert LOSS.allowed == "a factor of 1.3 or between two repetitions of the kernel"
        assert SHARE.allowed == "5 points"


class TestOrder:
    def test_equal_sequences(self) -> None:
        one = sent((0, 1), (1, 2), (40, 3))
        found = compare(one, replace(one, times=one.times + 7), EXACT, RTT_MS)  # times count from the first segment
        assert found == Order(segments=3, differs=None, punctual=1.0, late=None, median_ms=0.0)
        assert found.in_time

    def test_the_first_segment_in_another_order(self) -> None:
        found = compare(sent((0, 1), (1, 2), (2, 3)), sent((0, 1), (1, 3), (2, 2)), EXACT, RTT_MS)
        assert found.differs == 1
        assert not found.in_order
        assert not found.in_time

    def test_too_few_segments(self) -> None:
        assert compare(sent((0, 1), (1, 2)), sent((0, 1)), EXACT, RTT_MS).differs == 1
        assert compare(sent((0, 1)), sent((0, 1), (1, 2)), EXACT, RTT_MS).in_order  # the kernel's trace ends earlier

    def test_times_may_differ_by_a_millisecond(self) -> None:
        kernel = sent((0, 1), (40, 2), acks=(39.9,))
        assert compare(kernel, sent((0, 1), (40.9, 2)), EXACT, RTT_MS).in_time
        late = compare(kernel, sent((0, 1), (41.1, 2)), EXACT, RTT_MS)
        assert late.in_order
        assert (late.in_time, late.late, late.punctual) == (False, 1, 0.5)
        assert compare(kernel, sent((0, 1), (41.1, 2)), Timing(p50=0, p99=1.2, late=0.0), RTT_MS).in_time

    def test_lateness_adds_up_over_round_trips(self) -> None:
        kernel = sent((0, 1), (400, 2), acks=(399.9,))
        ours = sent((0, 1), (398.2, 2))
        assert not compare(kernel, ours, EXACT, RTT_MS).in_time
        assert compare(kernel, ours, Timing(p50=0.025, p99=0, late=0.0), RTT_MS).in_time  # 1 ms more in 10 round trips

    @pytest.mark.parametrize(("wait", "late", "in_time"), [(100, 8.5, True), (100, 9.5, False), (300, 60, True)])
    def test_timers_are_late_by_two_units(self, wait: float, late: float, *, in_time: bool) -> None:
        kernel = sent((0, 1), (wait + late, 1), (wait + late + 41, 2), acks=(wait + late + 41,))
        ours = sent((0, 1), (wait, 1), (wait + 41, 2))
        assert compare(kernel, ours, EXACT, RTT_MS).in_time == in_time

    def test_timers_show_the_clock(self) -> None:
        assert clock_phase(sent((0, 1), (1.3, 2), acks=())) is None
        phase, period = clock_phase(sent((0, 1), (85.3, 1), (113.3, 1))) or (0.0, 0.0)
        assert (round(phase, 6), period) == (1.3, 4)
        phase, period = clock_phase(sent((0, 1), (85.3, 1), (401.5, 1))) or (0.0, 0.0)
        assert (round(phase, 6), period) == (17.5, 32), "long timers have a tick of their own"

    def test_timers_are_not_early(self) -> None:
        assert not compare(sent((0, 1), (100, 1)), sent((0, 1), (102, 1)), EXACT, RTT_MS).in_time


class TestData:
    def test_every_table_is_read(self) -> None:
        kernels = {"reno", "cubic", "bbr"}
        assert {row["cc"] for row in rows("grid")} == {row["cc"] for row in rows("random_loss")} == kernels
        assert len(cells.grid()) == 48 + 24
        assert len(cells.random_loss()) == 4 + 2
        assert len(cells.competition()) == 13 + 12

    def test_every_trace_is_replayed_or_has_a_reason(self) -> None:
        scripts = {trace.script for trace in traces().values()} | {name.split("_", 1)[1] for name in timings()}
        assert scripts == {*SCRIPTS, *LEFT_OUT}
        assert not {*SCRIPTS} & {*LEFT_OUT}

    def test_a_trace(self) -> None:
        trace = traces()["reno_d20_50_51_52_80"]
        assert (trace.kernel, trace.script, trace.start) == ("reno", "d20_50_51_52_80", 100.474)
        assert trace.sent.segments[:12].tolist() == list(range(1, 13))
        assert trace.sent.acks[0] == 181.949
        times, cwnd = trace.windows
        assert (times[0], cwnd[0], cwnd.max()) == (181.949, 10, 64)

    def test_the_small_buffers_are_not_judged(self) -> None:
        assert sum(cell.small for cell in cells.grid()) == 16
        assert not any(cell.small for cell in cells.grid() if cell.name.startswith("bbr"))

    def test_the_first_part_of_a_trace(self) -> None:
        one = sent((7, 1), (8, 2), (507, 3), (508, 2))
        assert one.until(500).segments.tolist() == [1, 2]


class TestCells:
    def test_the_period_of_a_sawtooth(self) -> None:
        cwnd = np.tile([10.0, 12, 14, 16, 13, 9, 8], 4)
        times = np.arange(len(cwnd), dtype=np.float64) / 10
        assert cells.reductions(cwnd) == [4, 11, 18, 25]
        assert cells.reductions(np.array([10.0, 20, 19.5, 20, 17, 17.5, 12, 14])) == [4]  # small steps up are ignored
        assert cells.period(times, cwnd, 0.04) == pytest.approx(0.7)
        assert cells.period(times, cwnd, 0.5) == pytest.approx(1.4)  # every second one is too close
        assert cells.period(times, np.ones(28), 0.04) is None

    def test_one_cell_from_end_to_end(self) -> None:
        (cell,) = cells.grid([ROW, {**ROW, "utilization": "0.97", "cycles": "9"}])
        assert cell.kernel["sawtooth period"] == [1.27]
        goodput, waiting, loss, period = cells.compare([cell])
        assert goodput.kernel == [0.995, 0.97]
        assert goodput.agrees
        assert waiting.ours == pytest.approx(21.4, rel=0.3)
        assert not loss.agrees
        assert loss.ratio is None
        assert period.ours is not None

    def test_bbr_alone_has_a_round_trip_time_from_the_ordinary_clock(self) -> None:
        row = {**ROW, "cc": "bbr", "repetition": "1"}
        (cell,) = cells.grid([row, {**row, "repetition": "2", "queueing_ms": "90"}])
        assert cell.kernel == {BBR_GOODPUT.title: [0.995, 0.995], ROUND_TRIP.title: [pytest.approx(40 + 2.4 + 21.4)]}
        goodput, round_trip = cells.compare([cell])
        assert goodput.ours is not None
        assert goodput.ours > 0.85, "two seconds with a probe for the minimum round-trip time"
        assert round_trip.ours is not None
        assert 50 < round_trip.ours < 65

    def test_a_share_with_bbr_has_its_own_rule(self) -> None:
        row = {"a": "1xbbr@40ms", "b": "1xcubic@40ms", "buffer": "67", "share_a": "0.8"}
        assert cells.competition([row])[0].tolerances == (BBR_SHARE,)
        assert cells.competition([{**row, "a": "1xreno@40ms"}])[0].tolerances == (SHARE,)

    def test_sides_of_a_competition(self) -> None:
        row = {"a": "4xcubic@20ms", "b": "1xreno@100ms", "buffer": "67", "share_a": "0.8"}
        (cell,) = cells.competition([row])
        tables = cell.scenario.to_dict()
        assert [clients["count"] for clients in tables["clients"]] == [4, 1]
        assert [clients["access"]["delay"] for clients in tables["clients"]] == ["0 s", "40 ms"]
        assert tables["dumbbell"]["bottleneck"]["delay"] == "10 ms"


class TestLateness:
    def test_each_packet_has_the_lateness_that_was_measured(self) -> None:
        trace = traces()["reno_d100"]
        data, acks = delays(trace, RATE_MBPS)
        assert np.diff(data.times).min() == pytest.approx(1.2)  # a packet's transmission
        assert data.delays.min() >= RTT_MS / 2
        assert data.delays.max() == pytest.approx(RTT_MS / 2 + 7.455)
        assert data.handshake == pytest.approx(RTT_MS / 2, abs=0.2)
        assert acks.delays.min() > RTT_MS / 2
        both = float(data.delays.mean() + acks.delays.mean())
        assert both >= RTT_MS + timings()["reno_d100"].late - 0.01  # that number has the median of the answers

    def test_the_record_is_as_the_page_says(self) -> None:
        data, acks = record()
        assert data[0][-1] / 1e3 == pytest.approx(124, abs=0.5)
        assert np.percentile(data[1], [50, 99]) == pytest.approx([0.02, 0.18], abs=0.005)
        assert np.percentile(acks[1], [50, 99]) == pytest.approx([0.07, 0.37], abs=0.005)

    def test_each_seed_has_another_part_of_the_record(self, tmp_path: Path) -> None:
        asked = cells.grid([ROW])[0].scenario
        tables = [late(asked, seed, tmp_path).to_dict()["dumbbell"] for seed in (1, 2, 1)]
        paths = [table["bottleneck"]["delay_trace"]["path"] for table in tables]
        assert paths[0] == paths[2] != paths[1]
        first, second = (pq.read_table(path) for path in paths[:2])
        assert first["time"][0].as_py() == 0
        assert max(first["time"].to_pylist()) < 12
        assert min(first["delay"].to_pylist()) >= 0.02
        assert first["delay"].slice(0, 99) != second["delay"].slice(0, 99)

    def test_other_units_are_refused(self, tmp_path: Path) -> None:
        asked = cells.grid([ROW])[0].scenario.changed({"dumbbell.bottleneck.delay": "1 s"})
        with pytest.raises(ValueError, match="must be in ms, not in s"):
            late(asked, 1, tmp_path)


class TestReplay:
    def test_lost_arrivals_count_transmissions(self) -> None:
        found = sent((0, 1), (1, 2), (2, 3), (3, 2), (4, 2), (5, 4))
        assert found.nth().tolist() == [1, 1, 1, 2, 3, 1]
        assert lost_arrivals(found, {2: 2, 4: 1}) == (2, 4, 6)

    def test_a_replay_loses_the_scripted_transmissions(self) -> None:
        made = replay(traces()["reno_tail1x3of60"], SCRIPTS["tail1x3of60"])
        assert made.sent.segments.tolist() == [*range(1, 61), 60, 60, 60]
        lost = made.run.table("packets").filter(made.run.table("packets")["event"].cast("string").to_numpy() == "lost")
        assert lost["segment"].to_pylist() == [60, 60, 60]
        assert compared(made).in_order

    @pytest.mark.parametrize("name", ["cubic_d100_101_of_each_100", "cubic_dev30"])
    def test_windows_show_the_tick_that_a_timer_shows(self, name: str) -> None:
        trace = traces()[name]
        known = clock_phase(trace.sent)
        assert known is not None
        right, *others = (
            same_windows(replay_at(trace, SCRIPTS[trace.script], ((known[0] + shift) % 4, 4.0))) for shift in (0, 2, 3)
        )
        assert right == max(right, *others)

    def test_bbr_sends_as_the_kernel_until_its_cycles(self) -> None:
        """BBR's startup and drain, with losses of two segments of each hundred.

        Validates: BBR, version 1, sends the same segments as a Linux kernel at the same times, in startup and drain:
            the initial rate, the gains, the window of startup with its room for bursts, pacing with its credit, and
            the first recoveries.
        Source: Linux 6.18.44, measured (validation/linux/data).
        Tolerance: the same order; 99 % of the times within 1 ms and the lateness of the measurement.
        """
        made = replay(traces()["bbr_d100_101_of_each_100"], SCRIPTS["d100_101_of_each_100"])
        order = compared(made)
        assert order.segments > 380
        assert order.in_time
        assert order.median_ms < 0.3

    def test_bursts_start_with_the_kernels(self) -> None:
        made = replay(traces()["reno_burst200per3s"], SCRIPTS["burst200per3s"])
        theirs = made.trace.sent
        starts = [int(np.flatnonzero(made.sent.segments == segment)[0]) for segment in (201, 401, 601)]
        away = made.sent.times[starts] - (theirs.times - theirs.times[0])[starts]
        assert np.abs(away).max() < 0.5

    def test_an_application_with_a_constant_rate_writes_at_ticks(self) -> None:
        """A flow that the application limits, at 90 % of the bottleneck's rate.

        Validates: a flow that the application limits sends the same segments as a Linux kernel at the same times.
        Source: Linux 6.18.44, measured (validation/linux/data).
        Tolerance: the same order; 2 ms, as some wake-ups of the measured application were 1.2 ms late.
        """
        made = replay(traces()["reno_cbr9M"], SCRIPTS["cbr9M"])
        theirs = made.trace.sent
        count = len(theirs.segments)
        assert made.sent.segments[:count].tolist() == theirs.segments.tolist()
        away = made.sent.times[:count] - (theirs.times - theirs.times[0])
        assert np.abs(away).max() < 2

    def test_a_difference_is_described(self) -> None:
        made = replay(traces()["reno_one1of1x3"], SCRIPTS["one1of1x3"])
        ours = replace(made.sent, segments=np.array([1, 1, 9, 1]))
        text = described(replace(made, sent=ours), rows=1)
        assert text.startswith("reno_one1of1x3: segment 3 of 4 differs: kernel 1, Ackclock 9;")
        kernel, mine = (line.split("ms  ")[1] for line in text.splitlines() if line.startswith("  >"))
        assert kernel.startswith("send    1 (nth 3)  lost: script")
        assert mine.startswith("send    9 (nth 1)")


class TestPage:
    CELL = cells.Cell(
        part=cells.GRID,
        name="reno",
        scenario=cells.grid([ROW])[0].scenario,
        take=lambda _: {},
        kernel={GOODPUT.title: [0.9]},
        tolerances=(GOODPUT,),
    )

    def one(self, ours: float, *, small: bool = False) -> cells.Compared:
        return cells.Compared(cell=replace(self.CELL, small=small), tolerance=GOODPUT, ours=ours, kernel=[0.9])

    def test_the_bar_counts_judged_cells(self) -> None:
        found = [self.one(0.9) for _ in range(9)] + [self.one(0.5), self.one(0.5, small=True)]
        order = Order(segments=9, differs=None, punctual=0.9, late=3, median_ms=0.1)
        goodput, in_order, in_time, *bbr, _ = page.bars(
            found, {"reno_d1": order, "bbr_d1": order, "bbr_d10": order}, []
        )
        assert (goodput.agreeing, goodput.total, goodput.met) == (9, 10, True)
        assert (in_order.met, in_time.met) == (True, False)
        assert [(bar.part, bar.total) for bar in (in_order, *bbr)] == [
            ("Scripted losses", 1),
            ("Scripted losses with BBR", 2),
            ("Scripted losses with BBR", 2),
        ]
        assert not page.bars([*found, self.one(0.5)], {}, [])[0].met

    def test_the_page_lists_verdicts_and_explanations(self) -> None:
        order = Order(segments=9, differs=3, punctual=1.0, late=None, median_ms=0.1)
        text = page.page([self.one(0.9), self.one(0.5)], {"reno_d1": order}, [], {"a.png": "Windows"})
        assert "| Single flows | goodput | 1 of 2 | 50 % | 90 % | missed |" in text
        assert "| reno | 0.900 | 0.500 | 0.556 | differs |" in text
        assert "| `reno_d1` | 9 | 4 | 100.0 % | 0.10 | order differs |" in text
        assert "- Single flows: reno: goodput\n" in text
        assert "- Scripted losses: reno_d1\n" in text

    def test_the_first_matching_explanation_counts(self) -> None:
        texts = {"trace: b*": "Special.", "trace: *": "General."}
        assert explanation("trace: burst", texts) == "Special."
        assert grouped(["grid: x", "trace: a", "trace: b"], texts) == {
            "Special.": ["trace: b"],
            "General.": ["trace: a"],
            UNEXPLAINED: ["grid: x"],
        }

    def test_every_explanation_names_a_comparison(self) -> None:
        names = [page.trace_key(name) for name in traces()]
        names += [
            f"{cell.part}: {cell.name}: {tolerance.title}"
            for cell in [*cells.grid(), *cells.random_loss(), *cells.competition()]
            for tolerance in cell.tolerances
        ]
        names += [
            f"{cell.part}: {cell.title}: {TITLES[measure]}"
            for cell, measured in kernel_cells().items()
            for measure in measured
        ]
        assert {explanation(name) for name in names} >= set(EXPLAINED.values())
