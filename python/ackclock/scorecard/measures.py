"""What an experiment measures: a number of each run, with its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.running.run import Run

__all__ = [
    "BIAS",
    "JAIN",
    "LOSS",
    "P99",
    "QUEUE",
    "STARVED",
    "TIMEOUTS",
    "USEFUL",
    "UTILIZATION",
    "Measure",
    "group",
    "share",
]

_LEAST: Final = 1e-3
"""The least rate of a flow, as a part of another one's, in the ratio of their rates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A number of a run.

    Parameters
    ----------
    name
        Short name for tables and JSON, unique in a cell.
    unit
        The unit; empty for a number without one.
    of
        Computes the number; None if the run has none.
    """

    name: str
    unit: str
    of: Callable[[Run], float | None]

    @property
    def words(self) -> str:
        """The name with its unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


def group(name: str, field: str, *, words: str, unit: str, factor: float = 1.0) -> Measure:
    """Return the measure of a group that has this name in the group's summary, in units of its own unit / `factor`."""
    return Measure(name=words, unit=unit, of=lambda run: _scaled(getattr(run.groups[name], field), factor))


def share(name: str, *, of: float, words: str) -> Measure:
    """Return the goodput of a group as a percentage of `of` bit/s."""
    return group(name, "goodput_bps", words=words, unit="%", factor=100 / of)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else factor * value


def _timeouts(run: Run) -> float:
    scenario = run.scenario
    seconds = (TIME.parse(scenario.duration) - TIME.parse(scenario.measure.from_)) / PICOSECONDS_PER_SECOND
    return 10 * (run.summary.timeouts or 0) / sum(each.clients for each in run.groups) / seconds


def _useful(run: Run) -> float | None:
    through = run.summary.throughput_bps
    return 100 * run.summary.goodput_bps / through if through else None


def _starved(run: Run) -> float:
    return 100 * run.summary.starved / sum(each.clients for each in run.groups)


def _bias(run: Run) -> float | None:
    short, long = (run.groups[name].goodput_bps for name in ("short", "long"))
    most = max(short, long)
    return most / max(min(short, long), _LEAST * most) if most else None


UTILIZATION = Measure(name="utilization", unit="%", of=lambda run: 100 * run.summary.utilization)
LOSS = Measure(name="loss", unit="%", of=lambda run: _scaled(run.summary.loss, 100))
QUEUE = Measure(name="mean queueing delay", unit="ms", of=lambda run: _scaled(run.summary.sojourn_mean, 1e3))
P99 = Measure(name="p99 queueing delay", unit="ms", of=lambda run: _scaled(run.summary.sojourn_p99, 1e3))
STARVED = Measure(name="starved flows", unit="%", of=_starved)
JAIN = Measure(name="Jain's index", unit="", of=lambda run: run.summary.jain_index)
TIMEOUTS = Measure(name="timeouts per flow in 10 s", unit="", of=_timeouts)
USEFUL = Measure(name="goodput of the traffic", unit="%", of=_useful)
BIAS = Measure(name="larger rate over the smaller", unit="", of=_bias)
"""At most 1,000, so that a flow without any goodput has a ratio."""
