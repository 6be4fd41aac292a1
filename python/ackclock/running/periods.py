"""The results of each period between the changes of a network, from the records of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.running import changing
from ackclock.running.estimate import Estimate
from ackclock.running.records import flows_of_groups
from ackclock.running.summary import Groups
from ackclock.running.tables import numbers, words
from ackclock.values.errors import impossible, refuse
from ackclock.values.quantity import TIME, QuantityError, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.running.run import Run

__all__ = ["GroupPeriod", "Period", "periods_of"]

_MOST: Final = 1000
"""Maximum number of periods."""
_ROUNDING: Final = 1e-9
"""Part of a bin by which times differ because of rounding."""


@dataclass(frozen=True)
class GroupPeriod:
    """The results of a group in a period."""

    name: str
    """Name of the group."""
    goodput_bps: Estimate
    """Goodput of all its flows, with headers, in bit/s, over the bins of the record ``throughput`` in the period."""
    rtt: Estimate
    """Mean smoothed round-trip time in s, over time and its active flows, from the record ``windows``."""

    def __repr__(self) -> str:
        return f"GroupPeriod({self.name}; goodput {self.goodput_bps}, rtt {self.rtt} s)"


@dataclass(frozen=True)
class Period:
    """The time between two changes, and the results in it: estimates over the runs, undefined without their record."""

    start: float
    """Start, in s."""
    end: float
    """End, in s."""
    change: str
    """What changes at its start; empty for the first period and for given times."""
    groups: Groups[GroupPeriod]
    """The results of each group, in order or by name."""
    queue: Estimate
    """Mean of the samples of the record ``queue`` at the measured link, in packets."""

    def __repr__(self) -> str:
        rates = ", ".join(f"{group.name} {group.goodput_bps}" for group in self.groups)
        change = f"; {self.change}" if self.change else ""
        return f"Period({self.start:g} to {self.end:g} s{change}; goodput: {rates})"


def periods_of(runs: Sequence[Run], at: Sequence[float | str] | None) -> tuple[Period, ...]:
    """Return the results of each period: the arguments are those of `ackclock.Runs.periods`."""
    if not runs:
        raise refuse("runs", 0, "must be at least one run")
    kept = set.intersection(*(set(run.tables) for run in runs)) & {"throughput", "windows", "queue"}
    if not kept:
        raise impossible(
            'periods: needs a record: ask for some with simulate(..., record=["throughput/100ms", "windows/100ms", '
            '"queue/100ms"]); replicate takes the same argument'
        )
    scenario = runs[0].scenario
    last = seconds(scenario.duration)
    starts = _changes(runs[0], last) if at is None else dict.fromkeys(_times(at, last), "")
    if len(starts) > _MOST:
        raise refuse("at", f"{len(starts)} times", f"must be at most {_MOST} times; give those of the periods")
    begins = sorted(starts)
    groups = list(zip(scenario.groups, flows_of_groups(scenario).items(), strict=True))
    every = [_Results(run, kept) for run in runs]
    found = []
    for begin, end in zip(begins, [*begins[1:], last], strict=True):
        results = (
            GroupPeriod(
                name,
                Estimate.of((each.goodput(flows, begin, end) for each in every), measure="goodput_bps"),
                Estimate.of(each.rtt(flows, changing.active(group), begin, end) for each in every),
            )
            for group, (name, flows) in groups
        )
        queue = Estimate.of(each.queue(begin, end) for each in every)
        found.append(Period(begin, end, starts[begin], Groups(results), queue))
    return tuple(found)


def _changes(run: Run, last: float) -> dict[float, str]:
    """Return the beginnings of all periods with their changes."""
    kinds = (changing.changes, changing.joins, changing.steps)
    found = changing.merged(moment for kind in kinds for moment in kind(run.scenario))
    return {0.0: ""} | {at: text for at, text in found.items() if at < last}


def _times(at: Sequence[float | str], last: float) -> list[float]:
    times = [0.0]
    for place, given in enumerate(at):
        try:
            time = seconds(given) if isinstance(given, str) else float(given)
        except (QuantityError, TypeError, ValueError):
            raise refuse(f"at.{place}", given, f"must be a number of seconds, or {TIME.allowed}") from None
        if not times[-1] < time < last and not (place == 0 and time == 0):
            raise refuse(f"at.{place}", given, f"must be after {times[-1]:g} s and before the end, at {last:g} s")
        times.append(time)
    return list(dict.fromkeys(times))


class _Results:
    """The rows of the records of a run."""

    def __init__(self, run: Run, kept: set[str]) -> None:
        of_flows = {"throughput": ("time", "flow", "bytes"), "windows": ("time", "flow", "srtt")}
        self._rows: dict[str, dict[str, NDArray[Any]]] = {}
        for name in kept & of_flows.keys():
            table = run.table(name)
            if "flow" in table.column_names:  # otherwise the record is of a link
                self._rows[name] = {column: numbers(table[column]) for column in of_flows[name]}
        if "queue" in kept:
            table = run.table("queue")
            there = words(table["link"]) == run.scenario.measure.link
            self._rows["queue"] = {column: numbers(table[column])[there] for column in ("time", "packets")}

    def goodput(self, flows: Sequence[int], begin: float, end: float) -> float | None:
        """Return the goodput of flows, over the whole bins in a time."""
        rows = self._rows.get("throughput")
        if rows is None or not np.isin(flows, rows["flow"]).all():
            return None
        times = np.unique(rows["time"])
        width = float(np.round(times[1] - times[0], 12)) if times.size > 1 else np.inf
        rounding = _ROUNDING * width
        bins = times[(times >= begin - rounding) & (times + width <= end + rounding)]
        if not bins.size:
            return None
        there = np.isin(rows["flow"], flows) & (rows["time"] >= bins[0]) & (rows["time"] <= bins[-1])
        return float(8 * rows["bytes"][there].sum() / (bins.size * width))

    def rtt(self, flows: Sequence[int], spans: Sequence[tuple[float, float]], begin: float, end: float) -> float | None:
        """Return the mean of the flows' means of the smoothed round-trip time while they are active."""
        rows = self._rows.get("windows")
        if rows is None:
            return None
        means = []
        for flow in flows:
            own = rows["flow"] == flow
            times, values = rows["time"][own], rows["srtt"][own]
            weight, total = 0.0, 0.0
            for first, last in spans:
                low, high = max(begin, first), min(end, last)
                if low < high and times.size:
                    edges = np.append(np.clip(times, low, high), high)
                    lengths = np.where(np.isfinite(values), np.diff(edges), 0.0)
                    weight += float(lengths.sum())
                    total += float(lengths @ np.where(np.isfinite(values), values, 0.0))
            means += [total / weight] if weight else []
        return float(np.mean(means)) if means else None

    def queue(self, begin: float, end: float) -> float | None:
        """Return the mean of the samples of the queue."""
        rows = self._rows.get("queue")
        if rows is None:
            return None
        there = rows["packets"][(rows["time"] >= begin) & (rows["time"] < end)]
        return float(there.mean()) if there.size else None
