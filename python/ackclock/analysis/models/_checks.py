"""Checks of the models' arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def refuse_below(least: int, **numbers: float) -> None:
    """Raise a ValueError for the first number that is below `least`, or not finite."""
    for name, number in numbers.items():
        if not least <= number < math.inf:
            raise ValueError(f"{name}: {number} is not allowed: must be at least {least}")


def refuse_unless_positive(**numbers: float) -> None:
    """Raise a ValueError for the first number that is not above 0, or not finite."""
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"{name}: {number} is not allowed: must be above 0")


def reals(
    name: str,
    numbers: ArrayLike,
    *,
    above: float = -math.inf,
    low: float = -math.inf,
    below: float = math.inf,
    endless: bool = False,
) -> NDArray[np.float64]:
    """Convert numbers to an array, or raise a ValueError for the first number that is out of bounds.

    Parameters
    ----------
    name
        Name of the argument, for the message.
    numbers
        A number or an array of any shape.
    above, low, below
        Exclusive lower, inclusive lower and exclusive upper bound (default: none, but finite numbers only).
    endless
        Whether infinity is allowed.

    """
    bounds = [f"above {above:g}"] if above > -math.inf else []
    bounds += [f"at least {low:g}"] if low > -math.inf else []
    bounds += [f"below {below:g}"] if below < math.inf else []
    allowed = " ".join(["must be", "finite" if not bounds else " and ".join(bounds)])
    try:
        array = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {numbers!r} is not allowed: must be numbers") from None
    # NaN fails every comparison.
    right = (array > above) & (array >= low) & ((array < below) | (endless & (array == math.inf)))
    if not right.all():
        raise ValueError(f"{name}: {array[~right].flat[0]} is not allowed: {allowed}")
    return array


def refuse_unless_together(**arrays: NDArray[np.float64]) -> None:
    """Raise a ValueError with the shapes if arrays cannot be broadcast to one shape."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items() if array.shape)
        raise ValueError(f"shapes cannot be broadcast together: {shapes}") from None
