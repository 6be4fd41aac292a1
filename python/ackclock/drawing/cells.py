"""Writes heat maps and dot rasters for the screen, as SVG."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.colors import Normalize, to_hex

from ackclock.drawing.chart import Axis
from ackclock.drawing.scales import Span, ticks
from ackclock.drawing.style import COLOURS, heat_colours

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from ackclock.drawing.chart import Heat, Panel

__all__ = ["cells", "dots_image", "scale_bar"]

_WIDTH: Final = 5200
_BAR: Final = (200, 4800, 170)
"""Left end, width and height of the colour bar."""
_STEPS: Final = 60


def cells(
    heat: Heat,
    along: Callable[[ArrayLike], NDArray[np.float64]],
    down: Callable[[ArrayLike], NDArray[np.float64]],
) -> str:
    """Write the cells of a heat map and their texts as SVG.

    Parameters
    ----------
    heat
        The heat map.
    along, down
        Convert cell coordinates to coordinates of the drawing.

    """
    values = np.asarray(heat.values, dtype=np.float64)
    rows, columns = values.shape
    xs, ys = (np.rint(place(np.arange(count + 1) - 0.5)) for place, count in ((along, columns), (down, rows)))
    colours, drawn = _colours(heat, values), []
    for (row, column), value in np.ndenumerate(values):
        if not np.isfinite(value):
            continue
        (left, right), (bottom, top) = xs[column : column + 2], ys[row : row + 2]
        place = f'x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" height="{bottom - top:.0f}"'
        word = heat.words[row][column]
        shown = word if heat.ticks is not None and word else f"{value:.4g}"
        drawn.append(f'<rect {place} fill="{colours[row][column]}" data-value="{escape(shown)}"/>')
        if word:
            middle = f'x="{(left + right) / 2:.0f}" y="{(top + bottom) / 2 + 45:.0f}"'
            drawn.append(f'<text class="cell {heat.ink(value)}" {middle}>{escape(word)}</text>')
    return "".join(drawn)


def _colours(heat: Heat, values: NDArray[np.float64]) -> list[list[str]]:
    scaled = Normalize(heat.low, heat.high, clip=True)(np.nan_to_num(values, nan=heat.low))
    return [[to_hex(cell) for cell in row] for row in heat_colours(heat)(np.ma.getdata(scaled))]


def scale_bar(heat: Heat) -> str:
    """Write the colour bar of a heat map, with its label, as SVG."""
    left, width, height = _BAR
    edges = np.linspace(0, width, _STEPS + 1).round().astype(int).tolist()
    (colours,) = _colours(heat, np.linspace(heat.low, heat.high, _STEPS)[None])
    ends = Span(low=heat.low, high=heat.high if heat.high > heat.low else heat.low + 1)
    axis = Axis(ticks=heat.ticks)
    drawn = [
        f'<rect x="{begin}" width="{end - begin}" height="{height}" fill="{colour}"/>'
        for (begin, end), colour in zip(pairwise(edges), colours, strict=True)
    ]
    drawn += [
        f'<text class="on" x="{float(ends.share(at)) * width:.0f}" y="{height + 165}">{escape(words)}</text>'
        for at, words in ticks(axis, ends, most=6)
    ]
    return (
        f'<p class="head"><span>{escape(heat.label)}</span></p>'
        f'<svg viewBox="0 0 {_WIDTH} {height + 220}" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">'
        f'<g transform="translate({left} 0)">{"".join(drawn)}</g></svg>'
    )


def dots_image(panel: Panel, width: float, height: float) -> str:
    """Write the marked cells of a panel as a one-colour image with one pixel per cell."""
    dots = panel.dots
    assert dots is not None  # noqa: S101  # narrows the type; the caller has checked
    picture = b64encode(_png(panel.marked()[::-1] > 0, COLOURS[dots.colour].light)).decode()
    return (
        f'<image class="dots" width="{width:.0f}" height="{height:.0f}" preserveAspectRatio="none" '
        f'href="data:image/png;base64,{picture}"/>'
    )


def _png(marked: NDArray[np.bool_], colour: str) -> bytes:
    """Encode a PNG image with one colour and transparency: https://www.w3.org/TR/png-3/.

    Pillow bundles a zlib whose output depends on the processor; pages must be equal on every machine.
    """
    rows = np.packbits(marked, axis=1)
    lines = np.insert(rows, 0, 0, axis=1)  # each line begins with its filter type, 0 for none

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width = marked.shape
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, 0)),
            chunk(b"PLTE", bytes.fromhex("ffffff" + colour.removeprefix("#"))),
            chunk(b"tRNS", b"\x00\xff"),
            chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            chunk(b"IEND", b""),
        ]
    )
