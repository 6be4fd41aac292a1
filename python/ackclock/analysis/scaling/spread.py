"""The bias and the spread of an estimator on fractional Gaussian noise, by simulation."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy

from ackclock.analysis.scaling.noise import draw_noise, noise_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.analysis.scaling.estimate import HurstEstimate

__all__: list[str] = []

_PATHS: Final = 50
_TRUTHS: Final = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
_LONGEST: Final = 2**13
"""Maximum length of a simulated path. For longer series the interval is too wide, but its computation takes seconds
instead of minutes."""

_SEED: Final = 1


def with_spread(found: HurstEstimate, count: int, estimate: Callable[[NDArray[np.float64]], float]) -> HurstEstimate:
    """Add the method's bias and interval on fractional Gaussian noise of the same length to an estimate.

    Parameters
    ----------
    found
        The estimate without an interval.
    count
        Number of values of the series.
    estimate
        Function that estimates H of a series.

    Notes
    -----
    The interval contains each H for which the estimate is plausible. The mean and the spread of estimates come from 50
    simulated paths at each of eight values of H, always with the same seeds. Between these values they are interpolated
    linearly.

    """
    means, spreads = _moments(estimate, min(count, _LONGEST))
    # Prediction interval of one new value, given fifty values.
    reach = float(scipy.special.stdtrit(_PATHS - 1, 0.975)) * (1 + 1 / _PATHS) ** 0.5 * spreads
    return inverted(found, truths=np.array(_TRUTHS), means=means, reach=reach)


def inverted(
    found: HurstEstimate,
    *,
    truths: NDArray[np.float64],
    means: NDArray[np.float64],
    reach: NDArray[np.float64],
) -> HurstEstimate:
    """Add to an estimate its bias and the interval of all true parameters for which it is plausible.

    Parameters
    ----------
    found
        The estimate without interval and bias.
    truths
        True Hurst parameters, in increasing order.
    means
        Mean estimate for noise with each parameter.
    reach
        Largest plausible deviation of an estimate from each mean.

    """

    def inverse(curve: NDArray[np.float64]) -> float:
        return float(np.interp(found.h, np.maximum.accumulate(curve), truths))

    return replace(
        found,
        low=min(inverse(means + reach), found.h),
        high=max(inverse(means - reach), found.h),
        bias=found.h - inverse(means),
    )


@lru_cache(maxsize=32)
def _moments(
    estimate: Callable[[NDArray[np.float64]], float], size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the mean and the standard deviation of the estimates at each H."""
    found = np.empty((len(_TRUTHS), _PATHS))
    for row, truth in zip(found, _TRUTHS, strict=True):
        weights, random = noise_weights(size, truth), np.random.default_rng(_SEED)
        row[:] = [estimate(draw_noise(weights, random)[:size]) for _ in range(_PATHS)]
    return found.mean(axis=1), found.std(axis=1, ddof=1)
