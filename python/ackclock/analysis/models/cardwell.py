"""How long a short flow takes, by Cardwell, Savage and Anderson: slow start, its loss, and the rest at PFTK's pace.

Its equations one by one, and what they leave out: docs/models/pftk.md.
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
    """Expected times of a transfer, in seconds, and how far slow start gets.

    Parameters
    ----------
    latency
        From the first packet sent to the last acknowledged: the sum of the next four.
    slow_start
        In slow start.
    first_loss
        For the loss that ends it, if there is one: a timeout or a fast recovery.
    congestion_avoidance
        For the packets after that.
    delayed_ack
        For the ACK of the first packet, if it is delayed.
    slow_start_packets
        How many packets slow start sends.
    slow_start_window
        The window it reaches, in packets.

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
    """Evaluate the model for transfers of some packets; all arguments broadcast against each other.

    Parameters
    ----------
    packets
        How many packets are sent (d).
    p
        Probability that one is lost; from 0 and below 1.
    rtt
        Mean round-trip time, in seconds.
    t0
        Mean length of a timeout that is not backed off, in seconds.
    b
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.
    initial_window
        The first window, in packets (w1).
    w_max
        The advertised window, in packets, no less than the first; by default there is none.
    delayed_ack
        How long the ACK of the first packet is held back, in seconds, on average. The paper has 0.1 for a heartbeat of
        200 ms and an initial window of 1; where each packet is acknowledged at once there is no such wait.

    Returns
    -------
    Cardwell
        Arrays of the arguments' common shape.

    Raises
    ------
    ValueError
        If a number is out of its range, or the shapes do not go together; the message names it.

    Notes
    -----
    Cardwell, Savage and Anderson, "Modeling TCP Latency" (INFOCOM 2000), equations (5), (11), (15) to (25); the
    handshake's, (4), is not in it. Two limits are put on the expectations, which the paper leaves to its reader: slow
    start sends at most all packets (5 counts one more, the lost one, even if there is none), and the window at its
    loss is at most the advertised one.

    Examples
    --------
    Ten packets without a loss take four windows of 1, 2, 4 and 8; spread evenly over the last, 3.46 round trips.

    >>> told = cardwell(packets=10, p=[0, 0.05], rtt=0.1, t0=1)
    >>> told.latency.round(3).tolist(), told.first_loss.round(3).tolist()
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
        raise ValueError(f"w_max: {w_max[first > w_max][0]} is not allowed: must be from the initial window")

    # Without losses nothing that has this probability in it counts.
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
