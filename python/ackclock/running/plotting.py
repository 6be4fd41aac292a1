"""Draws several runs in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from ackclock.running.run import Run

__all__ = ["plot"]


def plot(
    runs: Mapping[str, Run | Sequence[Run]],
    figures: Sequence[str] = (),
    *,
    link: str | None = None,
    flow: int | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
) -> Figure:
    """Draw several runs in one figure, with a panel for each quantity over one time axis. Changes are marked.

    A line is a run: the mean window and round-trip time over its active flows, their total goodput, the queue of a
    link, and Jain's index of the active flows. For several runs with different seeds it is their mean, with 95 %
    intervals.

    Parameters
    ----------
    runs
        A run, or several ones with different seeds, by their names in the figure.
    figures
        Names of the panels: ``cwnd``, ``rtt``, ``throughput``, ``queue`` and ``jain`` (default: all whose records all
        runs have kept).
    link
        Name of the link of the panel ``queue`` (default: the measured link).
    flow
        Number of a flow to which the panels of flows are limited (default: all).
    start, end
        Time range, in s or as a text such as ``"10 s"`` (default: the whole runs).

    Raises
    ------
    ScenarioError
        There is no such panel, link or flow, or the runs have not kept a record.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario.from_toml("examples/join_and_leave.toml").changed({"duration": "50 s"})
    >>> run = ac.simulate(scenario, record=["throughput/500ms"])
    >>> [axes.get_ylabel() for axes in ac.plot({"CUBIC": run}).axes]
    ['Goodput, Mb/s', "Jain's index"]
    """
    from ackclock.drawing.paper import draw  # noqa: PLC0415  # it loads Matplotlib
    from ackclock.running.figures.together import together  # noqa: PLC0415  # it loads NumPy

    by_name = {name: [each] if not isinstance(each, Sequence) else list(each) for name, each in runs.items()}
    return draw(together(by_name, figures, link=link, flow=flow, start=start, end=end))
