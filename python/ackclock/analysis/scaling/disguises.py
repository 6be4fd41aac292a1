"""What passes for long-range dependence: a trend, and a cycle such as a single flow's sawtooth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import fft, linalg, ndimage

from ackclock.analysis.scaling.noise import fgn_autocorrelation
from ackclock.analysis.scaling.wavelets import log_scale_diagram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.analysis.scaling.estimate import HurstEstimate

__all__: list[str] = []

_STEEP: Final = 4
"""Standard errors from which a slope is a trend: they are themselves uncertain."""
_BLOCKS: Final = 64
"""Of a series in which no scaling was found."""

_NEIGHBOURS: Final = 65
_OUTSTANDING: Final = 50
"""Times the median of its neighbours, from which a frequency is a line: noise has that once in 10^15 frequencies, and
the median of 65 is off by a half at most."""
_FEWEST_CYCLES: Final = 16
"""Fewer are no cycle: at the lowest frequencies neighbours are of other sizes, and anything goes up and down."""

_HUMP: Final = 2.0
"""How many times the energy has to rise to a hump and to fall beyond it."""
_HUMP_ERRORS: Final = 4


def trend(values: NDArray[np.float64], scaling: HurstEstimate | None) -> float | None:
    """Give the share of the variance that a linear trend makes up; None without one.

    Parameters
    ----------
    values
        The series.
    scaling
        What wavelets say, which do not see a trend; None if nothing.

    Notes
    -----
    The slope of ordinary least squares through means of blocks, each as long as the shortest scale at which the series
    scales. Its error is the exact one of fractional Gaussian noise with the parameter that wavelets find, so long-range
    dependence does not pass for a trend.

    """
    length = max(values.size // _BLOCKS, 1) if scaling is None else round(scaling.scales[0])
    h = 0.5 if scaling is None else min(max(scaling.h, 0.5), 0.98)
    blocks = values[: values.size // length * length].reshape(-1, length).mean(axis=1)
    time = np.arange(blocks.size) - (blocks.size - 1) / 2
    weights = time / float(time @ time)
    slope = float(weights @ blocks)
    rest = blocks - blocks.mean() - slope * time
    row = fgn_autocorrelation(np.arange(blocks.size), h)
    # What the mean takes out of the variance is put back.
    scale = float(rest.var()) / (1 - float(blocks.size) ** (2 * h - 2))
    error = math.sqrt(scale * float(weights @ linalg.matmul_toeplitz(row, weights)))
    if abs(slope) <= _STEEP * error:
        return None
    left = values - slope / length * np.arange(values.size)
    return 1 - float(left.var() / values.var())


def cycle(values: NDArray[np.float64]) -> float | None:
    """Give the length of a cycle in bins, None without one.

    Parameters
    ----------
    values
        The series.

    Notes
    -----
    Either one frequency, with 16 cycles or more in the series, stands out of the periodogram: it has fifty times the
    median of its 65 neighbours; the lowest one is reported. Or the energy of wavelet coefficients rises to an octave
    and falls again beyond it, to less than a half by more than four standard errors: cycles of unequal lengths.

    """
    power = np.abs(fft.rfft(values - values.mean())[1:]) ** 2
    around = ndimage.median_filter(power, size=min(_NEIGHBOURS, power.size), mode="reflect")
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
