"""How an estimator spreads on fractional Gaussian noise, where no formula tells."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import stdtrit

from ackclock.analysis.scaling.noise import draw_noise, noise_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.analysis.scaling.estimate import HurstEstimate

__all__: list[str] = []

_PATHS: Final = 50
_TRUTHS: Final = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
_LONGEST: Final = 2**13
"""Values of a path at most: a longer series has an interval that is too wide, rather than one that takes minutes."""

_SEED: Final = 1


def with_spread(found: HurstEstimate, count: int, estimate: Callable[[NDArray[np.float64]], float]) -> HurstEstimate:
    """Give an estimate the bias and the interval that the method has on fractional Gaussian noise of that length.

    Parameters
    ----------
    found
        Without an interval.
    count
        How many values it is from.
    estimate
        Its method.

    Notes
    -----
    The interval holds each H on which the estimate would be no surprise: mean and spread are those of 50 paths at each
    of eight H, always the same ones, and a line between them.

    """
    means, spreads = _moments(estimate, min(count, _LONGEST))
    # One new value beside fifty others.
    reach = float(stdtrit(_PATHS - 1, 0.975)) * (1 + 1 / _PATHS) ** 0.5 * spreads
    return inverted(found, truths=np.array(_TRUTHS), means=means, reach=reach)


def inverted(
    found: HurstEstimate,
    *,
    truths: NDArray[np.float64],
    means: NDArray[np.float64],
    reach: NDArray[np.float64],
) -> HurstEstimate:
    """Give an estimate the interval of all parameters on which it would be no surprise, and its bias.

    Parameters
    ----------
    found
        Without them.
    truths
        Parameters, rising.
    means
        What the method finds on average on noise of each.
    reach
        By how much an estimate may differ from that.

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
    """Give mean and standard deviation of the estimates at each H."""
    found = np.empty((len(_TRUTHS), _PATHS))
    for row, truth in zip(found, _TRUTHS, strict=True):
        weights, random = noise_weights(size, truth), np.random.default_rng(_SEED)
        row[:] = [estimate(draw_noise(weights, random)[:size]) for _ in range(_PATHS)]
    return found.mean(axis=1), found.std(axis=1, ddof=1)
