"""Measures of a run with flows of one or two laws: goodput, share, loss and waiting time."""

from __future__ import annotations

from ackclock.papers.aqm.measures import load
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.parts import Taken
from ackclock.running.run import Run

SHARE = Measure("share", "share of a flow of the first law", "%", digits=1)
TOTAL = Measure("total", "share of all flows of the first law", "%", digits=1)
HARM = Measure("harm", "harm of the first law to the second", "%", digits=1)
LOSS = Measure("loss", "loss", "%", digits=2)


def flows(run: Run) -> Taken:
    """Return percentages and waiting times in ms; goodput is that of one flow of each group, as a share of the link."""
    here = run.summary
    rate = here.throughput_bps / here.utilization
    goodput = {group.name: 100 * group.goodput_bps / rate for group in here.groups}
    each = {group.name: goodput[group.name] / group.clients for group in here.groups}
    values = {
        **load(run),
        **{f"{name}_goodput": value for name, value in each.items()},
    }
    if "second" in each:
        values |= {
            "share": _percent(each["first"], each["first"] + each["second"]),
            "total": _percent(goodput["first"], sum(goodput.values())),
        }
    return values


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None
