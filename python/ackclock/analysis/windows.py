"""Congestion windows of many flows: samples at common instants, and simultaneous cuts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.correlation import dependence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["cut_dependence", "sampled_windows", "window_cuts"]

_FALL: Final = 0.15
"""Smallest relative fall of the window between two samples that counts as a cut."""


def sampled_windows(
    times: ArrayLike, flows: ArrayLike, windows: ArrayLike, *, interval: float, start: float = 0.0
) -> NDArray[np.float64]:
    """Sample the windows of some flows at the same instants.

    Parameters
    ----------
    times, flows, windows
        The columns ``time``, ``flow`` and ``cwnd`` of a run's table ``windows``, recorded at each change or sampled.
    interval
        Time between two samples, in seconds.
    start
        Time of the first sample, in seconds.

    Returns
    -------
    numpy.ndarray
        One row per flow, in the order of flow numbers, and one column per sample, up to the last of the `times`. Each
        entry is the flow's window at that time, or its first window if there is none yet.

    Raises
    ------
    ValueError
        The interval is not above 0, or the columns differ in length.

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
    slack = 1e-6 * interval  # the time of a sample may have a rounding error
    instants = start + interval * np.arange(math.floor((float(at.max()) - start + slack) / interval) + 1) + slack
    rows = [
        window[first + np.maximum(np.searchsorted(at[first:end], instants, side="right") - 1, 0)]
        for first, end in zip(firsts, [*firsts[1:], at.size], strict=True)
    ]
    return np.stack(rows)


def window_cuts(windows: ArrayLike, *, most: float = math.inf) -> NDArray[np.bool_]:
    """Find the windows that were cut between consecutive samples.

    Parameters
    ----------
    windows
        Congestion windows in packets, one row per flow, one column per sample.
    most
        The advertised window in packets: the effective window is never larger.

    Returns
    -------
    numpy.ndarray
        Whether the effective window fell by more than 15 % since the previous sample; one column fewer than `windows`.

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
    """Compute the dependence index of flows that cut their windows simultaneously.

    Parameters
    ----------
    times, flows, windows
        The columns ``time``, ``flow`` and ``cwnd`` of a run's table ``windows``, for all or some of its flows.
    interval
        Time within which cuts count as simultaneous, in seconds: a round-trip time.
    start
        Time from which cuts count, in seconds.
    most
        The advertised window in packets; a cut counts only if the window falls below this limit.

    Returns
    -------
    float
        The index of `dependence`: 1 on average for independent cuts, the number of flows if all always cut together.
        NaN if no flow cuts.

    Examples
    --------
    >>> times, flows = [0.0, 0.1, 0.2, 0.3] * 2, [0] * 4 + [1] * 4
    >>> cut_dependence(times, flows, [8.0, 4.0, 5.0, 6.0, 9.0, 4.5, 5.5, 6.5], interval=0.1)
    2.0

    """
    sampled = sampled_windows(times, flows, windows, interval=interval, start=start)
    return dependence(window_cuts(sampled, most=most))
