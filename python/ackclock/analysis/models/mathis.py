"""The square-root law: throughput of a bulk flow without timeouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import reals, refuse_unless_together

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Mathis", "mathis"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mathis:
    """Throughput of a flow.

    Parameters
    ----------
    rate
        Packets per second.

    """

    rate: NDArray[np.float64]


def mathis(*, p: ArrayLike, rtt: ArrayLike, b: ArrayLike = 1.0) -> Mathis:
    """Evaluate sqrt(3 / 2bp) / RTT; all arguments are broadcast against each other.

    Parameters
    ----------
    p
        Share of packets lost; above 0 and below 1.
    rtt
        The round-trip time, in seconds.
    b
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.

    Returns
    -------
    Mathis
        An array of the arguments' broadcast shape.

    Raises
    ------
    ValueError
        A number is out of its range, or the shapes cannot be broadcast together; the message names the argument.

    Notes
    -----
    Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm" (Computer
    Communication Review 27(3), 1997), section 2: losses are equally spaced, one in every 1/p packets. Between two
    losses the window grows from W/2 to W, by one packet every b round trips, and the flow sends 3bW^2 / 8 = 1/p
    packets. The constant is sqrt(3/2) with an ACK for each packet and sqrt(3/4) with delayed ACKs. Timeouts and the
    advertised window are ignored.

    Examples
    --------
    >>> mathis(p=[0.0001, 0.01], rtt=0.1).rate.round(1).tolist()
    [1224.7, 122.5]

    """
    p, rtt, b = reals("p", p, above=0, below=1), reals("rtt", rtt, above=0), reals("b", b, low=1)
    refuse_unless_together(p=p, rtt=rtt, b=b)
    return Mathis(rate=np.asarray(np.sqrt(3 / (2 * b * p)) / rtt))
