"""Draws ACK arrivals as a scatter plot with one row per flow. Pauses common to all flows appear as white stripes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Dots, Panel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["ack_scatter"]

_MOST_ROWS: Final = 300
"""Maximum number of rows; with more flows, neighbouring flows share a row."""


def ack_scatter(
    times: ArrayLike, flows: ArrayLike, *, count: int, start: float, end: float, title: str = "", colour: str = "sky"
) -> Panel:
    """Draw the arrival of each ACK against its flow, with flows ordered by their number of ACKs.

    Parameters
    ----------
    times, flows
        The columns ``time`` and ``flow`` of a run's table ``acks``.
    count
        Number of flows, including flows without ACKs. Flows are numbered from 0.
    start, end
        Time range to draw, in seconds; only ACKs in this range count for the order of the flows.
    title
        Title of the panel.
    colour
        As in `Dots`.

    Returns
    -------
    Panel
        A raster of at most 500 by 300 dots. Each dot stands for at least one ACK; mention this in the caption.

    Raises
    ------
    ValueError
        The arrays differ in length, a flow number is not below `count`, or the end is not after the start.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the performance of many TCP flows" (Computer Networks 37, 2001), Figures 6, 8,
    10, 15, 17 and 18. Flows with equal numbers of ACKs keep the order of their numbers.

    """
    at, of = np.asarray(times, dtype=np.float64).ravel(), np.asarray(flows).astype(np.int64).ravel()
    if at.size != of.size:
        raise ValueError(f"flows: {of.size} values are not allowed: must be as many as times ({at.size})")
    if of.size and not 0 <= of.min() <= of.max() < count:
        raise ValueError(f"flows: {of.max()} is not allowed: must be from 0 to {count - 1}")
    if not end > start:
        raise ValueError(f"end: {end} is not allowed: must be above the start, {start} s")
    there = (start <= at) & (at < end)
    at, of = at[there], of[there]
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(np.bincount(of, minlength=count), kind="stable")] = np.arange(count)
    dots = Dots(name="ACKs", x=at, y=rank[of] + 1, colour=colour, rows=min(count, _MOST_ROWS))
    return Panel(
        title=title,
        x=Axis(label="Time, s", low=start, high=end),
        y=Axis(label="Flow, by ACKs received", low=0.5, high=count + 0.5),
        series=(),
        dots=dots,
    )
