"""Charts on a screen: what Plotly needs to draw them, as plain values for a page's script.

A colour is written as its name after an @, such as ``@blue``; the script puts in the page's own, light or dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.report.style import HEAT, PARTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ackclock.report.chart import Axis, Band, Chart, Dash, Dots, Level, Marker, Panel, Series

__all__ = ["interactive"]

_MARKERS: Mapping[Marker, str] = {
    "circle": "circle",
    "square": "square",
    "triangle": "triangle-up",
    "diamond": "diamond",
    "pentagon": "pentagon",
    "down": "triangle-down",
    "hexagon": "hexagon",
}
_DASHES: Mapping[Dash, str] = {"solid": "solid", "dashed": "dash", "dotted": "dot"}

_BAND = 0.18
_GAP = {True: 0.06, False: 0.13}
"""Share of the height between two panels: with one common axis, or an axis each."""


def interactive(chart: Chart) -> dict[str, Any]:
    """Tell Plotly how to draw a chart.

    Parameters
    ----------
    chart
        What is drawn.

    Returns
    -------
    dict
        ``data`` and ``layout`` as `plotly.graph_objects.Figure` takes them once the colours are put in. JSON can
        hold it.

    """
    layout: dict[str, Any] = {
        "shapes": [],
        "annotations": [],
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
    }
    data: list[dict[str, Any]] = []
    listed: set[str] = set()
    last = len(chart.panels)
    for number, (panel, (low, high)) in enumerate(zip(chart.panels, _domains(chart), strict=True), start=1):
        suffix = "" if number == 1 else str(number)
        alone = bool(panel.x.label) or number == last
        layout[f"xaxis{suffix}"] = _axis(panel.x) | {"anchor": f"y{suffix}", "showticklabels": alone}
        layout[f"yaxis{suffix}"] = _axis(panel.y) | {"anchor": f"x{suffix}", "domain": [low, high]}
        if not alone:
            layout[f"xaxis{suffix}"]["matches"] = f"x{number + 1}"
        traces = [_heat(panel, first=not data)] if panel.heat else []
        traces += [_dots(panel, panel.dots)] if panel.dots else []
        traces += [trace for band in panel.bands for trace in _band(band)] + [_trace(series) for series in panel.series]
        for trace in traces:
            trace["showlegend"] = trace["showlegend"] and trace["name"] not in listed
            listed |= {trace["name"]} if trace["showlegend"] else set()
            data.append(trace | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"})
        layout["shapes"] += [_line(level, suffix) for level in panel.levels]
        layout["annotations"] += _words(panel, suffix)
    if chart.y_label:
        layout["annotations"].append(
            {"text": chart.y_label, "textangle": -90, "showarrow": False, "x": 0, "y": 0.5, "xshift": -46}
            | {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "middle"}
        )
    return {"data": data, "layout": layout}


def _domains(chart: Chart) -> list[tuple[float, float]]:
    """Share the height out, from the top: every panel gets the same, more lies between those with axes of their own."""
    gaps = [_GAP[not panel.x.label] for panel in chart.panels[:-1]]
    each = (1 - sum(gaps)) / len(chart.panels)
    domains, top = [], 1.0
    for gap in (*gaps, 0.0):
        domains.append((max(0.0, round(top - each, 4)), round(top, 4)))
        top -= each + gap
    return domains


def _axis(axis: Axis) -> dict[str, Any]:
    drawn: dict[str, Any] = {"title": {"text": axis.label}, "type": "log" if axis.log else "linear"}
    if axis.ticks is not None:
        drawn |= {"tickvals": [at for at, _ in axis.ticks], "ticktext": [words for _, words in axis.ticks]}
    elif axis.log:
        # Over one or two decades 2 and 5 are named between powers of ten, not each digit.
        drawn["nticks"] = 5
    low, high = (None if end is None else _place(end, log=axis.log) for end in (axis.low, axis.high))
    if low is not None and high is not None:
        return drawn | {"range": [low, high]}
    # Plotly counts error bars in, which may reach below an end that is given.
    options = {"minallowed": low, "maxallowed": high, "include": [end for end in (low, high) if end is not None]}
    return drawn | {"autorangeoptions": {name: value for name, value in options.items() if value not in (None, [])}}


def _place(value: float, *, log: bool) -> float:
    """Tell where a value lies on an axis: Plotly wants the logarithm."""
    return math.log10(value) if log else value


def _trace(series: Series) -> dict[str, Any]:
    lines = series.dash != "none"
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "+".join(["lines"] * lines + ["markers"] * (series.marker is not None)),
        "name": series.name,
        "legendgroup": series.group or series.name,
        "showlegend": series.listed,
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "connectgaps": False,
        "hovertemplate": f"<b>{series.name}</b><br>%{{x:.6~g}}: %{{y:.4~g}}",
    }
    if lines:
        trace["line"] = {"color": f"@{series.colour}", "width": series.width * 1.33, "dash": _DASHES[series.dash]}
    if series.marker is not None:
        symbol = _MARKERS[series.marker] + ("" if series.filled else "-open")
        trace["marker"] = {"symbol": symbol, "size": series.size * 1.6, "color": f"@{series.colour}"}
    if series.error is not None and np.isfinite(np.asarray(series.error, dtype=np.float64)).all():
        trace["error_y"] = {"type": "data", "array": _numbers(series.error), "thickness": 1.2, "width": 2.5}
        trace["hovertemplate"] += " ± %{error_y.array:.2~g}"
    trace["hovertemplate"] += "<extra></extra>"
    return trace


def _heat(panel: Panel, *, first: bool) -> dict[str, Any]:
    heat = panel.heat
    assert heat is not None  # noqa: S101  # narrows the type; the caller looked
    rows = np.asarray(heat.values, dtype=np.float64)
    bar: dict[str, Any] = {"title": {"text": heat.label, "side": "right"}, "thickness": 14}
    if heat.ticks is not None:
        bar |= {"tickvals": [at for at, _ in heat.ticks], "ticktext": [words for _, words in heat.ticks]}
    steps = len(PARTED) - 1
    return {
        "type": "heatmap",
        "name": heat.label,
        "showlegend": False,
        "x": list(range(rows.shape[1])),
        "y": list(range(rows.shape[0])),
        "z": [_numbers(row) for row in rows],
        "zmin": heat.low,
        "zmax": heat.high,
        "colorscale": [[step / steps, colour] for step, colour in enumerate(PARTED)]
        if heat.parted
        else HEAT.capitalize(),
        "showscale": first,
        "colorbar": bar,
        "text": [list(row) for row in heat.words],
        "texttemplate": "%{text}",
        # On a scale with words of its own the number behind a colour says less than the word in the cell.
        "hovertemplate": ("%{z:.4~g}" if heat.ticks is None else "%{text}") + "<extra></extra>",
    }


def _dots(panel: Panel, dots: Dots) -> dict[str, Any]:
    """Make a heat map of one colour, empty where there is no dot."""
    marked = panel.marked()
    (x, along), (y, up) = _middles(panel.x, dots.columns), _middles(panel.y, dots.rows)
    return {
        "type": "heatmap",
        "name": dots.name,
        "showlegend": False,
        "x0": x,
        "dx": along,
        "y0": y,
        "dy": up,
        "z": [[int(count) or None for count in row] for row in marked.tolist()],
        "colorscale": [[0, f"@{dots.colour}"], [1, f"@{dots.colour}"]],
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"<b>{dots.name}</b><br>%{{x:.6~g}}: %{{y:.4~g}}, %{{z}} of them<extra></extra>",
    }


def _middles(axis: Axis, count: int) -> tuple[float, float]:
    """Give the middle of the first of the cells along an axis, and how far they lie apart."""
    low = axis.low or 0.0
    step = ((axis.high or 0.0) - low) / count
    return low + step / 2, step


def _band(band: Band) -> list[dict[str, Any]]:
    """Make two lines of a band, of which the upper fills what lies between."""
    edge: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "name": band.name,
        "legendgroup": band.name,
        "hoverinfo": "skip",
    }
    lower, upper = (
        edge | {"x": _numbers(band.x), "y": _numbers(y), "line": {"width": 0}} for y in (band.low, band.high)
    )
    fill = {"fill": "tonexty", "fillcolor": f"@{band.colour}/{_BAND}"}
    return [lower | {"showlegend": False}, upper | fill | {"showlegend": band.listed}]


def _line(level: Level, suffix: str) -> dict[str, Any]:
    ends = {"type": "line", "x0": 0, "x1": 1, "xref": f"x{suffix} domain", "y0": level.y, "y1": level.y}
    dash = "dot" if level.dotted else "solid"
    return ends | {"yref": f"y{suffix}", "layer": "below", "line": {"color": "@ink", "width": 1.2, "dash": dash}}


def _words(panel: Panel, suffix: str) -> list[dict[str, Any]]:
    """Write a panel's title, levels and notes."""
    inside = {"showarrow": False, "xanchor": "left", "xref": f"x{suffix} domain", "yref": f"y{suffix}", "x": 0}
    words = [
        inside | {"text": level.text, "y": _place(level.y, log=panel.y.log), "yanchor": "bottom"}
        for level in panel.levels
        if level.text
    ]
    for note in panel.notes:
        place = {"x": _place(note.x, log=panel.x.log), "y": _place(note.y, log=panel.y.log), "xref": f"x{suffix}"}
        words.append(inside | place | {"text": note.text, "yanchor": "top"})
    if panel.title:
        above = {"text": f"<b>{panel.title}</b>", "y": 1, "yref": f"y{suffix} domain", "yanchor": "bottom"}
        words.append(inside | above)
    return words


def _numbers(values: ArrayLike) -> list[float | None]:
    """List numbers with six digits, as many as anyone reads; JSON knows no NaN."""
    return [
        float(f"{value:.6g}") if math.isfinite(value) else None
        for value in np.asarray(values, dtype=np.float64).tolist()
    ]
