"""Which measure responds most to the fields of a store, relative to the differences between seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.study.figures.measuring import better

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.study.figures.points import Point, Points

__all__ = ["Response", "block_ratio", "paired", "responses"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """How much a measure responds to the fields.

    Parameters
    ----------
    measure
        The measure.
    ratio
        Variance between points divided by the variance that neither points nor seeds explain (`block_ratio`).
    points, seeds
        Number of points and of seeds that the ratio compares.

    """

    measure: str
    ratio: float
    points: int
    seeds: int


def paired(points: Sequence[Point], measure: str) -> tuple[list[Point], list[list[float]]]:
    """Return the points with a measure, and its values at the seeds at which all of them have it."""
    found = [
        {
            seed: value
            for seed, value in zip(point.seeds, point.values.get(measure, ()), strict=False)
            if value is not None and math.isfinite(value)
        }
        for point in points
    ]
    kept = [(point, values) for point, values in zip(points, found, strict=True) if values]
    seeds = sorted(set.intersection(*(set(values) for _, values in kept))) if kept else []
    return [point for point, _ in kept], [[values[seed] for seed in seeds] for _, values in kept]


def block_ratio(values: NDArray[np.float64]) -> float:
    """Compute the F ratio of a randomized complete block design: points are treatments, seeds are blocks.

    Parameters
    ----------
    values
        A row for each point, and a column for each seed.

    Returns
    -------
    float
        The mean square between points divided by the mean square of the residuals. Infinite if nothing but the points
        makes a difference, 0 if nothing differs, NaN with one point or one seed.

    Notes
    -----
    Montgomery, "Design and Analysis of Experiments" (8th ed. 2013), section 4.1. Seeds are blocks because all points
    share their random numbers; differences between seeds then do not hide those between points.

    Examples
    --------
    >>> round(block_ratio(np.array([[1.0, 2.0, 3.0], [3.0, 4.0, 6.0]])), 6)
    49.0

    """
    points, seeds = values.shape
    if points < 2 or seeds < 2:
        return math.nan
    whole = values.mean()
    rows, columns = values.mean(axis=1) - whole, values.mean(axis=0) - whole
    between = seeds * float(rows @ rows) / (points - 1)
    rest = values - whole - rows[:, None] - columns[None, :]
    residual = float((rest * rest).sum()) / ((points - 1) * (seeds - 1))
    rounding = 1e-20 * float((values * values).mean())
    if residual <= rounding:
        return math.inf if between > rounding else 0.0
    return float(between / residual)


def responses(points: Points, measures: Sequence[str]) -> list[Response]:
    """Rank measures by their response; those of which no values are better come last, then those without a ratio."""
    found = []
    for measure in measures:
        kept, values = paired(points.points, measure)
        ratio = block_ratio(np.array(values, dtype=np.float64)) if values and values[0] else math.nan
        found.append(Response(measure=measure, ratio=ratio, points=len(kept), seeds=len(values[0]) if values else 0))

    def key(each: Response) -> tuple[bool, bool, float]:
        return math.isnan(each.ratio), not better(each.measure), -each.ratio

    return sorted(found, key=key)
