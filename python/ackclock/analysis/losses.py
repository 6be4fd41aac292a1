"""Groups losses: into loss events of one flow, and into sequences of losses at one gateway."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["loss_events", "loss_sequences"]


def loss_events(times: ArrayLike, flows: ArrayLike, within: float) -> NDArray[np.int64]:
    """Count the packets lost in each loss event of each flow.

    Parameters
    ----------
    times
        Times of the losses, in seconds, in any order.
    flows
        Flow number of each loss.
    within
        Duration of a loss event, in seconds: an event contains a flow's losses up to this time after the first loss of
        the event. Use a round-trip time.

    Returns
    -------
    numpy.ndarray
        The number of losses in each event, at least 1, ordered by flow and then by time.

    Raises
    ------
    ValueError
        The arrays differ in length.

    Notes
    -----
    RFC 5348, section 5.2, counts all losses within one round-trip time of the first loss as one event, since the sender
    learns of them together.

    Examples
    --------
    >>> loss_events([0.0, 0.05, 0.1, 0.15, 0.05], [1, 1, 1, 1, 2], within=0.1).tolist()
    [3, 1, 1]

    """
    at, of = np.asarray(times, dtype=np.float64).ravel(), np.asarray(flows).ravel()
    if at.size != of.size:
        raise ValueError(f"flows: {of.size} values are not allowed: must be as many as times ({at.size})")
    order = np.lexsort((at, of))
    firsts: list[int] = []
    flow, begin = None, 0.0
    for place, (time, whose) in enumerate(zip(at[order].tolist(), of[order].tolist(), strict=True)):
        if whose != flow or time - begin > within:
            firsts.append(place)
            flow, begin = whose, time
    return _sizes(firsts, at.size)


def loss_sequences(times: ArrayLike, gap: float) -> NDArray[np.int64]:
    """Count the packets lost in each sequence of losses at one gateway.

    Parameters
    ----------
    times
        Times of the losses, in seconds, in any order.
    gap
        Longest time between consecutive losses of a sequence, in seconds.

    Returns
    -------
    numpy.ndarray
        The number of losses in each sequence, at least 1, in time order.

    Examples
    --------
    >>> loss_sequences([0.0, 0.25, 0.5, 1.0], gap=0.25).tolist()
    [3, 1]

    """
    at = np.sort(np.asarray(times, dtype=np.float64).ravel())
    firsts = np.flatnonzero(np.diff(at) > gap) + 1
    return _sizes([0, *firsts.tolist()] if at.size else [], at.size)


def _sizes(firsts: list[int], count: int) -> NDArray[np.int64]:
    """Compute the size of each group from the index of its first loss."""
    return np.array([after - before for before, after in pairwise([*firsts, count])], dtype=np.int64)
