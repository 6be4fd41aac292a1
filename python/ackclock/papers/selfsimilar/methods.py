"""How well estimators find a Hurst parameter that is known: the claim on the paper's method, asked of exact noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import (
    abry_veitch,
    fractional_gaussian_noise,
    kettani_gubner,
    rescaled_range,
    variance_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.analysis import HurstEstimate

__all__ = ["LENGTH", "PATHS", "TRUTH", "Method", "methods"]

TRUTH: Final = 0.8
"""Of the noise: the paper's background."""

LENGTH: Final = 1000
"""Values of a path, as many as a run of 100 s has bins of 0.1 s."""

PATHS: Final = 100
"""Paths of the noise."""

_METHODS: Final[Mapping[str, Callable[[np.ndarray], HurstEstimate]]] = {
    "optimisation": kettani_gubner,
    "wavelet": abry_veitch,
    "variance-time": variance_time,
    "R/S": rescaled_range,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """What one estimator made of the noise.

    Parameters
    ----------
    mean, deviation
        Of its estimates.
    width
        Mean width of its 95 % intervals.
    covered
        The part of these that hold the truth.

    """

    mean: float
    deviation: float
    width: float
    covered: float


def methods() -> dict[str, Method]:
    """Try the paper's method and those it is compared with, on the same paths."""
    paths = [fractional_gaussian_noise(LENGTH, hurst=TRUTH, seed=seed) for seed in range(1, PATHS + 1)]
    found = {}
    for name, estimate in _METHODS.items():
        made = [estimate(path) for path in paths]
        values = np.array([each.h for each in made])
        found[name] = Method(
            mean=float(values.mean()),
            deviation=float(values.std(ddof=1)),
            width=float(np.mean([each.high - each.low for each in made])),
            covered=float(np.mean([each.low <= TRUTH <= each.high for each in made])),
        )
    return found
