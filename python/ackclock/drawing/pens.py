"""Styles of lines, markers and bands in charts on a screen, and their legend."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ackclock.drawing.chart import Band, Series, legend_entries
from ackclock.drawing.style import BAND

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.drawing.chart import Chart, Dash, Marker, Panel

__all__ = ["legend", "legends_agree", "marker_shapes", "pen"]

_POINT: Final = 12.0
"""Conversion from points on paper to tenths of a drawing unit."""
_MARKER: Final = 2.2
_ALONE: Final = 3.6
"""Additional marker size on a screen, in points, with and without a line."""

_DASHES: Final[Mapping[Dash, str]] = {
    "solid": "",
    "dashed": ' stroke-dasharray="60 30"',
    "dotted": ' stroke-dasharray="16 24"',
    "none": "",
}
_SHAPES: Final[Mapping[Marker, str]] = {
    "circle": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
    "square": "M-4.4-4.4h8.8v8.8h-8.8z",
    "triangle": "M0-5.4 5 4H-5z",
    "diamond": "M0-6.2 6.2 0 0 6.2-6.2 0z",
    "pentagon": "M0-5.4 5.2-1.6 3.2 4.4H-3.2L-5.2-1.6z",
    "down": "M0 5.4 5-4H-5z",
    "hexagon": "M0-5.4 4.7-2.7V2.7L0 5.4-4.7 2.7V-2.7z",
}
"""Marker shapes, ten units wide, centred on the origin."""


def pen(series: Series) -> str:
    """Return the SVG attributes of a line with its markers."""
    width = ' stroke="none"' if series.dash == "none" else f' stroke-width="{series.width * _POINT:.0f}"'
    marker = f' style="marker:url(#{_marker_name(series)})"' if series.marker else ""
    return f"{width}{_DASHES[series.dash]}{marker}"


def _marker_name(series: Series) -> str:
    look = "open" if not series.filled else "full" if series.dash != "none" else "alone"
    return f"m-{series.marker}-{series.colour}-{look}-{series.size * 10:.0f}"


def marker_shapes(charts: Iterable[Chart]) -> str:
    """Define the markers of all charts of a page as SVG, each marker once."""
    defined = {}
    for series in (series for chart in charts for panel in chart.panels for series in panel.series):
        if series.marker:
            size = (series.size + (_MARKER if series.dash != "none" or not series.filled else _ALONE)) * _POINT
            shape = f'<path d="{_SHAPES[series.marker]}"/>'
            defined[_marker_name(series)] = (
                f'<marker id="{_marker_name(series)}" class="c-{series.colour} {"full" if series.filled else "open"}" '
                f'markerUnits="userSpaceOnUse" markerWidth="{size:.0f}" markerHeight="{size:.0f}" '
                f'viewBox="-7 -7 14 14" overflow="visible">{shape}</marker>'
            )
    if not defined:
        return ""
    return f'<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>{"".join(defined.values())}</defs></svg>'


def legends_agree(panels: Sequence[Panel]) -> bool:
    """Check whether one legend can serve all panels: no two names have the same style."""
    names: dict[tuple[object, ...], str] = {}
    for each in (entry for panel in panels for entry in legend_entries([panel])):
        style = (each.colour, each.marker, each.dash, each.filled) if isinstance(each, Series) else (each.colour,)
        if names.setdefault(style, each.name) != each.name:
            return False
    return True


def legend(panels: Sequence[Panel]) -> str:
    """Write one legend entry per listed name; each is a button that shows and hides its series."""
    entries = "".join(map(_entry, legend_entries(panels)))
    return f'<div class="legend">{entries}</div>' if entries else ""


def _entry(shown: Series | Band) -> str:
    if isinstance(shown, Band):
        group, sample = shown.name, f'<path class="band" fill-opacity="{2 * BAND}" d="M10 10H290V130H10z"/>'
    else:
        apart = " apart" if shown.dash == "none" else ""
        group, sample = shown.group or shown.name, f'<path class="line{apart}"{pen(shown)} d="M10 70H150H290"/>'
        if shown.marker:  # one marker, in the middle of the sample line
            sample = sample.replace("marker:", "marker-mid:")
    return (
        f'<button type="button" aria-pressed="true" data-shows="{escape(group)}">'
        f'<svg class="c-{shown.colour}" viewBox="0 0 300 140" aria-hidden="true">{sample}</svg>'
        f"{escape(shown.name)}</button>"
    )
