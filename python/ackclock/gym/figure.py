"""Draws an episode."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.drawing.paper import draw
from ackclock.drawing.style import to_png

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.engine.core import Interval

__all__ = ["chart", "picture"]

_PANEL = 1.7
_FRAME = 0.7
"""Heights of a panel, and of the rest of the figure, in inches."""


def chart(seen: Sequence[Interval]) -> Chart:
    """Return the window, the round-trip time and the queue at the end of each step."""
    time = [each.begin + each.span for each in seen]
    rows: tuple[tuple[str, str, list[float]], ...] = (
        ("Window, packets", "blue", [each.cwnd for each in seen]),
        ("Round-trip time, ms", "red", [1e3 * each.rtt for each in seen]),
        ("Queue, packets", "green", [each.queue for each in seen]),
    )
    panels = [
        Panel(
            x=Axis(label="Time, s" if place == len(rows) else "", low=0.0, high=time[-1]),
            y=Axis(label=label, low=0.0),
            series=[Series(name=label, x=time, y=values, colour=colour, width=1.0, listed=False)],
        )
        for place, (label, colour, values) in enumerate(rows, start=1)
    ]
    return Chart(panels=panels, height=_FRAME + _PANEL * len(panels))


def picture(seen: Sequence[Interval]) -> NDArray[np.uint8]:
    """Return the chart as an image: height, width and three colours."""
    from matplotlib.image import imread  # noqa: PLC0415  # slow to load

    pixels = imread(io.BytesIO(to_png(draw(chart(seen)))), format="png")
    return np.round(255 * pixels[..., :3]).astype(np.uint8)
