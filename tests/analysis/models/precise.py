"""Compares the models' floating-point results with the same formulas in 50 digits or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

SMALLEST = 300
"""No probability is below 1e-300."""
DIGITS = SMALLEST + 50
"""Digits of the evaluation: 50 remain in the difference between 1 and such a probability."""


def losses(count: int, random: np.random.Generator) -> Reals:
    """Return probabilities near 0, near 1 and in between, a third of each."""
    small, odds = 10 ** random.uniform(-SMALLEST, -1, count), random.uniform(0, 1, count)
    near = 1 - 10 ** random.uniform(-15, -1, count)
    return np.choose(np.arange(count) % 3, [small, near, odds])


def between(low: float, high: float, count: int, random: np.random.Generator) -> Reals:
    """Return numbers whose logarithms are uniform."""
    return np.exp(random.uniform(np.log(low), np.log(high), count))


def errors(found: Reals, exact: Callable[..., object], *arguments: Reals) -> Reals:
    """Return the relative error of each number compared with a precise evaluation."""

    def each() -> Iterator[float]:
        for value, *numbers in zip(found.tolist(), *(array.tolist() for array in arguments), strict=True):
            truth = mpmath.mpmathify(exact(*(mpmath.mpf(number) for number in numbers)))
            yield float(abs((mpmath.mpf(value) - truth) / truth))

    with mpmath.workdps(DIGITS):
        return np.array(list(each()))
