"""Windows of many flows: sampled together, cut together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.correlation import dependence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["cut_dependence", "sampled_windows", "window_cuts"]

_FALL: Final = 0.15
"""The share of a window by which a sample must lie below the one before, to count as a cut."""


def sampled_windows(
    times: ArrayLike, flows: ArrayLike, windows: ArrayLike, *, interval: float, start: float = 0.0
) -> NDArray[np.float64]:
    """Sample the windows of some flows at the same instants.

    Parameters
    ----------
    times, flows, windows
        The columns ``time``, ``flow`` and ``cwnd`` of a run's table ``windows``, kept at each change or sampled.
    interval
        Seconds between two samples.
    start
        Seconds of the first sample.

    Returns
    -------
    numpy.ndarray
        A row a flow, in the order of their numbers, a column a sample, up to the last time: the last window known at
        that instant, the first one before there is any.

    Raises
    ------
    ValueError
        If the interval is not above 0, or the columns differ in length.

    Examples
    --------
    >>> sampled_windows([0.0, 0.1, 0.35, 0.2], [1, 1, 1, 7], [2.0, 4.0, 2.0, 9.0], interval=0.1).tolist()
    [[2.0, 4.0, 4.0, 4.0], [9.0, 9.0, 9.0, 9.0]]

    """
    at, of, window = np.asarray(times, dtype=np.float64), np.asarray(flows), np.asarray(windows, dtype=np.float64)
    if not interval > 0:
        raise ValueError(f"interval: {interval} is not allowed: must be above 0 s")
    if not at.shape == of.shape == window.shape or at.ndim != 1:
        raise ValueError("times, flows and windows are not allowed: must be columns of one length")
    if not at.size:
        return np.empty((0, 0))
    order = np.lexsort((at, of))
    at, window = at[order], window[order]
    firsts = np.unique(of[order], return_index=True)[1]
    slack = 1e-6 * interval  # a sample's own time may be off by a rounding
    instants = start + interval * np.arange(math.floor((float(at.max()) - start + slack) / interval) + 1) + slack
    rows = [
        window[first + np.maximum(np.searchsorted(at[first:end], instants, side="right") - 1, 0)]
        for first, end in zip(firsts, [*firsts[1:], at.size], strict=True)
    ]
    return np.stack(rows)


def window_cuts(windows: ArrayLike, *, most: float = math.inf) -> NDArray[np.bool_]:
    """Tell which windows were cut from one sample to the next.

    Parameters
    ----------
    windows
        Congestion windows in packets, a row a flow, a column a sample.
    most
        The advertised window: the effective one is never larger.

    Returns
    -------
    numpy.ndarray
        Whether the effective window fell by more than 15 %; a column less.

    Examples
    --------
    >>> window_cuts([[40.0, 20.0, 10.0], [10.0, 8.5, 8.0]], most=20).tolist()
    [[False, True], [False, False]]

    """
    window = np.minimum(np.asarray(windows, dtype=np.float64), most)
    return np.asarray(window[:, 1:] < (1 - _FALL) * window[:, :-1])


def cut_dependence(
    times: ArrayLike,
    flows: ArrayLike,
    windows: ArrayLike,
    *,
    interval: float,
    start: float = 0.0,
    most: float = math.inf,
) -> float:
    """Give how much more the number of flows that cut their windows at once varies than if they were independent.

    Parameters
    ----------
    times, flows, windows
        The columns ``time``, ``flow`` and ``cwnd`` of a run's table ``windows``, or those of some of its flows.
    interval
        Seconds that count as at once: a round-trip time.
    start
        Seconds from which on cuts count.
    most
        The advertised window, beyond which a cut has no effect.

    Returns
    -------
    float
        The index of `dependence`: 1 on average if cuts are independent, the number of flows if all always cut together.
        NaN if nobody cuts.

    Examples
    --------
    >>> times, flows = [0.0, 0.1, 0.2, 0.3] * 2, [0] * 4 + [1] * 4
    >>> cut_dependence(times, flows, [8.0, 4.0, 5.0, 6.0, 9.0, 4.5, 5.5, 6.5], interval=0.1)
    2.0

    """
    sampled = sampled_windows(times, flows, windows, interval=interval, start=start)
    return dependence(window_cuts(sampled, most=most))
