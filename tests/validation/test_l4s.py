"""The comparison with an L4S testbed: its cells and its rule."""

from __future__ import annotations

import pytest

from l4s import cells
from l4s.cells import Compared, Flow, Share
from l4s.page import agrees, page, scatter
from l4s.rules import ALLOWED


def _share(first: str, second: str, kernel: tuple[float, float], queue: str = "droptail", rtt: float = 20) -> Share:
    flows = Flow(law=first, rtt_ms=rtt), Flow(law=second, rtt_ms=20)
    return Share(mbps=50, queue=queue, flows=flows, kernel=kernel)


class TestCells:
    def test_every_number_of_the_testbed_is_a_cell(self) -> None:
        shares = cells.shares()
        assert len(shares) == 144
        assert sum(cell.queue == "fq_codel" for cell in shares) == 48
        assert {flow.rtt_ms for cell in shares for flow in cell.flows} == {10, 20, 80, 160}
        assert len(cells.ratios()) == 24

    @pytest.mark.parametrize(
        ("queue", "field", "value"),
        [("droptail", "packets", 1000), ("dualpi2", "min_qlen_step", 2), ("fq_codel", "ecn", True)],
    )
    def test_a_cell_has_the_testbeds_network(self, queue: str, field: str, value: object) -> None:
        whole = _share("prague", "cubic", (1, 1), queue, rtt=80).scenario.to_dict()
        assert whole["dumbbell"]["bottleneck"]["queue"][field] == value
        assert whole["clients"][0]["access"]["delay"] == "40 ms"
        assert whole["clients"][0]["transport"]["rtt_target"] == "0 s"
        assert whole["clients"][1]["transport"]["ecn"] == "classic"

    def test_a_flow_may_have_no_ecn(self) -> None:
        found = {cell.flows[1].client["transport"]["ecn"] for cell in cells.ratios()}
        assert found == {"classic", "off"}


class TestRule:
    def test_shares_may_differ_by_five_points(self) -> None:
        cell = _share("cubic", "prague", (3, 1))
        found = [
            agrees(Compared(cell=cell, runs=[(share, 1 - share)]))
            for share in (0.75 + 0.99 * ALLOWED, 0.75 - 1.01 * ALLOWED)
        ]
        assert found == [True, False]

    def test_the_scatter_is_that_of_one_pair_in_either_order(self) -> None:
        orders = [_share("cubic", "prague", (3, 1)), _share("prague", "cubic", (1.5, 2.5))]
        other = _share("cubic", "prague", (1, 3), rtt=80)  # another network
        assert scatter([Compared(cell=cell, runs=[(1, 1)]) for cell in [*orders, other]]) == pytest.approx(0.125)

    def test_the_page_states_each_share(self) -> None:
        shares = [Compared(cell=cell, runs=[cell.kernel]) for cell in cells.shares()]
        text = page(shares, [Compared(cell=cell, runs=[cell.kernel]) for cell in cells.ratios()])
        assert "144 of 144 shares agree" in text
        assert "| DualPI2, 50 Mb/s | CUBIC, 10 ms | Prague, 10 ms | 0.268 | 0.268 (0.268 to 0.268) | agrees |" in text
