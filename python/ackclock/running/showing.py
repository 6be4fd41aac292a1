"""How runs show themselves in notebooks: notices, the summary with units, and a small drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.drawing.inline import block, small_bars, small_line, table
from ackclock.running.summary import UNITS, as_text, group_columns, summary_rows
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from ackclock.running.estimate import Estimate
    from ackclock.running.run import Run
    from ackclock.running.runs import Runs

__all__ = ["estimate_html", "run_html", "runs_html"]

_DRAWN: Final = {"arrivals": "packets offered to {} per {:g} s", "queue": "packets waiting at {}, every {:g} s"}
"""Records that have a small drawing, the first one first, and what it shows."""


def run_html(run: Run) -> str:
    """Return a run's notices, summary, groups and small drawing as HTML."""
    measure = run.scenario.measure
    title = f"Run, seed {run.seed}: measured from {measure.from_} to {run.scenario.duration} at {measure.link}"
    rows = [*summary_rows(run.summary), ("warmup", as_text(run.warmup, 1), "s")]
    parts = [table(rows), _small([run])]
    if len(run.groups) > 1:
        columns = group_columns(run.groups)
        head = [f"{name.removesuffix('_bps')}, {unit}" if unit else name for name, unit, _ in columns]
        groups = [
            [group.name, *(as_text(getattr(group, name), factor) for name, _, factor in columns)]
            for group in run.groups
        ]
        parts.append(table(groups, head=["group", *head]))
    return block(title, *parts, notices=run.notices)


def runs_html(runs: Runs) -> str:
    """Return the notices, the means with their intervals, and a small drawing of runs as HTML."""
    title = f"{counted(len(runs), 'run')}: means with 95 % confidence intervals"
    if not len(runs):
        return block(title)
    shown = {name for name, _, _ in (row for run in runs for row in summary_rows(run.summary))}
    rows = []
    for name, (unit, factor) in UNITS.items():
        if (words := name.removesuffix("_bps")) in shown:
            rows.append((words, _mean(getattr(runs, name).values, factor), unit))
    return block(title, table(rows), _small(runs), notices=runs.notices)


def estimate_html(estimate: Estimate) -> str:
    """Return an estimate with its number of runs and its warning as HTML."""
    notices = [estimate.warning] if estimate.warning else []
    return block(
        f"{estimate}", f"<small>95 % interval, {counted(len(estimate.values), 'run')}</small>", notices=notices
    )


def _mean(values: Sequence[float | None], factor: float) -> str:
    from ackclock.analysis import mean_interval  # noqa: PLC0415  # it loads NumPy

    there = [value * factor for value in values if value is not None]
    return str(mean_interval(there)) if there else "undefined"


def _small(runs: Sequence[Run]) -> str:
    """Draw a record of the measured link over time if the runs have kept one, otherwise the goodput of each flow.

    Columns become lists, since Arrow's conversion to NumPy loads an installed pandas: 2 s of CPU time.
    """
    import numpy as np  # noqa: PLC0415  # slow to load, and an interactive session has loaded it

    link, of = runs[0].scenario.measure.link or "", "" if len(runs) == 1 else f", mean of {counted(len(runs), 'run')}"
    for record, words in _DRAWN.items():
        if all(record in run.tables for run in runs):
            rows = [_at(run.table(record), link) for run in runs]
            times = rows[0]["time"].to_pylist()
            if len(times) > 1 and all(each["time"].equals(rows[0]["time"]) for each in rows):
                means = np.mean([each["packets"].to_pylist() for each in rows], axis=0)
                label = f"{words.format(link, times[1] - times[0])}{of}; at most {means.max():.4g}"
                return small_line(means, label)
    flows = [run.table("flows")["goodput_bps"].to_pylist() for run in runs]
    if len({len(each) for each in flows}) > 1:  # runs of different scenarios have no common drawing
        return ""
    goodput = np.mean(flows, axis=0) / 1e6
    label = f"goodput of each flow{of}; at most {goodput.max(initial=0.0):.4g} Mbps"
    return small_bars(goodput, label)


def _at(rows: pa.Table, link: str) -> pa.Table:
    import pyarrow.compute as pc  # noqa: PLC0415  # slow to load

    return rows.filter(pc.equal(rows["link"].cast("string"), link))
