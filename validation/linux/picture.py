"""Draws the windows of the kernel and ours over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.drawing.paper import draw
from ackclock.drawing.style import to_png

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linux.replay import Replay

DRAWN: Final = {
    "d20": "segment 20 lost",
    "d20_50_51_52_80": "segments 20, 50, 51, 52 and 80 lost",
    "d1000_2000": "segments 1000 and 2000 lost, buffer of 100 packets",
}
"""The drawn traces, with their descriptions; one panel each."""

_NAMES = {"reno": "Reno", "cubic": "CUBIC"}
_HEIGHT = 6.2  # inches


def captions() -> dict[str, str]:
    """Return the caption of each image, by its name."""
    return {
        _file(kernel): f"Congestion window of the kernel's {name} and ours over time" for kernel, name in _NAMES.items()
    }


def pictures(replays: Mapping[str, Replay]) -> dict[str, bytes]:
    """Draw the traces: one image per congestion control, as PNG, by its name."""
    return {
        _file(kernel): to_png(
            draw(
                Chart(
                    panels=[
                        _panel(replays[f"{kernel}_{script}"], title, last=script == list(DRAWN)[-1])
                        for script, title in DRAWN.items()
                    ],
                    height=_HEIGHT,
                    y_label="congestion window, segments",
                )
            )
        )
        for kernel in _NAMES
    }


def _file(kernel: str) -> str:
    return f"linux_{kernel}.png"


def _panel(made: Replay, title: str, *, last: bool) -> Panel:
    first = float(made.trace.sent.times[0])
    times, cwnd = made.trace.windows
    table = made.run.table("windows")
    ours = table["time"].to_numpy() * 1e3 - made.first_ms
    kept = ours <= times[-1] - first
    return Panel(
        x=Axis(label="time, s" if last else " ", low=0.0),
        y=Axis(low=0.0),
        title=title,
        series=[
            Series(name="kernel", x=(times - first) / 1e3, y=cwnd, colour="red", listed=last),
            Series(
                name="Ackclock",
                x=ours[kept] / 1e3,
                y=np.floor(table["cwnd"].to_numpy()[kept]),
                colour="blue",
                dash="dashed",
                listed=last,
            ),
        ],
    )
