"""Loss in a large pipe: the polynomials, the exact count, and a flow that loses exactly this share."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.models import large_pipe_loss

if TYPE_CHECKING:
    from collections.abc import Callable

    Note = Callable[[str, object], None]

SERVICE = 0.001
"""Seconds that the link takes for a packet."""


def by_the_sum(window: int, b: Fraction) -> Fraction:
    """Return S from the sum in the paper."""
    return b * sum(range((window + 1) // 2, window + 1)) + 2 * window + 1


def by_the_acks(window: int) -> int:
    """Return the number of ACKs that increase a window from half to one more than the pipe, by 1 / cwnd each."""
    cwnd, acks = float((window + 1) // 2), 0
    while cwnd < window + 1:
        cwnd, acks = cwnd + 1 / cwnd, acks + 1
    return acks


@pytest.mark.parametrize("b", [Fraction(1), Fraction(2), Fraction(3, 2)])
def test_exact_fractions(b: Fraction) -> None:
    windows = range(3, 200)
    losses = large_pipe_loss(window=list(windows), b=float(b))
    for at, window in enumerate(windows):
        printed, new = by_the_sum(window, b), (window + 1) // 2 - 1
        # The ACK that ends recovery covers the whole old window, but releases only one packet.
        counted = b * (by_the_acks(window) - 1) + 1 + 2 * window + 1
        assert losses.printed[at] == pytest.approx(float(1 / printed), rel=1e-15)
        assert losses.corrected[at] == pytest.approx(float(1 / (printed + new)), rel=1e-15)
        assert losses.counted[at] == pytest.approx(float(1 / counted), rel=1e-15)


def test_without_delayed_acks_they_are_polynomials() -> None:
    odd, even = np.arange(3.0, 400, 2), np.arange(4.0, 400, 2)
    for w, printed, corrected in (
        (odd, 3 * odd**2 + 20 * odd + 9, 3 * odd**2 + 24 * odd + 5),
        (even, 3 * even**2 + 22 * even + 8, 3 * even**2 + 26 * even),
    ):
        losses = large_pipe_loss(window=w)
        np.testing.assert_allclose(losses.printed, 8 / printed, rtol=1e-14)
        np.testing.assert_allclose(losses.corrected, 8 / corrected, rtol=1e-14)
    for start, coefficients in ((3, (22, 11)), (4, (24, 16)), (5, (22, 15)), (6, (24, 12))):
        w = np.arange(start, 400.0, 4)
        counted = 3 * w**2 + coefficients[0] * w + coefficients[1]
        np.testing.assert_allclose(large_pipe_loss(window=w).counted, 8 / counted, rtol=1e-14)


def test_smooth() -> None:
    w = np.linspace(3, 50, 95)
    losses = large_pipe_loss(window=w, smooth=True)
    np.testing.assert_allclose(losses.printed, 8 / (3 * w**2 + 21 * w + 8), rtol=1e-14)
    np.testing.assert_allclose(losses.corrected, 8 / (3 * w**2 + 25 * w + 4), rtol=1e-14)
    np.testing.assert_allclose(losses.counted, 8 / (3 * w**2 + 23 * w + 13.5), rtol=1e-14)
    # The inverse loss of the smooth form differs from the exact one by at most b (W / 8 + 1).
    whole = np.arange(3, 100)
    for b in (1, 2):
        smooth, exact = large_pipe_loss(window=whole, b=b, smooth=True), large_pipe_loss(window=whole, b=b)
        for law in ("printed", "corrected", "counted"):
            gap = np.abs(1 / getattr(smooth, law) - 1 / getattr(exact, law))
            assert (gap <= b * (whole / 8 + 1)).all(), law


def packets_an_epoch(window: int, *, delayed_ack: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the packets that one Reno flow sends between losses, if buffer and link hold a given window.

    The link never idles, so between two drops it sends a packet each service time; the dropped one comes on top.
    """
    tcp = ac.Tcp(
        "reno",
        max_window=10**5,
        delayed_ack=delayed_ack,
        initial_window=1,
        limited_transmit=False,
        decrease_from="whole_window",
    )
    scenario = ac.Scenario(
        profile="ns2-2.35",
        duration="30 s",
        packet_size=1000,
        measure=ac.Measure(from_="10 s", link="a->b", bin="1 s"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="8 Mbps", delay="1 us", queue=ac.DropTail(packets=window))],
        flows=[ac.Flow(from_="a", to="b", transport=tcp, source=ac.Greedy())],
    )
    run = ac.simulate(scenario, record=["drops"])
    assert run.summary.utilization == pytest.approx(1, abs=1e-9)
    assert run.summary.timeouts == 0
    drops = np.array(run.table("drops")["time"].to_pylist())
    return np.diff(drops[drops > 10]) / SERVICE + 1


def test_a_flow_with_a_window_of_five_loses_one_in_25(record_property: Note) -> None:
    """A deterministic run of one Reno flow in a pipe of five packets.

    Validates: the corrected law and the exact count at W = 5; the printed law gives 1/23.
    Source: Qiu, Zhang and Keshav, section 5.1.1, with the number of packets that Reno sends in an epoch; ns-2.35 with
        the defaults of 1999 gives 0.040000.
    Tolerance: exact, in every epoch.
    """
    epochs = packets_an_epoch(5, delayed_ack=False)
    record_property("measured", f"{len(epochs)} epochs of {epochs.min():.6f} to {epochs.max():.6f} packets")
    assert len(epochs) > 700
    np.testing.assert_allclose(epochs, 25, atol=1e-6)
    losses = large_pipe_loss(window=5)
    assert float(losses.corrected) == float(losses.counted) == 1 / 25
    assert float(losses.printed) == 1 / 23


# ns-2.35 with the defaults of 1999: one flow over a link of 1.6 Mbps, packets of 500 bytes, a buffer of W packets and
# 0.001 ms; arrivals over drops from 200 s to 2000 s, where whole epochs make it this number.
NS2 = {4: 20, 5: 25, 6: 33, 7: 39, 8: 50, 9: 57, 11: 77, 13: 101, 15: 127, 20: 212}


@pytest.mark.parametrize("window", NS2)
def test_a_flow_loses_what_is_counted(window: int, record_property: Note) -> None:
    """At other windows, the three formulas give different losses.

    Validates: the exact count, in ns-2 and here.
    Source: as above.
    Tolerance: exact, in every epoch.
    """
    epochs = packets_an_epoch(window, delayed_ack=False)
    losses = large_pipe_loss(window=window)
    record_property("measured", f"{epochs.mean():.6f} packets an epoch, corrected {1 / float(losses.corrected):g}")
    np.testing.assert_allclose(epochs, NS2[window], atol=1e-6)
    assert 1 / float(losses.counted) == pytest.approx(NS2[window], rel=1e-14)


@pytest.mark.parametrize("window", [5, 6, 7, 8, 9, 12, 13, 16, 20])
def test_a_flow_with_delayed_acks_loses_what_is_counted(window: int, record_property: Note) -> None:
    """The receiver acknowledges every second packet: b = 2.

    Validates: the parameter b of the exact count.
    Source: as above.
    Tolerance: the mean within half a packet, since an epoch may begin with either of the two packets of an ACK.
    """
    epochs = packets_an_epoch(window, delayed_ack=True)
    counted = 1 / float(large_pipe_loss(window=window, b=2).counted)
    record_property("measured", f"{epochs.mean():.4f} packets an epoch for {counted:g} at W = {window}")
    assert epochs.mean() == pytest.approx(counted, abs=0.5)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [("window", 2, "at least 3"), ("window", 4.5, "a whole number, unless smooth"), ("b", 0, "at least 1")],
)
def test_refuses_what_makes_no_sense(name: str, value: object, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed: must be {allowed}"):
        large_pipe_loss(**dict[str, Any]({"window": 5} | {name: value}))
