"""Charts on a screen: SVG panels and a legend that adapt to the page's colours and width.

Each panel is a separate SVG drawing, so that a page can place panels side by side or below each other. Texts that may
wrap, such as titles and axis labels, are HTML around the drawing. Drawings are 520 units wide, with coordinates in
tenths of a unit. `templates/figure.js` reads values from the paths for tooltips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.cells import cells, dots_image, scale_bar
from ackclock.drawing.chart import Axis
from ackclock.drawing.paths import area, bars, runs, thinned, trace
from ackclock.drawing.pens import legend, legends_agree, pen
from ackclock.drawing.scales import Span, span, ticks
from ackclock.drawing.style import BAND

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.drawing.chart import Chart, Heat, Panel, Scale, Series

__all__ = ["interactive"]

_WIDTH: Final = 5200
_INCH: Final = 900
"""Height of a panel per inch on paper."""
_HEIGHTS: Final = (1900, 3200)
"""Minimum and maximum height of a panel."""
_STACKED: Final = 2
"""Maximum number of stacked panels of one quantity with a common horizontal axis; more are placed side by side."""
_LETTER: Final = 93
"""Width of a letter of an axis label, in tenths of a drawing unit."""
_SMALL_SCREEN: Final = 1.45
"""Factor by which letters are enlarged in narrow panels."""
_TICKS_UP: Final = 6
_TICKS_ALONG: Final = 7


@dataclass(frozen=True, slots=True)
class _Frame:
    """Converts a panel's values to coordinates of its drawing."""

    x: Span
    y: Span
    width: float
    height: float

    def along(self, values: ArrayLike) -> NDArray[np.float64]:
        return self.x.share(np.asarray(values, dtype=np.float64)) * self.width

    def down(self, values: ArrayLike) -> NDArray[np.float64]:
        return (1 - self.y.share(np.asarray(values, dtype=np.float64))) * self.height

    def column(self, value: float) -> int:
        return round(float(self.along(value)))

    def row(self, value: float) -> int:
        return round(float(self.down(value)))


def interactive(chart: Chart, *, label: str) -> str:
    """Render a chart as HTML.

    Parameters
    ----------
    chart
        The chart.
    label
        Text for screen readers.

    Returns
    -------
    str
        Elements for an HTML page with the styles of ``figure.css``. Markers refer to the shapes from
        `ackclock.drawing.pens.marker_shapes`.

    """
    panels = _resolved(chart)
    heats = [panel.heat for panel in panels if panel.heat]
    stacked = not heats and _are_stacked(chart)
    shared = legends_agree(panels)
    height = min(max(chart.height / len(panels) * _INCH, _HEIGHTS[0]), _HEIGHTS[1])
    one_scale = len({_scale_key(heat) for heat in heats}) == 1
    parts = [legend(panels)] if shared else []
    if heats and one_scale:
        parts.append(f'<div class="panel scale">{scale_bar(heats[0])}</div>')
    parts.append(f'<div class="panels {"stacked" if stacked else "beside"}">')
    gutters = [_gutter(_upright(panel)[1]) for panel in panels]
    for panel, gutter in zip(panels, [max(gutters)] * len(gutters) if stacked else gutters, strict=True):
        parts += [
            '<div class="panel">',
            _head(panel),
            "" if shared else legend([panel]),
            "" if one_scale or not panel.heat else scale_bar(panel.heat),
            _drawn(panel, height, gutter, label=f"{label} {panel.title}".strip()),
            f'<p class="along">{escape(panel.x.label)}</p>' if panel.x.label.strip() else "",
            "</div>",
        ]
    return "".join([*parts, "</div>"])


def _are_stacked(chart: Chart) -> bool:
    """Check whether panels with a common horizontal axis are stacked: few ones, or those of several quantities."""
    if any(panel.x.label for panel in chart.panels[:-1]):
        return False
    quantities = {panel.y.label for panel in chart.panels if panel.y.label}
    return len(chart.panels) <= _STACKED or len(quantities) == len(chart.panels)


def _scale_key(heat: Heat) -> tuple[str, float, float, bool]:
    return heat.label, heat.low, heat.high, heat.parted


def _resolved(chart: Chart) -> list[Panel]:
    """Return the panels with their shared axes and the common label of the vertical axis filled in."""
    groups: list[list[Panel]] = [[]]
    for panel in chart.panels:
        groups[-1].append(panel)
        if panel.x.label:
            groups.append([])
    return [_with_axes(panel, group, chart.y_label) for group in groups for panel in group]


def _with_axes(panel: Panel, group: Sequence[Panel], y_label: str) -> Panel:
    """Fill in the axes of a panel. The last panel of its group has the label of their common horizontal axis."""
    own, shared = panel.x, group[-1].x
    missing = {name: getattr(shared, name) for name in ("low", "high", "ticks") if getattr(own, name) is None}
    ends = span(replace(own, **missing), (each for one in group for each in _spread(one)))
    x = replace(own, **missing | {"label": shared.label, "low": ends.low, "high": ends.high})
    y = replace(panel.y, label=panel.y.label or y_label)
    if panel.heat:
        rows, columns = np.shape(panel.heat.values)
        x, y = replace(x, low=-0.5, high=columns - 0.5), replace(y, low=-0.5, high=rows - 0.5)
    return replace(panel, x=x, y=y)


def _spread(panel: Panel) -> Iterable[NDArray[np.float64]]:
    """Yield all x values of a panel."""
    yield from (_array(series.x) for series in panel.series)
    yield from (_array(band.x) for band in panel.bands)


def _reach(panel: Panel) -> Iterable[NDArray[np.float64]]:
    """Yield all values along the vertical axis."""
    for series in panel.series:
        middle, error = _array(series.y), series.bars
        yield from (middle,) if error is None else (middle, middle - error, middle + error)
    for band in panel.bands:
        yield from (_array(band.low), _array(band.high))
    yield np.array([level.y for level in panel.levels])


def _head(panel: Panel) -> str:
    """Write a panel's title and its vertical axis labels, which are placed horizontally above the axes."""
    title = f"<strong>{escape(panel.title)}</strong> " if panel.title else ""
    left = f"<span>{escape(panel.y.label)}</span>" if panel.y.label else ""
    right = f'<span class="right">{escape(panel.right.label)}</span>' if panel.right else ""
    return f'<p class="head">{title}{left}{right}</p>' if title or left or right else ""


def _upright(panel: Panel) -> tuple[Span, Sequence[tuple[float, str]]]:
    """Return the vertical axis of a panel with its ticks."""
    ends = span(panel.y, _reach(panel))
    return ends, ticks(panel.y, ends, most=_TICKS_UP)


def _gutter(labels: Sequence[tuple[float, str]]) -> int:
    """Compute the width that the tick labels of a vertical axis need."""
    return 120 + _LETTER * max((len(words) for _, words in labels), default=1)


def _drawn(panel: Panel, height: float, left_edge: int, *, label: str) -> str:
    x, (y, up) = span(panel.x, _spread(panel)), _upright(panel)
    right = _right_ticks(panel.right, y) if panel.right else []
    right_edge = _WIDTH - (_gutter(right) if right else 120)
    if panel.heat:
        height = max(height, 330.0 * len(_array(panel.heat.values)))
    frame = _Frame(x, y, right_edge - left_edge, height)
    along = ticks(panel.x, x, most=_TICKS_ALONG)
    top, bottom = (_gutter(along), 50) if panel.x.above else (100, 250)
    opening = (
        f'<svg viewBox="0 0 {_WIDTH} {height + top + bottom:.0f}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg"><g transform="translate({left_edge} {top})">'
    )
    size = f'width="{frame.width:.0f}" height="{height:.0f}" data-x="{_ends(x)}" data-y="{_ends(y)}"'
    words = [
        *(_text("word", 50, frame.row(level.y) - 45, level.text) for level in panel.levels if level.text),
        *(_text("word faint", frame.column(note.x), frame.row(note.y) + 150, note.text) for note in panel.notes),
    ]
    heads = panel.x.above
    axes = _axes(frame, up, [] if heads else along, right, grid=panel.heat is None)
    words += [_upwards(frame.column(at), name) for at, name in along] if heads else []
    return f'{opening}{axes}<svg class="plot" {size}>{_contents(panel, frame)}</svg>{"".join(words)}</g></svg>'


def _ends(ends: Span) -> str:
    return f"{ends.low:.7g} {ends.high:.7g}{' log' if ends.log else ''}"


def _text(style: str, x: int, y: int, words: str) -> str:
    given = f' class="{style}"' if style else ""
    return f'<text{given} x="{x}" y="{y}">{escape(words)}</text>'


def _upwards(x: int, words: str) -> str:
    """Write the head of a column, which reads upwards from the upper end of the panel."""
    return f'<text transform="translate({x + 45} -60) rotate(-90)">{escape(words)}</text>'


def _axes(
    frame: _Frame,
    up: Sequence[tuple[float, str]],
    along: Sequence[tuple[float, str]],
    right: Sequence[tuple[float, str]],
    *,
    grid: bool,
) -> str:
    """Draw the lines and labels of the axes. Labels that fit only into a wide panel have the CSS class ``w``."""
    width, height = round(frame.width), round(frame.height)
    heights = [frame.row(at) for at, _ in up]
    places = [frame.column(at) for at, _ in along]
    lengths = [len(words) for _, words in along]
    wide, narrow = (_apart(places, lengths, letter) for letter in (_LETTER * 0.85, _LETTER * _SMALL_SCREEN))
    lines = "".join([*(f"M0 {at}h{width}" for at in heights), *(f"M{at} 0v{height}" for at in places)])
    frame_line = f"M0 0V{height}H{width}" + (f"M{width} 0V{height}" if right else "")
    ticked = "".join(f"M{at} {height}v35" for at in places)
    return "".join(
        [
            f'<path class="grid" d="{lines}"/>' if grid else "",
            *(_text("up", -60, at + 45, words) for at, (_, words) in zip(heights, up, strict=True)),
            *(_text("on" if each in narrow else "on w", places[each], height + 185, along[each][1]) for each in wide),
            *(_text("", width + 60, frame.row(at) + 45, words) for at, words in right),
            f'<path class="axis" d="{frame_line}{ticked}"/>',
        ]
    )


def _apart(places: Sequence[int], lengths: Sequence[int], letter: float) -> list[int]:
    """Choose labels that do not overlap, from left to right; return their indices."""
    kept: list[int] = []
    end = -np.inf
    for number in sorted(range(len(places)), key=lambda each: places[each]):
        half = lengths[number] * letter / 2
        if places[number] - half > end:
            kept.append(number)
            end = places[number] + half + letter / 2
    return kept


def _right_ticks(scale: Scale, y: Span) -> Sequence[tuple[float, str]]:
    first, last = (round(end * scale.factor / scale.step) for end in (y.low, y.high))
    marks = [number * scale.step for number in range(first, last + 1)]
    return ticks(Axis(ticks=[(mark / scale.factor, f"{mark:g}") for mark in marks]), y, most=len(marks))


def _contents(panel: Panel, frame: _Frame) -> str:
    parts = []
    if panel.heat:
        parts.append(cells(panel.heat, frame.along, frame.down))
    if panel.dots:
        parts.append(dots_image(panel, frame.width, frame.height))
    for band in panel.bands:
        outline = area(frame.along(band.x), frame.down(band.low), frame.down(band.high))
        opening = f'<path class="c-{band.colour} band" data-group="{escape(band.name)}"'
        parts.append(f'{opening} fill-opacity="{BAND}" d="{outline}"/>')
    for level in panel.levels:
        dash = ' stroke-dasharray="16 24"' if level.dotted else ""
        parts.append(f'<path class="level" d="M0 {frame.row(level.y)}H{round(frame.width)}"{dash}/>')
    for moment in panel.moments:
        line = f"M{frame.column(moment.x)} 0V{round(frame.height)}"
        parts.append(
            f'<path class="level" d="{line}" stroke-dasharray="16 24"><title>{escape(moment.text)}</title></path>'
        )
    hollow_first = sorted(panel.series, key=lambda series: series.filled)
    return "".join([*parts, *(_series(series, frame) for series in hollow_first)])


def _series(series: Series, frame: _Frame) -> str:
    x, y, joined = frame.along(series.x), frame.down(series.y), series.dash != "none"
    pieces = [thinned(piece, joined=joined) for piece in runs(x, y)]
    if not pieces:
        return ""
    error = series.bars
    group = escape(series.group or series.name)
    opening = f'<g class="c-{series.colour}" data-group="{group}" data-name="{escape(series.name)}">'
    upright = ""
    if error is not None and error.any():
        middle = _array(series.y)
        upright = f'<path class="bar" d="{bars(x, frame.down(middle - error), frame.down(middle + error))}"/>'
    return f'{opening}{upright}<path class="line{"" if joined else " apart"}"{pen(series)} d="{trace(pieces)}"/></g>'


def _array(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
