"""The coefficient of variation of counts per bin: the burstiness of the homogeneous-cluster papers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["cov", "poisson_cov"]


def cov(counts: ArrayLike) -> float:
    """Give the coefficient of variation: population standard deviation over mean.

    Parameters
    ----------
    counts
        Packets in consecutive bins of equal length.

    Returns
    -------
    float
        The coefficient of variation, a pure number; NaN without bins or without packets.

    Notes
    -----
    The bins are the whole population that is looked at, hence the division by *n*, not *n* - 1.
    Tinnakornsrisuphap, Feng and Philp (ICDCS 2000), section 2.2, with bins of one two-way propagation delay.

    Examples
    --------
    >>> cov([8, 12])
    0.2

    """
    values = np.asarray(counts, dtype=np.float64).ravel()
    mean = float(values.mean()) if values.size else 0.0
    return float(values.std()) / mean if mean > 0 else math.nan


def poisson_cov(packets_per_bin: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Give the coefficient of variation of Poisson traffic: 1 / √(mean packets per bin).

    Parameters
    ----------
    packets_per_bin
        Mean number of packets in a bin: for *n* clients of rate λ and bins of length τ, λ·τ·*n*. Above 0.

    Returns
    -------
    numpy.ndarray
        The coefficients of variation, one for each mean.

    Notes
    -----
    A Poisson count has its mean for a variance. Tinnakornsrisuphap, Feng and Philp (ICDCS 2000), section 3.2.

    Examples
    --------
    >>> poisson_cov([10.0, 1000.0]).round(4).tolist()
    [0.3162, 0.0316]

    """
    return np.asarray(1 / np.sqrt(np.asarray(packets_per_bin, dtype=np.float64)))
