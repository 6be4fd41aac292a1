"""The parts of ``make bench`` and ``make guard`` that need no clock: reading, judging, writing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from performance import page, records, speed
from performance.__main__ import PARTS
from performance.guard import Count, judge, read
from performance.measure import Cost, Spread
from performance.simulations import Run, Simulation, counted
from performance.workloads import WORKLOADS

KEPT = Count(instructions_per_packet=1000.0, rustc="1.95.0", machine="x86_64")


def a_run(cpu_seconds: float, *, packets: int = 1000, events: int | None = None) -> Run:
    return Run(Cost(cpu_seconds, 2_000_000, ""), packets, events)


def test_counts_are_read_with_and_without_events() -> None:
    assert counted("arrivals 12 departures 10 drops 2\n")["departures"] == 10
    assert counted("arrivals 12 departures 10 drops 2 events 30")["events"] == 30
    with pytest.raises(RuntimeError, match="no count of departures"):
        counted("arrivals 12")


def test_a_simulation_gets_seconds_and_seed() -> None:
    done = Simulation(("echo", "departures")).run(20, seed=7)
    assert (done.cost.output, done.packets, done.events) == ("departures 20 7\n", 20, None)


def test_a_program_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="ended with 1: .*nowhere"):
        Simulation(("cat", "nowhere")).run(1)


@pytest.mark.parametrize(("now", "good"), [(1029, True), (1031, False), (900, True)])
def test_the_guard_refuses_a_rise_of_more_than_three_percent(now: float, good: bool) -> None:  # noqa: FBT001
    assert judge("codel", KEPT, Count(now, "1.95.0", "x86_64"))[0] is good


def test_the_guard_reports_a_gain_and_judges_only_its_own_compiler() -> None:
    assert "records the gain" in judge("codel", KEPT, Count(900, "1.95.0", "x86_64"))[1]
    for other in (Count(2000, "1.96.0", "x86_64"), Count(2000, "1.95.0", "aarch64")):
        good, words = judge("codel", KEPT, other)
        assert good
        assert "+100.0 %" in words
        assert "with rustc 1.95.0 on x86_64: different compilers are not comparable" in words


def test_the_recorded_figures_are_complete() -> None:
    recorded = read()
    assert tuple(recorded) == tuple(WORKLOADS)
    assert all(count.instructions_per_packet > 0 for count in recorded.values())


def test_a_share_leaves_out_the_start_that_ns2_tells() -> None:
    ours, ns2 = [a_run(0.1), a_run(0.3)], a_run(5.0)
    assert speed.Turn(ours, ns2).share == pytest.approx(0.04)
    assert speed.Turn(ours, replace(ns2, start_seconds=1.0)).share == pytest.approx(0.05)
    assert speed.Turn(ours).share is None


def test_a_row_has_a_dash_where_nothing_is_known() -> None:
    known = speed.row("S", "ours", [a_run(0.001, events=3210)], instructions=369.6, share=Spread.of([0.02, 0.03, 0.05]))
    assert known == ["S, ours", "0.001", Spread(0.03, 0.02, 0.05), "1000", "370", "3.21", "2"]
    assert speed.report([known]).splitlines()[-1] == (
        "| S, ours | 0.001 | 0.03 (0.02 to 0.05) | 1000 | 370 | 3.21 | 2 |"
    )
    unknown = speed.row("S", "ns-2.35", [a_run(3.0)], start=1.0)
    assert speed.report([unknown]).splitlines()[-1] == "| S, ns-2.35 | 2 | - | 2000000 | - | - | 2 |"


def test_records_are_compared_with_none_turn_by_turn() -> None:
    turns = [{"none": a_run(1.0), "all": a_run(1.5)}, {"none": a_run(2.0), "all": a_run(2.4)}]
    written = records.report(turns, {"none": 100.0, "all": 125.0}).splitlines()
    assert written[-2:] == ["| none | 100 | - | 1.500 | - | 2 |", "| all | 125 | +25.0 % | 1.950 | +35 % | 2 |"]


def test_a_part_is_put_between_its_marks_alone() -> None:
    head, tail = "# Title\n\n<!-- a: made by make bench -->\n", "<!-- end of a -->\n\n<!-- b: made by make bench -->\n"
    once = page.put(f"{head}{tail}", "a", r"\1 new" + "\n")
    assert once == f"{head}\n\\1 new\n\n{tail}"
    assert page.put(once, "a", "newer\n") == f"{head}\nnewer\n\n{tail}"
    with pytest.raises(ValueError, match="no marks for c"):
        page.put(once, "c", "")


def test_the_page_has_every_part() -> None:
    written = page.PAGE.read_text(encoding="utf-8")
    for part in PARTS:
        assert page.put(written, part, "measured\n") != written
