"""Fairness of the rates of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["jain_index"]


def jain_index(rates: ArrayLike, active: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return Jain's index at each time: ``(sum x)^2 / (n sum x^2)`` (Jain, Chiu and Hawe, DEC-TR-301, 1984).

    It is 1 if all flows have the same rate, and ``1/n`` if one of ``n`` flows has everything.

    Parameters
    ----------
    rates
        A row for each flow, a column for each time.
    active
        Which flows count at which time (default: all).

    Returns
    -------
    numpy.ndarray
        The index at each time; NaN where fewer than two flows count, or all have nothing.

    Examples
    --------
    >>> jain_index([[1, 3, 8, 1], [1, 1, 0, 0]]).tolist()
    [1.0, 0.8, 0.5, 0.5]
    >>> jain_index([[1.0], [3.0]], [[True], [False]]).tolist()
    [nan]
    """
    rows = np.asarray(rates, dtype=np.float64)
    there = np.ones(rows.shape, dtype=bool) if active is None else np.asarray(active, dtype=bool)
    counted = np.where(there, rows, 0.0)
    flows, squares = there.sum(axis=0), (counted**2).sum(axis=0)
    index = np.full(flows.shape, np.nan)
    known = (flows > 1) & (squares > 0)
    index[known] = counted.sum(axis=0)[known] ** 2 / (flows[known] * squares[known])
    return index
