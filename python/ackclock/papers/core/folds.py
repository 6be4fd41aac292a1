"""Functions that compute numbers: from the values of a run, for `Measure`; along an axis, for `Quantity.over`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ackclock.papers.core.evidence import Row, Scalar

Number = Callable[[Row], float | None]


def of_values(make: Callable[..., float | None], *names: str | Number) -> Number:
    """Make a function that computes a number from values or coordinates of a run; None if one of them is None.

    Examples
    --------
    >>> from ackclock.papers.core.evidence import Run
    >>> each = of_values(lambda packets, clients: packets / clients, "packets", "clients")
    >>> each(Run(where={"clients": 4}, seed=1, values={"packets": 6.0}))
    1.5

    """

    def number(row: Row) -> float | None:
        given = [row.values.get(one, row.where.get(one)) if isinstance(one, str) else one(row) for one in names]
        return None if None in given else make(*given)

    return number


def slope(line: Mapping[Scalar, float]) -> float:
    """Fit a straight line to the values and return its slope.

    Examples
    --------
    >>> round(slope({1: 2.0, 2: 4.0, 3: 6.0}), 9)
    2.0

    """
    return float(np.polyfit(*places(line), 1)[0])


def exponent(line: Mapping[Scalar, float]) -> float:
    """Fit a power law to the values and return its exponent: the slope of the logarithms.

    Examples
    --------
    >>> round(exponent({1: 3.0, 10: 300.0}), 9)
    2.0

    """
    x, y = places(line)
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def places(line: Mapping[Scalar, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coordinates and values as arrays."""
    return np.array(list(line), dtype=np.float64), np.array(list(line.values()))
