"""Compact SVG paths: integers, relative coordinates, and only visible points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Points = NDArray[np.int64]
    """Rows of x and y."""

__all__ = ["area", "bars", "runs", "thinned", "trace"]

_FINEST: Final = 10
"""Width of the columns, and of the squares, in which `thinned` removes points."""
_BEYOND: Final = 50_000
"""Limit to which coordinates are clipped, far outside every drawing."""


def runs(x: NDArray[np.float64], y: NDArray[np.float64]) -> Iterator[Points]:
    """Yield the pieces of a line between its gaps, rounded to integers."""
    there = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    points = np.column_stack([_rounded(x), _rounded(y)])
    for first, last in edges.reshape(-1, 2):
        yield points[first:last]


def thinned(points: Points, *, joined: bool) -> Points:
    """Remove points that are not visible.

    For a line with increasing x, each column of a drawing keeps its first, last, lowest and highest point. The line
    looks the same and keeps its extremes. For separate points, each small square of a drawing keeps one point.

    Parameters
    ----------
    points
        Rows of x and y, in tenths of the drawing's unit.
    joined
        Whether a line joins the points.

    """
    if not joined:
        _, first = np.unique(points // _FINEST, axis=0, return_index=True)
        return points[np.sort(first)]
    columns = points[:, 0] // _FINEST
    if (np.diff(columns) < 0).any():
        return points
    _, first, counts = np.unique(columns, return_index=True, return_counts=True)
    if counts.max() <= 4:  # `thinned` would keep all points
        return points
    kept = []
    for begin, count in zip(first, counts, strict=True):
        heights = points[begin : begin + count, 1]
        kept += sorted({begin, begin + int(heights.argmin()), begin + int(heights.argmax()), begin + count - 1})
    return points[kept]


def trace(pieces: Sequence[Points]) -> str:
    """Write the pieces of a line as a path."""
    return "".join(_begun(piece[0]) + _onwards(piece) for piece in pieces)


def bars(x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
    """Write vertical error bars at each x from high to low, without bars that have a non-finite end."""
    there = np.isfinite(x) & np.isfinite(low) & np.isfinite(high)
    ends = zip(*(_rounded(each[there]).tolist() for each in (x, high, low)), strict=True)
    return "".join(f"M{at} {top}V{bottom}" for at, top, bottom in ends)


def area(x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
    """Write the area between two lines, in one piece per stretch without a gap."""
    gap = np.where(np.isfinite(low) & np.isfinite(high), 0.0, np.nan)
    written = []
    for lower, upper in zip(runs(x, low + gap), runs(x, high + gap), strict=True):
        outline = np.concatenate([thinned(lower, joined=True), thinned(upper, joined=True)[::-1]])
        written.append(f"{trace([outline])}z")
    return "".join(written)


def _rounded(values: NDArray[np.float64]) -> NDArray[np.int64]:
    held = np.clip(np.nan_to_num(values, nan=0.0), -_BEYOND, _BEYOND)
    return np.rint(held).astype(np.int64)


def _begun(point: Points) -> str:
    return f"M{_pair(*point.tolist())}"


def _onwards(points: Points) -> str:
    steps = np.diff(points, axis=0)
    steps = steps[(steps != 0).any(axis=1)].tolist()
    return "l" + " ".join(_pair(*step) for step in steps).replace(" -", "-") if steps else ""


def _pair(x: int, y: int) -> str:
    return f"{x}{y}" if y < 0 else f"{x} {y}"
