"""Losses that belong together: of one flow within a round trip, and at one gateway in quick succession."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["loss_events", "loss_sequences"]


def loss_events(times: ArrayLike, flows: ArrayLike, within: float) -> NDArray[np.int64]:
    """Give how many packets each loss event of each flow took.

    Parameters
    ----------
    times
        When packets were lost, in seconds, in any order.
    flows
        The flow of each, as a number.
    within
        Losses of one flow up to this many seconds after the first of an event belong to it; a round-trip time.

    Returns
    -------
    numpy.ndarray
        The number of losses in each event, at least 1, by flow and then by time.

    Raises
    ------
    ValueError
        If there are not as many flows as times.

    Notes
    -----
    What a sender of TCP can learn of in one round trip: RFC 5348, section 5.2, counts the losses within one round trip
    of the first as one event.

    Examples
    --------
    >>> loss_events([0.0, 0.05, 0.1, 0.15, 0.05], [1, 1, 1, 1, 2], within=0.1).tolist()
    [3, 1, 1]

    """
    at, of = np.asarray(times, dtype=np.float64).ravel(), np.asarray(flows).ravel()
    if at.size != of.size:
        raise ValueError(f"flows: {of.size} of them are not allowed: must be as many as times ({at.size})")
    order = np.lexsort((at, of))
    firsts: list[int] = []
    flow, begin = None, 0.0
    for place, (time, whose) in enumerate(zip(at[order].tolist(), of[order].tolist(), strict=True)):
        if whose != flow or time - begin > within:
            firsts.append(place)
            flow, begin = whose, time
    return _sizes(firsts, at.size)


def loss_sequences(times: ArrayLike, gap: float) -> NDArray[np.int64]:
    """Give how many packets each sequence of losses at one place took.

    Parameters
    ----------
    times
        When packets were lost, in seconds, in any order.
    gap
        Losses up to this many seconds after the one before them are of the same sequence.

    Returns
    -------
    numpy.ndarray
        The number of losses in each sequence, at least 1, by time.

    Examples
    --------
    >>> loss_sequences([0.0, 0.25, 0.5, 1.0], gap=0.25).tolist()
    [3, 1]

    """
    at = np.sort(np.asarray(times, dtype=np.float64).ravel())
    firsts = np.flatnonzero(np.diff(at) > gap) + 1
    return _sizes([0, *firsts.tolist()] if at.size else [], at.size)


def _sizes(firsts: list[int], count: int) -> NDArray[np.int64]:
    """Give how many places lie from each first one to the next."""
    return np.array([after - before for before, after in pairwise([*firsts, count])], dtype=np.int64)
