"""The Hurst parameter from the variance-time plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.scaling.estimate import Diagram, HurstEstimate, checked
from ackclock.analysis.scaling.spread import with_spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["variance_time"]

_SCALES: Final = 20
_FEWEST_BLOCKS: Final = 20
LEAST: Final = 128


def variance_time(series: ArrayLike) -> HurstEstimate:
    """Estimate the Hurst parameter from the decay of the variance of block means with the block length.

    Parameters
    ----------
    series
        Values at equally spaced times: at least 128, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        The estimate with the variance-time plot.

    Raises
    ------
    ValueError
        The series does not meet the conditions above.

    Notes
    -----
    Leland, Taqqu, Willinger and Wilson, "On the self-similar nature of Ethernet traffic" (IEEE/ACM Trans. Networking 2,
    1994), section III: the variance of means over *m* bins falls as m^(2H - 2); a line is fitted to its logarithm by
    least squares, at 20 lengths from n^(1/4) to n/20. The estimate is too low for a large H, since the mean of the
    whole series is subtracted. Neighbouring points depend on each other, so the interval is computed from simulated
    noise (`spread.py`).

    """
    values = checked(series, LEAST)
    lengths = _lengths(values.size)
    variances = _variances(values, lengths)
    if not variances.all():
        raise ValueError("series: block means of some length do not vary, so no power law fits")
    slope, intercept = np.polyfit(np.log(lengths), np.log(variances), 1)
    shown = np.unique(np.concatenate([2 ** np.arange(int(np.log2(lengths[-1])) + 1), lengths]))
    fitted = np.where(shown >= lengths[0], np.exp(intercept) * shown.astype(float) ** slope, np.nan)
    found = HurstEstimate(
        method="variance_time",
        h=1 + float(slope) / 2,
        low=np.nan,
        high=np.nan,
        scales=(float(lengths[0]), float(lengths[-1])),
        diagram=Diagram(scales=shown.astype(float), values=_variances(values, shown), errors=None, fitted=fitted),
    )
    return with_spread(found, values.size, _h)


def _lengths(count: int) -> NDArray[np.int64]:
    shortest, longest = max(1, round(count**0.25)), count // _FEWEST_BLOCKS
    return np.unique(np.round(np.geomspace(shortest, longest, _SCALES)).astype(np.int64))


def _variances(values: NDArray[np.float64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    whole = [values[: values.size // length * length].reshape(-1, length) for length in lengths]
    return np.array([blocks.mean(axis=1).var() for blocks in whole])


def _h(values: NDArray[np.float64]) -> float:
    lengths = _lengths(values.size)
    return 1 + float(np.polyfit(np.log(lengths), np.log(_variances(values, lengths)), 1)[0]) / 2
