"""Creates the figures and the page of a series: its variation over time scales, and its Hurst parameter."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Report, Section, Statement, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from ackclock.analysis import Burstiness, Hurst, HurstEstimate

__all__ = ["columns_text", "hurst_words", "scaling_charts", "scaling_drawings", "scaling_report"]

_SCALE: Final = "Time scale (bins)"
_TWO_SIGMA: Final = 1.96

_TITLES: Final = {
    "cov": "Coefficient of variation over time scales",
    "variance_time": "Variance over time scales",
    "rescaled_range": "Rescaled range",
    "log_scale": "Log-scale diagram",
}
_CAPTIONS: Final = {
    "cov": "The c.o.v. of sums over bins of increasing length; dashed: independent bins.",
    "variance_time": "Variance of the mean over blocks of increasing length, with the fitted line that gives H.",
    "rescaled_range": "R/S over blocks of increasing length, with the fitted line that gives H.",
    "log_scale": "Energy of wavelet coefficients at each scale with 95 % intervals, and the fitted line that gives H.",
}

_PLOTS: Final = {
    "variance_time": ("variance_time", "Variance of means", "blue"),
    "rescaled_range": ("rescaled_range", "Rescaled range R/S", "green"),
    "log_scale": ("abry_veitch", "Energy of wavelet coefficients", "red"),
}


def scaling_charts(ladder: Burstiness, found: Hurst) -> dict[str, Chart]:
    """Create the charts of a series.

    Parameters
    ----------
    ladder, found
        Results of `ackclock.analysis.burstiness` and `hurst`.

    Returns
    -------
    dict
        Charts by name: ``cov``, and ``variance_time``, ``rescaled_range`` and ``log_scale`` if their methods have an
        estimate.

    """
    charts = {"cov": _cov(ladder)}
    for name, (method, label, colour) in _PLOTS.items():
        estimate = found.get(method)
        if estimate is not None:
            charts[name] = _plot(estimate, label, colour)
    return charts


def scaling_drawings(ladder: Burstiness, found: Hurst, *, bin_: float | None, command: str) -> Iterator[Drawing]:
    """Create the figures of a series with their data.

    Parameters
    ----------
    ladder, found
        As for `scaling_charts`.
    bin_
        Width of a bin in seconds; None if it is unknown.
    command
        The command that creates the figures.

    """
    length = "" if bin_ is None else f" One bin is {bin_:g} s."
    for name, chart in scaling_charts(ladder, found).items():
        series = chart.panels[0].series
        columns = {each.name: np.asarray(each.y, dtype=np.float64) for each in series}
        scale = np.asarray(series[0].x, dtype=np.float64)
        rows = [[f"{each:.6g}" for each in row] for row in zip(scale, *columns.values(), strict=True)]
        yield Drawing(
            slug=name,
            title=_TITLES[name],
            caption=f"{_CAPTIONS[name]}{length}",
            chart=chart,
            csv=columns_text({"scale": scale, **columns}),
            numbers=Table(caption="Values in the figure", head=["scale (bins)", *columns], rows=rows),
            command=command,
        )


def columns_text(columns: Mapping[str, NDArray[np.float64]]) -> str:
    """Format columns of equal length as CSV."""
    text = io.StringIO()
    text.write(",".join(f'"{name}"' if "," in name else name for name in columns) + "\n")
    np.savetxt(text, np.column_stack(list(columns.values())), fmt="%.9g", delimiter=",")
    return text.getvalue()


def hurst_words(found: Hurst) -> str:
    """Describe in a sentence whether a series has long-range dependence."""
    if not found.estimates:
        return "No method can estimate the Hurst parameter."
    values = [each.h for each in found.estimates]
    spread = f"estimates of H range from {min(values):.2f} to {max(values):.2f}"
    if found.long_range:
        return f"The series has long-range dependence: {spread}."
    return f"Long-range dependence is not claimed; {spread}."


def scaling_report(
    source: str, about: str, ladder: Burstiness, found: Hurst, *, bin_: float | None, command: str
) -> Report:
    """Create the page of a series.

    Parameters
    ----------
    source
        Origin of the series.
    about
        Meaning of the values of the series.
    ladder, found, bin_, command
        As for `scaling_drawings`.

    Returns
    -------
    Report
        The page, for `ackclock.report.html.render`.

    """
    drawings = list(scaling_drawings(ladder, found, bin_=bin_, command=command))
    estimates = []
    for each in found.estimates:
        shortest, longest = each.scales
        ends = [f"{each.low:.3f} to {each.high:.3f}", f"{shortest:.0f} to {longest:.0f}"]
        estimates.append([each.method, f"{each.h:.3f}", *ends])
    return Report(
        title=f"Burstiness of {source}",
        source=about,
        answer=f"The c.o.v. is {ladder.cov[0]:.3g} per bin. {hurst_words(found)}",
        summary=[Statement(lead="Note:", text=notice) for notice in found.notices],
        overview=Table(
            caption="Hurst parameter by method, with 95 % intervals and the fitted scales",
            head=["method", "H", "95 % interval", "scales (bins)"],
            rows=estimates,
        ),
        sections=[Section(title="Over time scales", drawings=drawings)],
        provenance=[("Command", command)],
    )


def _cov(ladder: Burstiness) -> Chart:
    scales = ladder.scales.astype(np.float64)
    cov = np.where(ladder.cov > 0, ladder.cov, np.nan)
    memoryless = ladder.cov[0] * scales**-0.5
    panels = [
        Panel(
            x=Axis(label=_SCALE, log=True),
            y=Axis(label="Coefficient of variation", log=True),
            series=[
                Series(name="the series", x=scales, y=cov, colour="blue", marker="circle"),
                Series(name="independent bins", x=scales, y=memoryless, colour="grey", dash="dashed"),
            ],
        )
    ]
    return Chart(panels=panels, height=3.6)


def _plot(estimate: HurstEstimate, label: str, colour: str) -> Chart:
    diagram = estimate.diagram
    assert diagram is not None  # noqa: S101  # the methods in `_PLOTS` all have a diagram
    error = None
    if diagram.errors is not None:
        error = diagram.values * np.log(2) * diagram.errors * _TWO_SIGMA
    line = f"H = {estimate.h:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
    series = [
        Series(
            name="the series",
            x=diagram.scales,
            y=diagram.values,
            colour=colour,
            dash="none",
            marker="circle",
            error=error,
        ),
        Series(name=line, x=diagram.scales, y=diagram.fitted, colour="ink"),
    ]
    return Chart(
        panels=[Panel(x=Axis(label=_SCALE, log=True), y=Axis(label=label, log=True), series=series)], height=3.6
    )
