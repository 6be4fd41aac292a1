"""Tests for effects that resemble long-range dependence: a trend, and a cycle such as a single flow's sawtooth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy

from ackclock.analysis.scaling.noise import fgn_autocorrelation
from ackclock.analysis.scaling.wavelets import log_scale_diagram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.analysis.scaling.estimate import HurstEstimate

__all__: list[str] = []

_STEEP: Final = 4
"""Smallest slope of a trend, in standard errors. It is large because the standard errors are themselves uncertain."""
_BLOCKS: Final = 64
"""Number of blocks if there is no wavelet estimate."""

_NEIGHBOURS: Final = 65
_OUTSTANDING: Final = 50
"""Power of a spectral line, in multiples of the median of its neighbours. In noise, one frequency in 10^15 exceeds it
if the median is exact."""
_FEWEST_CYCLES: Final = 16
"""Fewest periods of a cycle in the series. At lower frequencies the power of neighbouring frequencies differs, and any
series rises and falls."""

_HUMP: Final = 2.0
"""Factor by which the wavelet energy must rise to a maximum and fall beyond it."""
_HUMP_ERRORS: Final = 4


def trend(values: NDArray[np.float64], scaling: HurstEstimate | None) -> float | None:
    """Compute the share of the variance that is due to a linear trend; None without a trend.

    Parameters
    ----------
    values
        The series.
    scaling
        The wavelet estimate, which a trend does not affect; None if that method has no estimate.

    Notes
    -----
    The slope is fitted by ordinary least squares to block means; the block length is the shortest scale of the wavelet
    estimate. The standard error of the slope is exact for fractional Gaussian noise with the wavelet estimate of H, so
    long-range dependence is not mistaken for a trend.

    """
    length = max(values.size // _BLOCKS, 1) if scaling is None else round(scaling.scales[0])
    h = 0.5 if scaling is None else min(max(scaling.h, 0.5), 0.98)
    blocks = values[: values.size // length * length].reshape(-1, length).mean(axis=1)
    time = np.arange(blocks.size) - (blocks.size - 1) / 2
    weights = time / float(time @ time)
    slope = float(weights @ blocks)
    rest = blocks - blocks.mean() - slope * time
    row = fgn_autocorrelation(np.arange(blocks.size), h)
    # Corrects the variance for the subtracted mean.
    scale = float(rest.var()) / (1 - float(blocks.size) ** (2 * h - 2))
    error = math.sqrt(scale * float(weights @ scipy.linalg.matmul_toeplitz(row, weights)))
    if abs(slope) <= _STEEP * error:
        return None
    left = values - slope / length * np.arange(values.size)
    return 1 - float(left.var() / values.var())


def cycle(values: NDArray[np.float64]) -> float | None:
    """Find the length of a cycle in bins; None without a cycle.

    Parameters
    ----------
    values
        The series.

    Notes
    -----
    The first test finds frequencies with at least 16 periods in the series and more than fifty times the median power
    of 65 neighbouring frequencies in the periodogram; the lowest is used. The second test is for cycles of unequal
    lengths: the energy of the wavelet coefficients must rise to a maximum at some octave and fall to less than half
    beyond it, by more than four standard errors.

    """
    power = np.abs(scipy.fft.rfft(values - values.mean())[1:]) ** 2
    around = scipy.ndimage.median_filter(power, size=min(_NEIGHBOURS, power.size), mode="reflect")
    lines = np.flatnonzero(power > _OUTSTANDING * np.maximum(around, np.finfo(float).eps * power.max()))
    lines = lines[lines + 1 >= _FEWEST_CYCLES]
    if lines.size:
        return values.size / float(lines[0] + 1)
    octaves, energies, errors, _ = log_scale_diagram(values)
    top = int(np.argmax(energies))
    before, beyond = energies[:top], slice(top + 1, None)
    if not before.size or not energies[beyond].size:
        return None
    weights = errors[beyond] ** -2
    after, error = float(np.average(energies[beyond], weights=weights)), math.hypot(errors[top], weights.sum() ** -0.5)
    rises = energies[top] - before.min() > math.log2(_HUMP)
    falls = energies[top] - after > max(math.log2(_HUMP), _HUMP_ERRORS * error)
    return float(2 ** octaves[top]) if rises and falls else None
