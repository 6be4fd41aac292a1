"""Throughput ratio of Reno flows with different round-trip times: the range given by Qiu, Zhang and Keshav."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import reals, refuse_unless_together

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["RttBiasBand", "rtt_bias_band"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RttBiasBand:
    """Expected range of the throughput ratio, first group over second.

    Parameters
    ----------
    low, high
        Ends of the range.

    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def rtt_bias_band(*, rtt_1: ArrayLike, rtt_2: ArrayLike) -> RttBiasBand:
    """Compute the range for the mean round-trip times of two groups of equal size; both arrays are broadcast.

    Parameters
    ----------
    rtt_1, rtt_2
        Mean round-trip time of each group, in seconds.

    Returns
    -------
    RttBiasBand
        Arrays of the arguments' broadcast shape.

    Raises
    ------
    ValueError
        A number is out of its range, or the shapes cannot be broadcast together; the message names the argument.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the Performance of Many TCP Flows", section 5.3, (A1): where RTT1 <= RTT2,
    (RTT2 / RTT1)^2 <= Thr1 / Thr2 <= 2 (RTT2 / RTT1)^2, and with the groups swapped if RTT1 > RTT2. By (A2) a window
    that grows from W to 2W in an epoch of E = W RTT sends 3W^2 / 2 packets, so Thr1 / Thr2 is (RTT2 / RTT1)^2 E1 / E2:
    the range therefore assumes that epochs of the group with the shorter round-trip time last one to two times as long
    as epochs of the other group.

    Examples
    --------
    >>> band = rtt_bias_band(rtt_1=[0.1, 0.2], rtt_2=[0.2, 0.1])
    >>> band.low.tolist(), band.high.tolist()
    ([4.0, 0.125], [8.0, 0.25])

    """
    rtt_1, rtt_2 = reals("rtt_1", rtt_1, above=0), reals("rtt_2", rtt_2, above=0)
    refuse_unless_together(rtt_1=rtt_1, rtt_2=rtt_2)
    square, near = (rtt_2 / rtt_1) ** 2, rtt_1 <= rtt_2
    return RttBiasBand(low=np.where(near, square, square / 2), high=np.where(near, 2 * square, square))
