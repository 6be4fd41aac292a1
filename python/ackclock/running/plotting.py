"""Draws several runs in one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ackclock.running.run import Run
from ackclock.running.runs import Runs
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot"]


def plot(
    runs: Mapping[str, Run | Sequence[Run]] | Sequence[Run | Sequence[Run]] | Run,
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
        By its name in the figure, each run, or several ones with different seeds. Without names, in a sequence, they
        are ``run 0``, ``run 1`` and so on; those of `ackclock.replicate` are one line.
    figures
        Names of the panels: ``cwnd``, ``rtt``, ``throughput``, ``queue`` and ``jain`` (default: all whose records all
        runs have kept); or only ``completion`` or ``load_times``, a distribution function for each run.
    link
        Name of the link of the panel ``queue`` (default: the measured link).
    flow
        Number of a flow to which the panels of flows are limited (default: all).
    start, end
        Time range, in s or as a text such as ``"10 s"`` (default: the whole runs).

    Raises
    ------
    ScenarioError
        There is no such panel, link or flow, the runs have not kept a record, or there is something else than runs.

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

    names = [figures] if isinstance(figures, str) else figures
    return draw(together(_by_name(runs), names, link=link, flow=flow, start=start, end=end))


def _by_name(runs: Any) -> dict[str, list[Run]]:
    """Return the runs of each line."""
    if isinstance(runs, Run | Runs):
        runs = [runs]
    if isinstance(runs, Sequence) and not isinstance(runs, str):
        runs = {f"run {place}": each for place, each in enumerate(runs)}
    if not isinstance(runs, Mapping):
        raise refuse("runs", runs, "must be runs by their names, or a sequence of runs")
    found = {}
    for name, each in runs.items():
        own = [each] if isinstance(each, Run) else each
        if not isinstance(own, Sequence) or not all(isinstance(run, Run) for run in own):
            raise refuse(f"runs.{name}", type(each).__name__, "must be a run, or runs with different seeds")
        found[str(name)] = list(own)
    return found
