"""The results of each period between the changes of a network, from the records of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.running import changing
from ackclock.running.estimate import Estimate
from ackclock.running.records import flows_of_groups
from ackclock.running.summary import Groups
from ackclock.values.columns import numbers, words
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
    """Smoothed round-trip time in s, from the record ``windows``: the mean over the flows that the record has of each
    flow's mean over its active time. A flow keeps its last value after its last ACK."""

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


def periods_of(runs: Sequence[Run], at: Sequence[float | str] | float | str | None) -> tuple[Period, ...]:
    """Return the results of each period: the arguments are those of `ackclock.Runs.periods`."""
    if not runs:
        raise refuse("runs", 0, "must be at least one run")
    kept = set.intersection(*(set(run.tables) for run in runs)) & {"throughput", "windows", "queue"}
    every = [_Results(run, kept) for run in runs]
    if not any(each.has_any for each in every):
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
    flows = flows_of_groups(scenario)
    round_trips = [each.rtts(np.array([*begins, last])) for each in every]
    found = []
    for place, (begin, end) in enumerate(zip(begins, [*begins[1:], last], strict=True)):
        rates = [each.rates(begin, end) for each in every]
        rtts = [each[place] for each in round_trips]
        groups = (
            GroupPeriod(
                name,
                Estimate.of((_defined(each[of.start : of.stop].sum()) for each in rates), measure="goodput_bps"),
                Estimate.of(_mean(each[of.start : of.stop]) for each in rtts),
            )
            for name, of in flows.items()
        )
        queue = Estimate.of(each.queue(begin, end) for each in every)
        found.append(Period(begin, end, starts[begin], Groups(groups), queue))
    return tuple(found)


def _changes(run: Run, last: float) -> dict[float, str]:
    """Return the beginnings of all periods with their changes."""
    kinds = (changing.changes, changing.joins, changing.steps)
    found = changing.merged(moment for kind in kinds for moment in kind(run.scenario))
    return {0.0: ""} | {at: text for at, text in found.items() if at < last}


def _times(at: Sequence[float | str] | float | str, last: float) -> list[float]:
    times = [0.0]
    for place, given in enumerate([at] if isinstance(at, str | int | float) else at):
        try:
            time = seconds(given) if isinstance(given, str) else float(given)
        except (QuantityError, TypeError, ValueError):
            raise refuse(f"at.{place}", given, f"must be a number of seconds, or {TIME.allowed}") from None
        if not times[-1] < time < last and not (place == 0 and time == 0):
            raise refuse(f"at.{place}", given, f"must be after {times[-1]:g} s and before the end, at {last:g} s")
        times.append(time)
    return list(dict.fromkeys(times))


def _mean(values: NDArray[np.float64]) -> float | None:
    """Return the mean of the values that are defined."""
    there = values[np.isfinite(values)]
    return float(there.mean()) if there.size else None


def _defined(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


class _Results:
    """The rows of the records of a run, in the order of time."""

    def __init__(self, run: Run, kept: set[str]) -> None:
        groups = [group for group in run.scenario.groups for _ in range(group.flows)]
        self._active = [changing.active(group) for group in groups]
        self._last = seconds(run.scenario.duration)
        self._bytes = _columns(run, "throughput", "bytes") if "throughput" in kept else None
        if self._bytes is not None:
            self._bins, self._recorded = (np.unique(column) for column in self._bytes[:2])
        windows = _columns(run, "windows", "srtt") if "windows" in kept else None
        self._srtt: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        if windows is not None:
            times, flows, values = windows
            order = np.argsort(flows, kind="stable")
            there, first = np.unique(flows[order], return_index=True)
            pieces = np.split(order, first[1:])
            self._srtt = {int(flow): (times[own], values[own]) for flow, own in zip(there, pieces, strict=False)}
        self.has_any = self._bytes is not None or windows is not None or "queue" in kept
        """Whether a record has results of a period; one of links has none of groups."""
        self._queue: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        if "queue" in kept:
            table = run.table("queue")
            at = words(table["link"]) == run.scenario.measure.link
            self._queue = numbers(table["time"])[at], numbers(table["packets"])[at]

    def rates(self, begin: float, end: float) -> NDArray[np.float64]:
        """Return the goodput of each flow over the whole bins in a time; NaN if it is not recorded."""
        found = np.full(len(self._active), np.nan)
        if self._bytes is None:
            return found
        times, flows, amounts = self._bytes
        bins = self._bins
        # a single bin ends with the run
        width = float(np.round(bins[1] - bins[0] if bins.size > 1 else self._last - bins[0], 12))
        rounding = _ROUNDING * width
        bins = bins[(bins >= begin - rounding) & (bins + width <= end + rounding)]
        if bins.size:
            part = slice(np.searchsorted(times, bins[0]), np.searchsorted(times, bins[-1], side="right"))
            sums = np.bincount(flows[part], amounts[part], minlength=found.size)
            found[self._recorded] = 8 * sums[self._recorded] / (bins.size * width)
        return found

    def rtts(self, bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean smoothed round-trip time of each flow while it is active, NaN if there is none.

        There is a row for each time between two neighbours of `bounds`.
        """
        found = np.full((bounds.size - 1, len(self._active)), np.nan)
        for flow, (times, values) in self._srtt.items():
            there = np.isfinite(values)
            # for how long the value was defined, and its integral, until each of its times
            lengths = np.append(np.diff(times), 0.0) * there
            integrands = np.vstack([there, np.where(there, values, 0.0)])
            until = np.cumsum(integrands * lengths, axis=1)
            until = np.hstack([np.zeros((2, 1)), until[:, :-1]])
            sums = np.zeros((2, bounds.size - 1))
            for start, stop in self._active[flow]:
                at = np.clip(bounds, start, stop)
                last = np.searchsorted(times, at, side="right") - 1
                sums += np.diff(np.where(last < 0, 0.0, until[:, last] + integrands[:, last] * (at - times[last])))
            weight, total = sums
            defined = weight > 0
            found[defined, flow] = total[defined] / weight[defined]
        return found

    def queue(self, begin: float, end: float) -> float | None:
        """Return the mean of the samples of the queue."""
        if self._queue is None:
            return None
        times, packets = self._queue
        part = packets[slice(*np.searchsorted(times, [begin, end]))]
        return float(part.mean()) if part.size else None


def _columns(
    run: Run, record: str, column: str
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]] | None:
    """Return times, flows and values of a record; ``None`` if it is of a link."""
    table = run.table(record)
    if "flow" not in table.column_names:
        return None
    return numbers(table["time"]), numbers(table["flow"]).astype(np.int64), numbers(table[column])
