"""Charts on paper, drawn with Matplotlib at a fixed width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, MultipleLocator, NullLocator

from ackclock.drawing.chart import Band, legend_entries
from ackclock.drawing.style import BAND, COLOURS, heat_colours, paper_style, to_small_png

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as DrawnAxis
    from matplotlib.typing import LineStyleType
    from numpy.typing import ArrayLike, NDArray

    from ackclock.drawing.chart import Axis, Chart, Dash, Heat, Level, Marker, Moment, Note, Panel, Scale, Series

__all__ = ["WIDTH", "PaperFigure", "draw"]

WIDTH = 5.8
"""Width of a chart, in inches."""

_PIXELS = 100
"""Pixels per inch of a figure in a notebook."""

_MARKERS: Mapping[Marker | None, str] = {
    None: "",
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "pentagon": "p",
    "down": "v",
    "hexagon": "h",
}

_DASHES: Mapping[Dash, LineStyleType] = {
    "solid": "solid",
    "dashed": (0.0, (4.0, 1.6)),
    "dotted": (0.0, (1.0, 1.5)),
    "none": "none",
}

_WIDER = 1.6
"""Width of a figure of two columns, compared with one column."""

_TALL = 20
"""Number of rows above which a heat map is tall."""

_INKS = {"dark": "#101010", "pale": "#fefefe"}
"""Colours of texts in cells. Pure black and white are avoided, because the theme of a page inverts them."""

_COLUMNS = 4
"""Maximum number of legend columns."""

_LETTERS = 84
"""Number of letters that fit into one line of the legend."""
_HANDLE = 5
"""Width of the line or marker before a name, in letters."""

_INK = COLOURS["ink"].light


class PaperFigure(Figure):
    """A figure that has its style when it is saved, too: Matplotlib embeds Type 3 fonts by default.

    In notebooks it shows itself as its PNG file, also if ``matplotlib.pyplot`` is not loaded.
    """

    def savefig(self, *args: Any, **options: Any) -> None:
        """Save the figure as Matplotlib does, with TrueType fonts in PDF files."""
        with paper_style():
            super().savefig(*args, **options)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        size = zip(("width", "height"), self.get_size_inches(), strict=True)
        return to_small_png(self), {name: round(_PIXELS * inches) for name, inches in size}


def draw(chart: Chart) -> Figure:
    """Draw a chart as a Matplotlib figure.

    Parameters
    ----------
    chart
        The chart.

    Returns
    -------
    matplotlib.figure.Figure
        Ready for `ackclock.drawing.style.to_png` and `to_svg`.

    """
    with paper_style():
        figure = PaperFigure(figsize=(WIDTH if chart.columns == 1 else _WIDER * WIDTH, chart.height))
        rows = -(-len(chart.panels) // chart.columns)
        places = figure.subplots(rows, chart.columns, squeeze=False).ravel()
        for panel, axes in zip(chart.panels, places, strict=True):
            _draw_panel(axes, panel)
        for upper, axes, below in zip(chart.panels[:-1], places[:-1], places[1:], strict=True):
            if not upper.x.label and chart.columns == 1:
                axes.sharex(below)
                axes.tick_params(labelbottom=False)
        if chart.y_label:
            figure.supylabel(chart.y_label, fontsize=10)
        handles = [_entry(each) for each in legend_entries(chart.panels)]
        if handles:
            figure.legend(
                handles=handles,
                loc="outside upper center",
                ncols=_columns([str(handle.get_label()) for handle in handles]),
                columnspacing=1.2,
                handlelength=1.8,
            )
        # Compute the layout only once; the layout engine would run again for each file.
        ConstrainedLayoutEngine().execute(figure)
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    if panel.heat:
        _draw_heat(axes, panel.heat)
    _draw_dots(axes, panel)
    for band in panel.bands:
        colour = COLOURS[band.colour].light
        axes.fill_between(_array(band.x), _array(band.low), _array(band.high), color=colour, alpha=BAND, linewidth=0)
    _draw_lines(axes, panel)
    for series in panel.series:
        _draw_series(axes, series)
    for note in panel.notes:
        _draw_note(axes, note)
    if panel.title:
        axes.set_title(panel.title, loc="left", fontsize=10, fontweight="bold")
    axes.set(xlabel=panel.x.label, ylabel=panel.y.label)
    axes.set_xscale("log" if panel.x.log else "linear")
    axes.set_yscale("log" if panel.y.log else "linear")
    if not panel.x.log:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    for place, axis in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        _put_ticks(place, axis)
    if panel.x.above:
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", labelrotation=90)
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(panel.y.low, panel.y.high)
    if panel.right:
        _draw_right(axes, panel.right)


def _draw_series(axes: Axes, series: Series) -> None:
    colour = COLOURS[series.colour].light
    drawn_width = 0.0 if series.dash == "none" else series.width
    axes.errorbar(
        _array(series.x),
        _array(series.y),
        yerr=series.bars,
        color=colour,
        linestyle=_DASHES[series.dash],
        linewidth=drawn_width,
        marker=_MARKERS[series.marker],
        markersize=series.size,
        markerfacecolor=colour if series.filled else "none",
        markeredgecolor=colour,
        markeredgewidth=1.0 if series.filled else 0.9,
        elinewidth=0.9,
        capthick=0.9,
        zorder=3 if series.filled else 2,
    )


def _put_ticks(place: DrawnAxis, axis: Axis) -> None:
    if axis.ticks is not None:
        place.set_ticks([at for at, _ in axis.ticks], [words for _, words in axis.ticks])
        place.set_minor_locator(NullLocator())


def _draw_heat(axes: Axes, heat: Heat) -> None:
    values = np.ma.masked_invalid(_array(heat.values))
    edges = (np.arange(count + 1) - 0.5 for count in reversed(values.shape))
    cells = axes.pcolormesh(*edges, values, cmap=heat_colours(heat), vmin=heat.low, vmax=heat.high)
    axes.grid(visible=False)
    for (row, column), value in np.ndenumerate(values):
        if word := heat.words[row][column]:
            axes.text(column, row, word, ha="center", va="center", fontsize=8, color=_INKS[heat.ink(value)])
    # Below a tall map the bar leaves its whole width to the cells.
    place: dict[str, Any] = {"location": "bottom", "fraction": 0.02, "pad": 0.06} if len(values) > _TALL else {}
    bar = cast("Figure", axes.figure).colorbar(cells, ax=axes, label=heat.label, use_gridspec=False, **place)
    bar.outline.set_visible(False)
    if heat.ticks is not None:
        # A bar below a map has the width of the cells: a sign is above its words.
        labels = [words.replace(" ", "\n") if place else words for _, words in heat.ticks]
        size: dict[str, Any] = {"fontsize": 7} if place else {}
        bar.set_ticks([at for at, _ in heat.ticks], labels=labels, **size)


def _draw_dots(axes: Axes, panel: Panel) -> None:
    if panel.dots is None:
        return
    marked = np.ma.masked_equal(panel.marked(), 0)
    extent = cast("tuple[float, float, float, float]", (panel.x.low, panel.x.high, panel.y.low, panel.y.high))
    # No interpolation, so that a file has one dot per cell at any resolution.
    axes.imshow(
        marked,
        cmap=ListedColormap([COLOURS[panel.dots.colour].light]),
        extent=extent,
        origin="lower",
        aspect="auto",
        interpolation="none",
        zorder=1,
    )


def _draw_lines(axes: Axes, panel: Panel) -> None:
    """Draw the lines across the panel, in both directions."""
    for level in panel.levels:
        _draw_level(axes, level)
    for moment in panel.moments:
        _draw_moment(axes, moment)


def _draw_level(axes: Axes, level: Level) -> None:
    dash = _DASHES["dotted" if level.dotted else "solid"]
    axes.axhline(level.y, color=_INK, linewidth=0.9, linestyle=dash, zorder=1.5)
    if level.text:
        axes.annotate(
            level.text,
            (0, level.y),
            xycoords=("axes fraction", "data"),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=9,
        )


def _draw_moment(axes: Axes, moment: Moment) -> None:
    axes.axvline(moment.x, color=COLOURS["faint"].light, linewidth=0.9, linestyle=_DASHES["dotted"], zorder=1.5)
    if moment.text:
        axes.annotate(
            moment.text,
            (moment.x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(2, -2),
            textcoords="offset points",
            verticalalignment="top",
            rotation="vertical",
            color=COLOURS["faint"].light,
            fontsize=7.5,
        )


def _draw_note(axes: Axes, note: Note) -> None:
    axes.annotate(
        note.text,
        (note.x, note.y),
        xytext=(0, -3),
        textcoords="offset points",
        verticalalignment="top",
        color=COLOURS["faint"].light,
        fontsize=9,
    )


def _draw_right(axes: Axes, scale: Scale) -> None:
    def there(left: ArrayLike) -> NDArray[np.float64]:
        return _array(left) * scale.factor

    def back(right: ArrayLike) -> NDArray[np.float64]:
        return _array(right) / scale.factor

    right = axes.secondary_yaxis("right", functions=(there, back))
    right.set_ylabel(scale.label)
    right.grid(visible=False)
    right.yaxis.set_major_locator(MultipleLocator(scale.step))
    right.spines["right"].set_visible(True)


def _columns(names: Sequence[str]) -> int:
    """Choose the largest number of legend columns that fits. Names fill the legend column by column."""
    for columns in range(_COLUMNS, 1, -1):
        rows = -(-len(names) // columns)
        longest = (max(map(len, names[first : first + rows])) for first in range(0, len(names), rows))
        if sum(_HANDLE + letters for letters in longest) <= _LETTERS:
            return columns
    return 1


def _entry(shown: Series | Band) -> Artist:
    colour = COLOURS[shown.colour].light
    if isinstance(shown, Band):
        return Patch(facecolor=colour, alpha=BAND, label=shown.name)
    return Line2D(
        [],
        [],
        color=colour,
        linestyle=_DASHES[shown.dash],
        linewidth=max(shown.width, 1.0),
        marker=_MARKERS[shown.marker],
        markersize=max(shown.size, 4.5),
        markerfacecolor=colour if shown.filled else "none",
        label=shown.name,
    )


def _array(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
