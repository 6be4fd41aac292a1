"""The comparison with ns-3: its rule, cells and page."""

from __future__ import annotations

import pytest

from linux.explained import explanation
from ns3 import cells, page
from ns3.explained import EXPLAINED
from ns3.rules import GOODPUT, WAITING, Tolerance

ROW = {
    "types": "TcpCubic+TcpLinuxReno",
    "queue": "codel",
    "ecn": "0",
    "mbps": "10",
    "rtt_ms": "20",
    "buffer_packets": "133",
    "step_k": "0",
    "recovery": "classic",
    "measured_from_s": "2",
    "duration_s": "4",
    "goodput_mbps_by_flow": "6+3",
    "sojourn_mean_ms": "5",
}


class TestRules:
    @pytest.mark.parametrize(
        ("tolerance", "ours", "theirs", "agrees"),
        [
            (GOODPUT, [9.0], [9.0 * 1.029], True),
            (GOODPUT, [9.0], [9.0 * 1.032], False),
            (GOODPUT, [8.0, 10.0], [9.5], False),  # the spread does not count
            (WAITING, [5.7], [5.0], True),
            (WAITING, [5.8], [5.0], False),
            (WAITING, [4.0, 8.0], [4.5], True),  # between two of our runs
            (WAITING, [5.0], [4.0, 9.0], True),  # between two of ns-3's
        ],
    )
    def test_means_may_differ_a_little(
        self, tolerance: Tolerance, ours: list[float], theirs: list[float], *, agrees: bool
    ) -> None:
        assert tolerance.agrees(ours, theirs) == agrees


class TestCells:
    def test_every_run_of_ns3_is_in_a_cell(self) -> None:
        made = cells.cells()
        assert sum(len(cell.rows) for cell in made) == 106
        assert len({(cell.part, cell.name) for cell in made}) == len(made) == 94
        assert sum(cell.part == cells.FAULTY for cell in made) == 36

    def test_the_longest_run_comes_first(self) -> None:
        (cell,) = cells.cells([ROW, {**ROW, "duration_s": "60"}])
        assert cell.scenario.to_dict()["duration"] == "60 s"

    def test_a_cell_with_prr_is_judged_unless_ns3s_fault_concerns_it(self) -> None:
        parts = [cells.cells([{**ROW, "types": kind, "recovery": "prr"}])[0].part for kind in ("TcpBbr", "TcpCubic")]
        assert parts == [cells.SINGLE, cells.FAULTY]

    def test_the_queue_contains_the_packet_in_the_device(self) -> None:
        (cell,) = cells.cells([{**ROW, "types": "TcpDctcp", "queue": "step", "step_k": "20"}])
        queue = cell.scenario.to_dict()["dumbbell"]["bottleneck"]["queue"]
        assert (queue["packets"], queue["mark_above"]) == (134, 21)

    def test_one_cell_from_end_to_end(self) -> None:
        (cell,) = cells.cells([ROW])
        (one,) = cells.compare([cell], jobs=1)
        assert len(one.runs) == 5
        assert one.ours(GOODPUT)[0] == pytest.approx(9.6, rel=0.05)
        assert one.cell.their_share == pytest.approx(2 / 3)
        assert one.cell.theirs(GOODPUT) == [9.0]
        text = page.page([one])
        assert "| judged cells | 0 of 1 | 0 % | 85 % | missed |" in text
        assert "CUBIC and Reno, CoDel, 10 Mb/s, 20 ms, 133 packets: goodput" in text

    def test_four_kinds_of_cell_agree(self) -> None:
        """One cell of each window law and of four queues, as in `docs/agreement_ns3.md`.

        Validates: goodput and mean queueing delay of CUBIC, Reno and DCTCP with drop-tail, CoDel, PIE and step marking.
        Source: ns-3.44, simulated (validation/ns3/data).
        Tolerance: goodput 3 %; delay 15 %, or within the range of five seeds.
        """
        names = (
            "CUBIC, drop-tail, 10 Mb/s, 80 ms, 67 packets",
            "Reno, PIE, 10 Mb/s, 20 ms, 133 packets",
            "2 CUBIC and 2 Reno, CoDel, 10 Mb/s, 20 ms, 133 packets",
            "DCTCP, step K = 20 with ECN, 10 Mb/s, 80 ms, 267 packets",
        )
        chosen = [cell for cell in cells.cells() if cell.name in names and cell.part != cells.FAULTY]
        assert len(chosen) == len(names)
        assert page.bar(cells.compare(chosen)) == (4, 4)


def test_every_explanation_concerns_a_cell() -> None:
    names = [
        f"{cell.part}: {cell.name}: {tolerance.title}" for cell in cells.cells() for tolerance in (GOODPUT, WAITING)
    ]
    assert {explanation(name, EXPLAINED) for name in names} >= set(EXPLAINED.values())
