"""Refusing numbers that a model makes no sense of."""

import math


def refuse_below(least: int, **numbers: float) -> None:
    """Raise a ValueError for the first number that is below the least, or not finite."""
    for name, number in numbers.items():
        if not least <= number < math.inf:
            raise ValueError(f"{name}: {number} is not allowed: must be from {least}")


def refuse_unless_positive(**numbers: float) -> None:
    """Raise a ValueError for the first number that is not above 0, or not finite."""
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"{name}: {number} is not allowed: must be above 0")
