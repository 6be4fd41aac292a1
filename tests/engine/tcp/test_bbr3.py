"""BBR version 3 on a link of 10 Mb/s with a round trip of 80 ms: a bandwidth-delay product (BDP) of 66.7 packets."""

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


run = partial(greedy.run, max_window=4000, delayed_ack=False)


def table(done: ac.Run, name: str) -> pd.DataFrame:
    return done.table(name).to_pandas()


@pytest.mark.parametrize("buffer", [0.25, 0.5, 1.0, 4.0])
def test_one_flow_uses_the_link(buffer: float, record_property: Note) -> None:
    """One flow in buffers of a quarter to four bandwidth-delay products.

    Validates: one flow uses at least 94 % of the link: the margin of the rate costs 1 %, and a probe for the minimum
        round-trip time, half a window for 280 ms in 5.28 s, 2.65 %.
    Source: draft-ietf-ccwg-bbr, sections 5.3.4.2 and 5.6.2.
    Tolerance: at least 0.94, in 60 s with the start.
    """
    summary = run("bbr3", buffer=buffer).summary
    record_property("measured", f"{summary.utilization:.3f}")
    assert summary.utilization >= 0.94


@pytest.mark.parametrize("buffer", [0.1, 0.25])
def test_shallow_buffers_lose_far_less_than_with_version_1(buffer: float, record_property: Note) -> None:
    """One flow of each version in a shallow buffer, after startup.

    Validates: version 3 drops less than a fifth of the packets that version 1 drops, and less than its threshold of
        2 %.
    Source: draft-ietf-ccwg-bbr, section 3.2: an average loss rate considerably lower than 2 %.
    Tolerance: the bounds, from 10 s to 60 s.
    """
    first, third = (run(variant, buffer=buffer, since=10).summary.loss or 0.0 for variant in ("bbr", "bbr3"))
    record_property("measured", f"{first:.4f} and {third:.4f}")
    assert third < first / 5
    assert third < 0.02


def test_the_bound_leaves_headroom_in_a_shallow_buffer(record_property: Note) -> None:
    """The window of one flow in a buffer of half a bandwidth-delay product.

    Validates: after the first probe that lost packets, the window stays within 1/0.98 of the pipe and the buffer, 1.5
        products, where losses cross 2 %, and what the bound grows in a probe; in cruise it is at most 0.85 of that.
    Source: draft-ietf-ccwg-bbr, section 5.6.1 (volume cap) and 5.3.3.6 (`InflightWithHeadroom`).
    Tolerance: 10 % of pipe and buffer for the largest, 5 % for the median over time.
    """
    windows = table(run("bbr3", buffer=0.5, record=("windows@0/10ms",)), "windows")
    late = windows[windows["time"] > 20]["cwnd"] / (1.5 * BDP)
    record_property("measured", f"largest {late.max():.2f}, median {late.median():.2f} of pipe and buffer")
    assert late.max() <= 1.1
    assert late.median() <= 0.85 * 1.05


def test_the_minimum_round_trip_time_is_probed_every_five_seconds(record_property: Note) -> None:
    """Probes in a minute.

    Validates: the window is at most half a product for 200 ms and a round trip, once in 5 s and the time that a probe
        takes.
    Source: draft-ietf-ccwg-bbr, section 5.3.4: ProbeRTTCwndGain, ProbeRTTDuration and ProbeRTTInterval.
    Tolerance: 0.2 to 0.5 s long; 5.0 to 5.7 s from one to the next.
    """
    windows = table(run("bbr3", record=("windows@0/10ms",)), "windows")
    small = windows[(windows["cwnd"] <= 0.55 * BDP) & (windows["time"] > 1.5)]["time"].to_list()
    starts = [time for before, time in zip([0.0, *small], small, strict=False) if time - before > 1]
    lengths = [max(time for time in small if time - start < 1) - start for start in starts]
    gaps = [later - start for start, later in itertools.pairwise(starts)]
    record_property("measured", f"{max(lengths):.2f} s, every {min(gaps):.2f} to {max(gaps):.2f} s")
    assert 9 <= len(starts) <= 12
    assert all(0.2 <= length <= 0.5 for length in lengths)
    assert all(5.0 <= gap <= 5.7 for gap in gaps)


def test_random_losses_of_one_percent_do_not_matter(record_property: Note) -> None:
    """Random losses of 1 %, and of 5 %.

    Validates: at 1 % one flow delivers at least 80 % of what losses leave of the link, as a probe restores the rate
        that 63 lossy round trips take; at 5 %, above the threshold, less than version 1.
    Source: draft-ietf-ccwg-bbr, section 5.3.3.5.3: (1 - 0.01)^63 = 0.53 at the end of a cycle without a floor, and a
        design that tolerates 1 % loss.
    Tolerance: the bounds.
    """
    share = {
        (variant, loss): run(variant, loss=loss).summary.throughput_bps / (10e6 * (1 - loss))
        for variant, loss in (("bbr3", 0.01), ("bbr3", 0.05), ("bbr", 0.05))
    }
    record_property("measured", f"{share}")
    assert share["bbr3", 0.01] >= 0.8
    assert share["bbr3", 0.05] < share["bbr", 0.05]


def test_two_flows_keep_a_shorter_queue_and_share(record_property: Note) -> None:
    """Two flows in a deep buffer.

    Validates: the queue is at most 1.5 products, as the window is at most two bandwidth-delay products of each flow,
        and each gets at least a quarter of the link.
    Source: draft-ietf-ccwg-bbr, section 5.6.4.2; Hock, Bless and Zitterbart (ICNP 2017), section IV, for version 1.
    Tolerance: the bounds, from 20 s on.
    """
    done = run("bbr3", "bbr3", buffer=8.0, since=20, record=("queue@bottleneck/50ms",))
    mean = table(done, "queue").query("time > 20")["packets"].mean() / BDP
    least = min(group.goodput_bps for group in done.groups) / 10e6
    record_property("measured", f"{mean:.2f} products, least share {least:.2f}")
    assert mean <= 1.5
    assert least >= 0.25
