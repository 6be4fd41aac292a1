"""How two groups of Reno flows share a bottleneck if their round trips differ: the band of Qiu, Zhang and Keshav."""

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
    """Where the ratio of throughputs, first group over second, is to lie.

    Parameters
    ----------
    low, high
        Its least and its greatest value.

    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def rtt_bias_band(*, rtt_1: ArrayLike, rtt_2: ArrayLike) -> RttBiasBand:
    """Give the band for the mean round trips of two groups of equal size; both arrays broadcast.

    Parameters
    ----------
    rtt_1, rtt_2
        Mean round-trip time of each group, in seconds.

    Returns
    -------
    RttBiasBand
        Arrays of the arguments' common shape.

    Raises
    ------
    ValueError
        If a number is out of its range, or the shapes do not go together; the message names it.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the Performance of Many TCP Flows", section 5.3, (A1): where RTT1 <= RTT2,
    (RTT2 / RTT1)^2 <= Thr1 / Thr2 <= 2 (RTT2 / RTT1)^2, and with the groups swapped otherwise. By (A2) a window
    that grows from W to 2W in an epoch of E = W RTT sends 3W^2 / 2 packets, so Thr1 / Thr2 is (RTT2 / RTT1)^2 E1 / E2:
    the band says that the nearer group's epochs are as long as the farther one's, or up to twice as long.

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
