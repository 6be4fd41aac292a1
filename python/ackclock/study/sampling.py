"""Draws points from ranges, independently or as a Latin hypercube."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.values.quantity import RATE, SIZE, TIME, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ackclock.study.wanted import Scalar

__all__ = ["METHODS", "Range", "draw", "range_of"]

METHODS: Final = ("latin-hypercube", "random")

_DIGITS: Final = 6
"""Values are rounded to this many significant digits of the range's width, so that they are readable in tables and on
axes."""


@dataclass(frozen=True, slots=True)
class Range:
    """A range from which values are drawn uniformly, both ends included.

    Parameters
    ----------
    low, high
        The ends: integers, numbers, or a quantity in its base unit.
    quantity
        The quantity of a range of times, rates or sizes; None for plain numbers.

    Examples
    --------
    >>> range_of("1 ms", "101 ms").at(0.25), range_of(1, 4).at(0.999), range_of(0.0, 0.3).at(0.5)
    ('26 ms', 4, 0.15)

    """

    low: float
    high: float
    quantity: Quantity | None = None

    def at(self, share: float) -> Scalar:
        """Return the value at a fraction of the range, from 0 up to 1."""
        if self.quantity is None and isinstance(self.low, int):
            return self.low + math.floor(share * (self.high - self.low + 1))
        digits = _DIGITS - 1 - math.floor(math.log10(self.high - self.low))
        value = round(self.low + share * (self.high - self.low), digits)
        if self.quantity is None:
            return value
        return self.quantity.format(round(value))


def range_of(low: object, high: object) -> Range:
    """Read the ends of a range.

    Raises
    ------
    ValueError
        The ends are not two numbers or two quantities of one kind, or the first is not below the second.

    """
    if isinstance(low, str) and isinstance(high, str):
        quantity = next((each for each in (TIME, RATE, SIZE) if not each.unknown_unit(low)), TIME)
        return _rising(quantity.parse(low), quantity.parse(high), quantity)
    first, last = _number(low), _number(high)
    whole = isinstance(first, int) and isinstance(last, int)
    return _rising(first, last) if whole else _rising(float(first), float(last))


def _number(end: object) -> float:
    if isinstance(end, bool) or not isinstance(end, int | float) or not math.isfinite(end):
        raise ValueError(f"{end!r} cannot be the end of a range")
    return end


def _rising(low: float, high: float, quantity: Quantity | None = None) -> Range:
    if not low < high:
        raise ValueError("the first end must be below the second")
    return Range(low, high, quantity)


def draw(ranges: Mapping[str, Range], *, method: str, count: int, seed: int) -> Iterator[dict[str, Scalar]]:
    """Draw points.

    Parameters
    ----------
    ranges
        The range of each field.
    method
        One of `METHODS`: independent draws, or the Latin hypercube of McKay, Beckman and Conover (1979), which has
        one point in each of `count` equal slices of every range.
    count
        Number of points to draw. Repeated points, which occur in small ranges of integers, are omitted.
    seed
        Random seed.

    Yields
    ------
    dict
        The value of each field.

    """
    import numpy as np  # noqa: PLC0415 - slow to load
    from scipy.stats import qmc  # noqa: PLC0415

    generator = np.random.default_rng(seed)
    if method == "random":
        shares = generator.random((count, len(ranges)))
    else:
        shares = qmc.LatinHypercube(d=len(ranges), rng=generator).random(count)
    seen: set[tuple[Scalar, ...]] = set()
    for row in shares.tolist():
        point = tuple(each.at(share) for each, share in zip(ranges.values(), row, strict=True))
        if point not in seen:
            seen.add(point)
            yield dict(zip(ranges, point, strict=True))
