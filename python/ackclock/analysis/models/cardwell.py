"""Latency of short flows by Cardwell, Savage and Anderson: slow start, the first loss, then the PFTK rate.

For the equations and their limits, see docs/models/pftk.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import reals, refuse_unless_together
from ackclock.analysis.models.pftk import backoff_cost, timeout_share, window_and_rounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = ["Cardwell", "cardwell"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cardwell:
    """Expected duration of a transfer and of its phases, in seconds, and the extent of slow start.

    Parameters
    ----------
    latency
        Time from sending the first packet to the ACK of the last packet: the sum of the next four fields.
    slow_start
        Time in slow start.
    first_loss
        Expected time for the loss that ends slow start: a timeout or a fast recovery.
    congestion_avoidance
        Time for the remaining packets.
    delayed_ack
        Time for which the ACK of the first packet is delayed.
    slow_start_packets
        Number of packets sent in slow start.
    slow_start_window
        Window at the end of slow start, in packets.

    """

    latency: Reals
    slow_start: Reals
    first_loss: Reals
    congestion_avoidance: Reals
    delayed_ack: Reals
    slow_start_packets: Reals
    slow_start_window: Reals


def cardwell(
    *,
    packets: ArrayLike,
    p: ArrayLike,
    rtt: ArrayLike,
    t0: ArrayLike,
    b: ArrayLike = 1.0,
    initial_window: ArrayLike = 1.0,
    w_max: ArrayLike = math.inf,
    delayed_ack: ArrayLike = 0.0,
) -> Cardwell:
    """Evaluate the model; all arguments are broadcast against each other.

    Parameters
    ----------
    packets
        Number of packets to send (d).
    p
        Loss probability of a packet; at least 0 and below 1.
    rtt
        Mean round-trip time, in seconds.
    t0
        Mean length of a timeout without backoff, in seconds.
    b
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.
    initial_window
        The first window, in packets (w1).
    w_max
        Advertised window, in packets, at least `initial_window` (default: no limit).
    delayed_ack
        Mean delay of the ACK of the first packet, in seconds. The paper uses 0.1 for a delayed-ACK timer of 200 ms and
        an initial window of 1. Use 0 if each packet is acknowledged at once.

    Returns
    -------
    Cardwell
        Arrays of the arguments' broadcast shape.

    Raises
    ------
    ValueError
        A number is out of its range, or the shapes cannot be broadcast together; the message names the argument.

    Notes
    -----
    Cardwell, Savage and Anderson, "Modeling TCP Latency" (INFOCOM 2000), equations (5), (11), (15) to (25); equation
    (4), for the handshake, is not included. Two limits that the paper does not state are added: slow start sends at
    most `packets` packets (equation (5) always counts a lost packet in addition), and the window at the loss is at most
    the advertised window.

    Examples
    --------
    Ten packets without a loss take windows of 1, 2, 4 and part of 8: 3.46 round trips with a fractional last window.

    >>> predicted = cardwell(packets=10, p=[0, 0.05], rtt=0.1, t0=1)
    >>> predicted.latency.round(3).tolist(), predicted.first_loss.round(3).tolist()
    ([0.346, 0.714], [0.0, 0.325])

    """
    packets, p = reals("packets", packets, low=1), reals("p", p, low=0, below=1)
    rtt, t0 = reals("rtt", rtt, above=0), reals("t0", t0, above=0)
    b, first = reals("b", b, low=1), reals("initial_window", initial_window, low=1)
    w_max, wait = reals("w_max", w_max, low=1, endless=True), reals("delayed_ack", delayed_ack, low=0)
    refuse_unless_together(
        packets=packets, p=p, rtt=rtt, t0=t0, b=b, initial_window=first, w_max=w_max, delayed_ack=wait
    )
    packets, p, rtt, t0, b, first, w_max, wait = np.broadcast_arrays(packets, p, rtt, t0, b, first, w_max, wait)
    if (first > w_max).any():
        raise ValueError(f"w_max: {w_max[first > w_max][0]} is not allowed: must be at least the initial window")

    # Placeholder for p = 0: every term that uses it is then 0 or not selected.
    some = np.where(p > 0, p, 0.5)
    lossy = np.where(p > 0, -np.expm1(packets * np.log1p(-some)), 0)  # (16)
    sent = np.where(p > 0, np.minimum(lossy * (1 - p) / some + 1, packets), packets)  # (5)
    gamma = 1 + 1 / b
    reached = (sent / b + first) / gamma  # (11)
    rounds = np.where(
        reached > w_max,
        np.log(np.minimum(w_max, reached) / first) / np.log1p(1 / b)
        + 1
        + (sent - b * (gamma * np.minimum(w_max, reached) - first)) / w_max,
        np.log1p(sent / (b * first)) / np.log1p(1 / b),
    )  # (15)

    window = np.minimum(reached, w_max)
    share = timeout_share(some, window)  # (17)
    recovery = lossy * (share * t0 * backoff_cost(some) + (1 - share) * rtt)  # (18) to (20)

    window_later, rounds_later = window_and_rounds(some, b, w_max)  # (23)
    share_later = timeout_share(some, window_later)
    received = (1 - some) / some + window_later / 2 + share_later
    pace = received / (rtt * (rounds_later + 1) + share_later * t0 * backoff_cost(some))  # (22)
    rest = (packets - sent) / pace  # (21), (24)
    return Cardwell(
        latency=np.asarray(rtt * rounds + recovery + rest + wait),  # (25)
        slow_start=np.asarray(rtt * rounds),
        first_loss=np.asarray(recovery),
        congestion_avoidance=np.asarray(rest),
        delayed_ack=wait.copy(),
        slow_start_packets=np.asarray(sent),
        slow_start_window=np.asarray(window),
    )
