"""Measures of three studies, worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from ackclock.papers.burstiness import measures as burstiness
from ackclock.papers.core.evidence import Run
from ackclock.papers.heterogeneous import measures as heterogeneous
from ackclock.papers.selfsimilar import experiment as selfsimilar

if TYPE_CHECKING:
    from ackclock.papers.core.measures import Measure


class Drops:
    """A run with drops at some times."""

    def __init__(self, *times: float) -> None:
        self.times = times

    def table(self, name: str) -> pa.Table:
        assert name == "drops"
        return pa.table({"time": pa.array(self.times, pa.float64())})


@pytest.mark.parametrize(
    ("times", "settled"),
    [
        ((), 0),
        ([6.0] * 9, 0),
        ([6.0] * 10, 10),  # the block from 5 to 10 s
        ([6.0] * 5 + [10.0] * 5, 0),  # two blocks
        ([6.0] * 30 + [180.0] * 10 + [190.0] * 9, 185),
        ([199.9] * 10, 200),
    ],
)
def test_a_run_has_settled_after_the_last_block_with_ten_drops(times: list[float], settled: float) -> None:
    assert burstiness.settle_time(Drops(*times)) == {"settle_time": settled}  # type: ignore[arg-type]


BURSTINESS: list[tuple[Measure, dict[str, Any], float | None]] = [
    (burstiness.SETTLED, {"settle_time": 0.0}, 100),
    (burstiness.SETTLED, {"settle_time": 185.0}, 100),
    (burstiness.SETTLED, {"settle_time": 190.0}, 0),
    (burstiness.TOGETHER, {"last_together": 0.0}, 100),
    (burstiness.TOGETHER, {"last_together": None}, 0),
    (burstiness.TOGETHER_IN_TIME, {"last_together": 1.9}, 0),
    (burstiness.TOGETHER_IN_TIME, {"last_together": 2.0}, 100),
    (burstiness.TOGETHER_IN_TIME, {"last_together": 8.0}, 100),
    (burstiness.TOGETHER_IN_TIME, {"last_together": 8.1}, 0),
    # 40 clients send 10 packets in 0.1 s each, so that Poisson's c.o.v. is 1 / sqrt(400)
    (burstiness.COV_OVER_POISSON, {"cov": 0.1}, 2),
    (burstiness.WARM_COV_OVER_POISSON, {"cov_warm": 0.05}, 1),
    (burstiness.EXCESS, {"cov": 0.1}, 100),
    (burstiness.THROUGHPUT, {"departures": 4500.0}, 4.5),
    (burstiness.LOSS, {"loss": 0.02}, 2),
    # 180 of 200 s have 9,000 of 10,000 arrivals
    (burstiness.WARM_LOSS, {"drops_warm": 45.0, "arrivals": 10_000.0}, 0.5),
    (burstiness.WARM_LOSS, {"drops_warm": 0.0, "arrivals": 0.0}, None),
    (burstiness.TIMEOUTS_PER_DUP_ACK, {"timeouts": 3.0, "dup_acks": 4.0}, 75),
    (burstiness.TIMEOUTS_PER_DUP_ACK, {"timeouts": 3.0, "dup_acks": 0.0}, None),
    (burstiness.START_SHARE, {"drops_start": 1.0, "drops": 8.0}, 12.5),
    (burstiness.QUEUE_PER_CLIENT, {"queue_mean": 20.0}, 0.5),
    (burstiness.LOWEST_WINDOW, {"lowest": 2.0, "highest": 9.0}, 2),
    (burstiness.LOWEST_WINDOW, {"lowest": None, "highest": 9.0}, 9),
    (burstiness.CUTS, {"falls": 300.0}, 0.5),  # of three clients in 200 s
]


@pytest.mark.parametrize(("measure", "values", "found"), BURSTINESS)
def test_a_measure_of_burstiness(measure: Measure, values: dict[str, Any], found: float | None) -> None:
    row = Run(where={"variant": "Reno", "clients": 40}, seed=1, values=values)
    assert measure(row) == pytest.approx(found)


HETEROGENEOUS: list[tuple[Measure, dict[str, Any], float | None]] = [
    (heterogeneous.GOODPUT, {"added_goodput_packets": 4500.0}, 4.5),
    # five added clients are there for 199 s, 20 in the background for 200 s
    (heterogeneous.EACH, {"added_goodput_packets": 1990.0}, 2),
    (heterogeneous.BACKGROUND_EACH, {"background_goodput_packets": 8000.0}, 2),
    (heterogeneous.LOSS, {"added_drops": 1.0, "added_arrivals": 8.0}, 12.5),
    (heterogeneous.LOSS, {"added_drops": 0.0, "added_arrivals": 0.0}, None),
    (heterogeneous.BACKGROUND_LOSS, {"background_drops": 1.0, "background_arrivals": 4.0}, 25),
    (
        heterogeneous.ALL_LOSS,
        {"added_drops": 1.0, "added_arrivals": 8.0, "background_drops": 2.0, "background_arrivals": 4.0},
        25,
    ),
    (heterogeneous.ALL_CARRIED, {"added_departures": 1000.0, "background_departures": 2500.0}, 3.5),
    # a quarter of 40 waiting packets, for five clients
    (heterogeneous.HELD, {"queue_mean": 40.0, "added_departures": 1.0, "background_departures": 3.0}, 2),
    (heterogeneous.HELD, {"queue_mean": 40.0, "added_departures": 0.0, "background_departures": 3.0}, None),
]


@pytest.mark.parametrize(("measure", "values", "found"), HETEROGENEOUS)
def test_a_measure_of_two_kinds(measure: Measure, values: dict[str, Any], found: float | None) -> None:
    row = Run(where={"variant": "Reno", "background": 20, "clients": 5}, seed=1, values=values)
    assert measure(row) == pytest.approx(found)


def test_packets_of_table_2_are_counted() -> None:
    """60 and 30 packets arrive, of which 5 are lost on the last hop; 10 are dropped before, and 15 sent again."""
    table = pa.table({"link": ["B->y", "A->x", "B->y", "A->x"], "packets": [60, 40, 30, 41]})
    flow = SimpleNamespace(drops=10, retransmissions=15, timeouts=2)
    run: Any = SimpleNamespace(table=lambda _: table, summary=SimpleNamespace(groups={"flow": flow}))
    counts = selfsimilar.flow_counts(run, lost=5)
    assert counts == {"arrivals": 85, "drops": 15, "retransmissions": 15, "acks": 81, "timeouts": 2}
    assert selfsimilar.efficiency(counts) == pytest.approx(85 / 115)
    assert selfsimilar.flow_summary(run) == {
        "arrivals": 90, "drops": 10, "retransmissions": 15, "acks": 81, "timeouts": 2, "efficiency": 90 / 115,
    }  # fmt: skip
    assert selfsimilar.efficiency({"arrivals": 0, "drops": 0, "retransmissions": 0}) is None


def test_the_background_counts_from_two_seconds_on() -> None:
    """Bins of 10 ms have 40 packets of 1000 bytes for 2 s, then 20 and 10 by turns, for 7 s each.

    In 98 bins of 1 s, 13 of the 97 pairs of neighbours are on different sides of the mean.
    """
    counts = np.concatenate([np.full(200, 40), np.tile(np.repeat([20, 10], 700), 7)])
    run: Any = SimpleNamespace(table=lambda _: pa.table({"packets": counts}))
    found = selfsimilar.background_summary(run)
    assert found["load"] == pytest.approx((8000 + 98_000 + 49_000) * 8000 / (50e6 * 100))
    assert [found[f"cov_{scale}"] for scale in (0.01, 0.1, 1)] == pytest.approx([5 / 15] * 3)
    assert found["hurst_1"] == pytest.approx((1 + np.log2(1 + (84 - 13) / 98)) / 2)
    assert list(found) == ["load", *(f"{name}_{scale:g}" for name in ("cov", "hurst") for scale in selfsimilar.SCALES)]


def test_bins_that_are_not_whole_are_left_out() -> None:
    assert selfsimilar.binned(np.arange(8), 3).tolist() == [3, 12]
    assert selfsimilar.binned(np.arange(6), 3).tolist() == [3, 12]
