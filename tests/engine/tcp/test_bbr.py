"""BBR on a link of 10 Mb/s with a round trip of 80 ms: a bandwidth-delay product (BDP) of 66.7 packets."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.engine.tcp import greedy
from tests.engine.tcp.greedy import BDP

if TYPE_CHECKING:
    import pandas as pd

    import ackclock as ac

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""

HIGH_GAIN = 739 / 256


run = partial(greedy.run, max_window=4000, delayed_ack=False)


def table(done: ac.Run, name: str) -> pd.DataFrame:
    return done.table(name).to_pandas()


@pytest.mark.parametrize("buffer", [0.25, 0.5, 1.0, 4.0])
def test_one_flow_uses_the_link(buffer: float, record_property: Note) -> None:
    """One flow in buffers of a quarter to four bandwidth-delay products.

    Validates: one BBR flow uses at least 95 % of the link: the margin of the rate costs 1 %, and a probe for the
        minimum round-trip time 2.63 %.
    Source: Cardwell et al., "BBR: Congestion-Based Congestion Control" (ACM Queue 14(5), 2016).
    Tolerance: at least 0.95, in 60 s with the start.
    """
    summary = run("bbr", buffer=buffer).summary
    record_property("measured", f"{summary.utilization:.3f}")
    assert summary.utilization >= 0.95


def test_startup_fills_the_queue_once_and_drains_it(record_property: Note) -> None:
    """The first two seconds in a deep buffer.

    Validates: startup ends with a flight of 2.89 products, so that 1.89 products wait at the bottleneck, and drain
        leaves at most 0.3.
    Source: Cardwell et al. 2016; Linux, ``bbr_high_gain``.
    Tolerance: 10 %.
    """
    queue = table(run("bbr", duration=5, record=("queue@bottleneck/5ms",)), "queue")
    peak = queue[queue["time"] < 2]["packets"].max()
    emptied = queue[(queue["time"] > 1.2) & (queue["time"] < 2.5)]["packets"].min()
    record_property("measured", f"peak {peak / BDP:.2f} products, then {emptied / BDP:.2f}")
    assert peak == pytest.approx((HIGH_GAIN - 1) * BDP, rel=0.1)
    assert emptied < 0.3 * BDP


def test_the_minimum_round_trip_time_is_probed_every_ten_seconds(record_property: Note) -> None:
    """Probes in a minute.

    Validates: the window is four packets for 200 ms and a round trip, once in 10 s and the time that a probe takes.
    Source: Cardwell et al. 2016; Linux, ``bbr_min_rtt_win_sec`` and ``bbr_probe_rtt_mode_ms``.
    Tolerance: 0.25 to 0.45 s long; 10.0 to 10.6 s from one to the next.
    """
    windows = table(run("bbr", record=("windows@0/10ms",)), "windows")
    small = windows[(windows["cwnd"] <= 4) & (windows["time"] > 1.5)]["time"].to_list()
    starts = [time for before, time in zip([0.0, *small], small, strict=False) if time - before > 1]
    lengths = [max(time for time in small if time - start < 1) - start for start in starts]
    gaps = [later - start for start, later in itertools.pairwise(starts)]
    record_property("measured", f"{max(lengths):.2f} s, every {min(gaps):.2f} to {max(gaps):.2f} s")
    assert len(starts) == 5
    assert all(0.25 <= length <= 0.45 for length in lengths)
    assert all(10.0 <= gap <= 10.6 for gap in gaps)


@pytest.mark.parametrize("loss", [0.01, 0.05])
def test_random_losses_do_not_matter(loss: float, record_property: Note) -> None:
    """Random losses, for BBR and CUBIC.

    Validates: BBR delivers at least 90 % of what losses leave of the link, CUBIC less than a third of it.
    Source: Cardwell et al. 2016, figure 8.
    Tolerance: the bounds.
    """
    shares = {
        variant: run(variant, loss=loss).summary.throughput_bps / (10e6 * (1 - loss)) for variant in ("bbr", "cubic")
    }
    record_property("measured", f"{shares}")
    assert shares["bbr"] >= 0.9
    assert shares["cubic"] < 1 / 3


def test_two_flows_keep_a_queue(record_property: Note) -> None:
    """Two flows in a deep buffer.

    Validates: the windows of two BBR flows limit them to about two bandwidth-delay products in all, so that a queue of
        0.5 to 1.5 products stands, and each gets at least a quarter of the link.
    Source: Hock, Bless and Zitterbart, "Experimental Evaluation of BBR Congestion Control" (ICNP 2017), section IV.
    Tolerance: the bounds.
    """
    done = run("bbr", "bbr", buffer=8.0, record=("queue@bottleneck/50ms",))
    queue = table(done, "queue")
    mean = queue[queue["time"] > 20]["packets"].mean() / BDP
    least = min(group.goodput_bps for group in done.groups) / 10e6
    record_property("measured", f"{mean:.2f} products, least share {least:.2f}")
    assert 0.5 <= mean <= 1.5
    assert least >= 0.25


def test_the_rate_of_a_law_paces_only_laws_that_have_one() -> None:
    """`pacing = "law"` changes nothing for CUBIC; without pacing, BBR's packets leave in bursts that lose packets."""
    plain, asked = (run("cubic", duration=10, pacing=pacing).summary for pacing in ("off", "law"))
    assert plain == asked
    paced, unpaced = (run("bbr", buffer=0.25, duration=10, pacing=pacing).summary for pacing in ("law", "off"))
    assert unpaced.drops > 2 * paced.drops
