"""Jain's index of the active flows over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.fairness import jain_index
from ackclock.running.changing import active
from ackclock.running.figures.asked import Line, curves, within
from ackclock.values.errors import impossible
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.drawing.chart import Chart
    from ackclock.running.figures.asked import Asked, Bins, Numbers
    from ackclock.running.run import Run
    from ackclock.scenario import Clients, Flow

__all__ = ["LABEL", "fairness", "index_in"]

LABEL: Final = "Jain's index"


def fairness(asked: Asked) -> Chart:
    """Draw Jain's index of the flows that are active in each bin: in one run, or as the mean of several."""
    times = asked.of_flows(asked.run, "throughput", "time")["time"]
    bins = asked.bins(np.unique(times))
    indices = np.array([index_in(asked, run, bins) for run in asked.runs])
    if not np.isfinite(indices).any():
        raise impossible("plot: at no time are two recorded flows active, so there is no fairness to draw")
    series, bands = curves([Line("Jain's index", bins.starts, indices)], limits=(0.0, 1.0))
    return asked.chart(series, LABEL, bins.label, bands=bands, most=1.0)


def index_in(asked: Asked, run: Run, bins: Bins) -> Numbers:
    """Return Jain's index in each bin, over the recorded flows that are active for the whole bin."""
    rows = asked.of_flows(run, "throughput", "time", "bytes")
    groups = [group for group in run.scenario.groups for _ in range(group.flows)]
    rates, active = [], []
    for flow in np.unique(rows["flow"]):
        own = rows["flow"] == flow
        rate = bins.rates(rows["time"][own], rows["bytes"][own])
        rates.append(rate)
        active.append(_active(groups[flow], bins, rate))
    return jain_index(rates, active)


def _active(group: Clients | Flow, bins: Bins, rate: Numbers) -> NDArray[np.bool_]:
    """Return in which whole bins a flow is active. With a random start, it begins after the first bin that has data."""
    start = seconds(group.start or "0 s")
    if group.spread is not None and seconds(group.spread) > 0:
        start = float(bins.starts[np.argmax(rate > 0)]) + bins.width if (rate > 0).any() else np.inf
    rounding = 1e-9 * bins.width
    return within(active(group, start), bins.starts + rounding, bins.starts + bins.width - rounding)
