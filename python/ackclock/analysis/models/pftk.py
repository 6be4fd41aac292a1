"""Send rate of a bulk TCP Reno flow: the PFTK formulas of Padhye, Firoiu, Towsley and Kurose.

For the limits of the formulas and their differences, see docs/models/pftk.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import reals, refuse_unless_together

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = ["Pftk", "backoff_cost", "pftk", "timeout_share", "window_and_rounds"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pftk:
    """Send rate of a flow, including retransmissions, in packets per second.

    Parameters
    ----------
    approximate
        Rate by the approximate formula, which Qiu, Zhang and Keshav print.
    full
        Rate by the full formula.

    """

    approximate: Reals
    full: Reals


def pftk(
    *,
    p: ArrayLike,
    rtt: ArrayLike,
    t0: ArrayLike,
    b: ArrayLike = 1.0,
    w_max: ArrayLike = math.inf,
) -> Pftk:
    """Evaluate both formulas; all arguments are broadcast against each other.

    Parameters
    ----------
    p
        Loss probability of a packet, given that no earlier packet of its round was lost; above 0 and below 1.
    rtt
        Mean round-trip time, in seconds.
    t0
        Mean length of a timeout without backoff, in seconds.
    b
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.
    w_max
        Advertised window, in packets (default: no limit).

    Returns
    -------
    Pftk
        Arrays of the arguments' broadcast shape.

    Raises
    ------
    ValueError
        A number is out of its range, or the shapes cannot be broadcast together; the message names the argument.

    Notes
    -----
    Padhye, Firoiu, Towsley and Kurose, "Modeling TCP Reno Performance: A Simple Model and Its Empirical Validation"
    (IEEE/ACM Transactions on Networking 8(2), 2000): the full model is equation (32), the approximate model equation
    (33). With E[W] = (2 + b) / 3b + sqrt(8 (1 - p) / 3bp + ((2 + b) / 3b)^2), the mean window at a loss if the
    advertised window sets no limit, and W = min(E[W], Wmax), equation (32) is

        ((1 - p) / p + W + Q(W) / (1 - p)) / (RTT (X + 1) + Q(W) T0 f(p) / (1 - p))

    with X = bW / 2 rounds where E[W] < Wmax, and X = bWmax / 8 + (1 - p) / (p Wmax) + 1 otherwise.

    Examples
    --------
    >>> rates = pftk(p=[0.001, 0.02], rtt=0.2, t0=1.0, w_max=20)
    >>> rates.approximate.round(2).tolist(), rates.full.round(2).tolist()
    ([100.0, 35.27], [92.28, 34.96])

    """
    p = reals("p", p, above=0, below=1)
    rtt, t0 = reals("rtt", rtt, above=0), reals("t0", t0, above=0)
    b, w_max = reals("b", b, low=1), reals("w_max", w_max, low=1, endless=True)
    refuse_unless_together(p=p, rtt=rtt, t0=t0, b=b, w_max=w_max)

    timeouts = np.minimum(1, 3 * np.sqrt(3 * b * p / 8)) * p * (1 + 32 * p * p)
    approximate = np.minimum(w_max / rtt, 1 / (rtt * np.sqrt(2 * b * p / 3) + t0 * timeouts))

    window, rounds = window_and_rounds(p, b, w_max)
    share = timeout_share(p, window)
    sent = (1 - p) / p + window + share / (1 - p)
    return Pftk(
        approximate=np.asarray(approximate),
        full=np.asarray(sent / (rtt * (rounds + 1) + share * t0 * backoff_cost(p))),
    )


def window_and_rounds(p: Reals, b: Reals, w_max: Reals) -> tuple[Reals, Reals]:
    """Compute the mean window at a loss, in packets, and X, the mean number of round trips before the loss."""
    shift = (2 + b) / (3 * b)
    free = shift + np.sqrt(8 * (1 - p) / (3 * b * p) + shift * shift)
    window = np.minimum(free, w_max)
    limited = b / 8 * window + (1 - p) / (p * window) + 1
    return np.asarray(window), np.where(free < w_max, b / 2 * window, limited)


def timeout_share(p: Reals, window: Reals) -> Reals:
    """Compute Q: the share of loss indications that are timeouts, for a window in packets at the loss.

    The paper prints (1 - (1-p)^3) (1 + (1-p)^3 (1 - (1-p)^(w-3))) / (1 - (1-p)^w). The second factor equals the
    denominator plus (1-p)^3; this form avoids a difference of nearly equal numbers.
    """
    log = np.log1p(-p)
    return np.asarray(np.minimum(1, -np.expm1(3 * log) * (1 - np.exp(3 * log) / np.expm1(window * log))))


def backoff_cost(p: Reals) -> Reals:
    """Compute f(p) / (1 - p): the mean length of a sequence of timeouts, in multiples of the first."""
    return np.asarray(np.polynomial.polynomial.polyval(p, [1, 1, 2, 4, 8, 16, 32]) / (1 - p))
