"""The hyperbola that Qiu, Zhang and Keshav fit to the loss rate of many flows, with intervals of both parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.models._checks import reals

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]
    Bounds = tuple[float, float]

__all__ = ["Hyperbola", "hyperbola"]

_FEWEST: Final = 3
"""Fewest points: a curve with two parameters passes through any two points."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hyperbola:
    """The curve p = b x / (x + a).

    Parameters
    ----------
    a
        Number of connections at which the loss is half of b. Infinite if the points bend upwards: then the best fit is
        a straight line through 0.
    b
        Limit of the loss for many connections; infinite if a is infinite.
    slope
        Initial slope b / a, or the slope of the straight line: loss per connection for few connections. It is well
        determined even if a and b are not.
    a_bounds, b_bounds, slope_bounds
        Interval of each parameter. If even the lower end is infinite, no hyperbola fits the points.
    unbounded
        Whether the interval for a has no upper end: the points are compatible with a straight line through 0, and
        neither a nor b is meaningful by itself.
    rms
        Root mean square of the relative residuals.
    count
        Number of points.
    level
        The probability with which an interval covers the true value.

    """

    a: float
    b: float
    slope: float
    a_bounds: Bounds
    b_bounds: Bounds
    slope_bounds: Bounds
    unbounded: bool
    rms: float
    count: int
    level: float


def hyperbola(*, connections: ArrayLike, loss: ArrayLike, level: float = 0.95) -> Hyperbola:
    """Fit the curve by least squares of relative residuals.

    Parameters
    ----------
    connections
        Number of flows that share the bottleneck (x), above 0: at least three points with at least two different
        numbers.
    loss
        Share of packets lost at each point; above 0 and below 1.
    level
        Level of the intervals, between 0 and 1.

    Returns
    -------
    Hyperbola
        The curve.

    Raises
    ------
    ValueError
        A number is out of its range, there are too few points, or the loss decreases; the message names the argument.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the Performance of Many TCP Flows", Tables 4 and 5; Table 5 calls a "k" and b
    "Scale". `scipy.optimize.curve_fit` fits p = s x / (1 + k x), where k = 1 / a is 0 when a is infinite. Student's
    intervals are computed for s, k and k / s = 1 / b, whose estimates are nearly normal; the intervals of k and 1 / b
    are then inverted. The intervals of a and b are therefore not symmetric, and a has no upper bound if the interval of
    k contains 0.

    Examples
    --------
    >>> x = np.array([60, 100, 150, 200, 300, 450, 600])
    >>> fit = hyperbola(connections=x, loss=0.3237 * x / (x + 144.9))
    >>> round(fit.a, 2), round(fit.b, 4), fit.unbounded
    (144.9, 0.3237, False)

    """
    from scipy.optimize import curve_fit  # noqa: PLC0415  # slow to load
    from scipy.stats import t as student  # noqa: PLC0415

    x, p = reals("connections", connections, above=0), reals("loss", loss, above=0, below=1)
    reals("level", level, above=0, below=1)
    if x.ndim != 1 or x.shape != p.shape or x.size < _FEWEST or np.ptp(x) == 0:
        raise ValueError(
            f"connections, loss: shapes {x.shape} and {p.shape} are not allowed: "
            f"must have the same length, at least {_FEWEST} points and at least two different numbers of connections"
        )
    # Starting point: 1/p = 1/s 1/x + k/s is a straight line.
    bend, steep = np.polynomial.polynomial.polyfit(1 / x, 1 / p, 1, w=p)
    scale = float(x.max())
    start = [scale / steep, scale * bend / steep]

    def curve(at: Reals, s: float, k: float) -> Reals:
        return s * at / (1 + k * at)

    def tangents(at: Reals, s: float, k: float) -> Reals:
        return np.column_stack([at / (1 + k * at), -s * (at / (1 + k * at)) ** 2])

    # Numbers of connections are divided by the largest, so that both parameters are of order one.
    found, covariance = curve_fit(curve, x / scale, p, p0=start, sigma=p, jac=tangents, xtol=1e-12, ftol=1e-12)
    s, k = found.tolist()
    if s <= 0:
        raise ValueError(f"loss: {p.tolist()} is not allowed: must increase with the number of connections")
    wide = float(student.ppf((1 + level) / 2, x.size - 2))
    s_error, k_error = (wide * np.sqrt(np.diag(covariance))).tolist()
    gradient = np.array([-k / s**2, 1 / s])
    inverse, inverse_error = k / s, wide * math.sqrt(max(0.0, gradient @ covariance @ gradient))
    low, high = _turned_over(k - k_error, k + k_error)
    if k <= 0:
        steps = x / scale / p
        k, s = 0.0, float(steps.sum() / (steps @ steps))
        wide = float(student.ppf((1 + level) / 2, x.size - 1))
        s_error = wide * math.sqrt(np.sum((s * steps - 1) ** 2) / (x.size - 1) / (steps @ steps))
    return Hyperbola(
        a=scale / k if k > 0 else math.inf,
        b=s / k if k > 0 else math.inf,
        slope=s / scale,
        a_bounds=(scale * low, scale * high),
        b_bounds=_turned_over(inverse - inverse_error, inverse + inverse_error),
        slope_bounds=((s - s_error) / scale, (s + s_error) / scale),
        unbounded=not high < math.inf,
        rms=float(np.sqrt(np.mean((curve(x / scale, s, k) / p - 1) ** 2))),
        count=x.size,
        level=level,
    )


def _turned_over(low: float, high: float) -> Bounds:
    """Convert bounds of a positive u to bounds of 1 / u."""
    return (1 / high if high > 0 else math.inf, 1 / low if low > 0 else math.inf)
