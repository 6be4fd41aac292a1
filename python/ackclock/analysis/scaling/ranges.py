"""The Hurst parameter from rescaled ranges (R/S), the oldest estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.scaling.estimate import Diagram, HurstEstimate, checked
from ackclock.analysis.scaling.spread import with_spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["rescaled_range"]

_SCALES: Final = 15
_SHORTEST: Final = 16
_FEWEST_BLOCKS: Final = 4
LEAST: Final = 256


def rescaled_range(series: ArrayLike) -> HurstEstimate:
    """Estimate the Hurst parameter from the growth of the rescaled range with the block length.

    Parameters
    ----------
    series
        Values at equally spaced times: at least 256, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        The estimate with the R/S plot.

    Raises
    ------
    ValueError
        The series does not meet the conditions above.

    Notes
    -----
    Hurst, "Long-term storage capacity of reservoirs" (Trans. ASCE 116, 1951); Mandelbrot and Wallis, "Robustness of the
    rescaled range R/S" (Water Resources Research 5, 1969): the range of the cumulative deviations from a block's mean,
    divided by the block's standard deviation, grows as the length to the power H. A line is fitted by least squares to
    the logarithms of the means over all blocks, at 15 lengths from 16 to n/4. The estimate is too high for a small H
    and too low for a large H. The interval is computed from simulated noise (`spread.py`).

    """
    values = checked(series, LEAST)
    lengths, ratios = _ratios(values)
    if lengths.size < 3:
        raise ValueError("series: it is constant within nearly all blocks")
    slope, intercept = np.polyfit(np.log(lengths), np.log(ratios), 1)
    scales = lengths.astype(float)
    found = HurstEstimate(
        method="rescaled_range",
        h=float(slope),
        low=np.nan,
        high=np.nan,
        scales=(float(scales[0]), float(scales[-1])),
        diagram=Diagram(scales=scales, values=ratios, errors=None, fitted=np.exp(intercept) * scales**slope),
    )
    return with_spread(found, values.size, _h)


def _ratios(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Compute the mean R/S ratio for each block length with at least one varying block."""
    longest = values.size // _FEWEST_BLOCKS
    lengths = np.unique(np.round(np.geomspace(_SHORTEST, longest, _SCALES)).astype(np.int64))
    found = []
    for length in lengths:
        blocks = values[: values.size // length * length].reshape(-1, length)
        deviation = blocks.std(axis=1)
        there = deviation > 0
        if there.any():
            sums = np.cumsum(blocks[there] - blocks[there].mean(axis=1, keepdims=True), axis=1)
            # The last sum is zero except for rounding, so the range always contains zero.
            found.append((length, float(np.mean((sums.max(axis=1) - sums.min(axis=1)) / deviation[there]))))
    return np.array([length for length, _ in found]), np.array([ratio for _, ratio in found])


def _h(values: NDArray[np.float64]) -> float:
    lengths, ratios = _ratios(values)
    return float(np.polyfit(np.log(lengths), np.log(ratios), 1)[0])
