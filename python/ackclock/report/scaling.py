"""Figures of how a series varies over time scales: its c.o.v., and the plots behind the Hurst parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.report.chart import Axis, Chart, Panel, Series

if TYPE_CHECKING:
    from ackclock.analysis import Burstiness, Hurst, HurstEstimate

__all__ = ["scaling_charts"]

_SCALE: Final = "Time scale (bins)"
_TWO_SIGMA: Final = 1.96

_PLOTS: Final = {
    "variance_time": ("variance_time", "Variance of means", "blue"),
    "rescaled_range": ("rescaled_range", "Rescaled range R/S", "green"),
    "log_scale": ("abry_veitch", "Energy of wavelet coefficients", "red"),
}


def scaling_charts(ladder: Burstiness, found: Hurst) -> dict[str, Chart]:
    """Make the figures of a series.

    Parameters
    ----------
    ladder, found
        What `ackclock.analysis.burstiness` and `hurst` say of it.

    Returns
    -------
    dict
        Charts by name: ``cov``, and ``variance_time``, ``rescaled_range`` and ``log_scale`` if their methods spoke.

    """
    charts = {"cov": _cov(ladder)}
    for name, (method, label, colour) in _PLOTS.items():
        estimate = found.get(method)
        if estimate is not None:
            charts[name] = _plot(estimate, label, colour)
    return charts


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
                Series(name="were bins independent", x=scales, y=memoryless, colour="grey", dash="dashed"),
            ],
        )
    ]
    return Chart(panels=panels, height=3.6)


def _plot(estimate: HurstEstimate, label: str, colour: str) -> Chart:
    diagram = estimate.diagram
    assert diagram is not None  # noqa: S101  # the methods of `_PLOTS` all have one
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
