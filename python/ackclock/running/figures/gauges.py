"""Draws the state of a queue discipline over time: the record ``gauges`` of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.engine.catalogue import catalogue
from ackclock.values.errors import impossible, one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["gauge_chart"]

_TOGETHER: Final[Sequence[tuple[tuple[str, ...], str]]] = (
    (("avg",), "Average queue"),
    (("max_p", "p_b"), "Probability"),
    (("count",), "Count of drops"),
    (("drop_interval",), "Time between drops"),
    (("drop_prob",), "Drop probability"),
    (("qdelay_old",), "Queueing delay"),
    (("p_base", "p_C", "p_CL"), "Probability"),
    (("prevq",), "Queueing delay"),
    (("p_drop",), "BLUE's probability"),
    (("active_queues",), "Active queues"),
)
"""Gauges that share a panel by default, and the label of its axis. Other gauges are drawn on request, one per panel."""

_COLOURS: Final = ("blue", "red", "green")
_PANEL: Final = 1.7
_FRAME: Final = 0.7
"""Heights of a panel, and of the rest of the figure, in inches."""
_MILLI: Final = 1e3


def gauge_chart(
    table: pa.Table, *, link: str | None = None, gauges: Sequence[str] = (), start: float = 0.0, end: float = np.inf
) -> Chart:
    """Draw gauges of a link over time, in one panel per quantity.

    Parameters
    ----------
    table
        A run's table ``gauges``.
    link
        Name of the link (default: the first link of the table).
    gauges
        Gauges to draw, each in its own panel (default: the ones by which a discipline is usually described).
    start, end
        Time range to draw, in seconds.

    Returns
    -------
    Chart
        Steps from each sample to the next. Gaps are times at which a gauge has no value.

    Raises
    ------
    ScenarioError
        The table has no such link or gauge, or no rows in this time.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario.from_toml("examples/codel.toml")
    >>> run = ac.simulate(scenario.changed({"duration": "12 s"}), record=["gauges/20ms"])
    >>> [panel.y.label for panel in gauge_chart(run.table("gauges")).panels]
    ['Count of drops', 'Time between drops, ms']

    """
    rows = {name: np.asarray(table[name]) for name in table.column_names}
    links = list(dict.fromkeys(rows["link"]))
    if not links:
        raise impossible("gauges: the table has no rows, because the queue disciplines of its links have no gauges")
    if link is not None and link not in links:
        raise refuse("link", link, one_of(link, links), noun="link")
    here = (rows["link"] == (link or links[0])) & (rows["time"] >= start) & (rows["time"] < end)
    times, names, values = (rows[name][here] for name in ("time", "gauge", "value"))
    there = list(dict.fromkeys(names))
    if not there:
        raise impossible(f"gauges: the table has no rows from {start:g} s to {end:g} s")
    for gauge in gauges:
        if gauge not in there:
            raise refuse("gauge", gauge, one_of(gauge, there), noun="gauge")
    asked: list[tuple[tuple[str, ...], str]] = [((gauge,), gauge) for gauge in gauges]
    wanted = asked or [
        (some, words) for group, words in _TOGETHER if (some := tuple(name for name in group if name in there))
    ]
    panels = []
    for place, (group, words) in enumerate(wanted, start=1):
        in_seconds = catalogue().gauges[group[0]].unit == "s"
        series = []
        for name, colour in zip(group, _COLOURS, strict=False):
            at, of = times[names == name], values[names == name].astype(float)
            steps = np.repeat(at, 2)[1:], np.repeat(of, 2)[:-1] * (_MILLI if in_seconds else 1)
            series.append(Series(name=name, x=steps[0], y=steps[1], colour=colour, width=1.0, listed=len(group) > 1))
        panels.append(
            Panel(
                x=Axis(label="Time, s" if place == len(wanted) else ""),
                y=Axis(label=f"{words}, ms" if in_seconds else words, low=0.0),
                series=series,
            )
        )
    return Chart(panels=panels, height=_FRAME + _PANEL * len(panels))
