"""What is measured at a place of the map: of each kind of client, of the queue, and of one kind against the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import sampled_windows, student_interval
from ackclock.papers.burstiness.experiment import PACKET_SIZE
from ackclock.papers.truth import Truth, at_least
from ackclock.papers.vegas.experiment import Place
from ackclock.scenario import Tcp
from ackclock.scenario.quantity import seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.analysis import Interval
    from ackclock.running.run import Run

__all__ = [
    "ALIKE",
    "EFFECT",
    "HELD",
    "KINDS",
    "OUTCOMES",
    "RECORD",
    "Measure",
    "Runs",
    "Values",
    "holds_its_own",
    "interval",
    "observe",
]

Values = Mapping[str, float | None]
"""What one run showed, number by number; None where a number has no meaning."""

Runs = Mapping[Place, Sequence[Values]]
"""Runs by their places, each with those of all seeds in order."""

Measure = str | Callable[[Values], float | None]
"""A number by its name, or what makes one."""

OUTCOMES = {Truth.YES: "holds its own", Truth.NO: "loses", Truth.OPEN: "is undecided"}
"""What becomes of Vegas, by whether it holds its own."""

KINDS = ("reno", "vegas")
"""What is measured of one kind of client begins with its name."""

HELD = 0.9
"""The part of a Reno client's goodput from which on a Vegas client holds its own."""

ALIKE = 0.1
"""The largest difference of two ratios that count as alike."""

EFFECT = 0.02
"""The smallest difference of two ratios that counts as one."""

RECORD = ("queue@bottleneck/100ms", "windows/1s")
"""What runs record, for the oscillation of the queue and of the windows."""


def observe(run: Run) -> Values:
    """Take the numbers of a run.

    Returns
    -------
    dict
        Of Vegas and Reno: ``ratio`` of the goodput of one client, ``share`` of Vegas in the goodput of all,
        ``jain_between``. Of the queue: ``queue_mean`` and ``queue_sd`` in packets, ``queue_met`` its mean in the second
        from which on Vegas is there. ``utilization``. Of each kind (`KINDS`): ``goodput``, ``timeouts`` and ``held``,
        which are packets a second, timeouts a second and packets waiting of one client; ``loss``; ``jain``;
        ``completion``, the mean time of a transfer in s;
        ``window`` and ``window_cov``, mean and coefficient of variation over time of the window that one client may
        use, on average over the clients; ``rtt_least``, s, the smallest smoothed round-trip time that one client had,
        likewise.

    """
    summary = run.summary
    start, first = seconds(run.scenario.clients[1].start or "0 s"), seconds(run.scenario.measure.from_ or "0 s")
    span = seconds(run.scenario.duration) - first
    queue = run.table("queue")
    times, waiting = _column(queue, "time"), _column(queue, "packets")
    values: dict[str, float | None] = {
        "utilization": summary.utilization,
        "jain_between": summary.jain_between,
        "queue_mean": summary.queue_mean,
        "queue_sd": float(waiting[times >= first].std()),
        "queue_met": float(waiting[(times >= start) & (times < start + 1)].mean()),
    }
    windows = run.table("windows")
    at, flows, cwnd, srtt = (_column(windows, name) for name in ("time", "flow", "cwnd", "srtt"))
    before = 0
    for group, clients in zip(summary.groups, run.scenario.clients, strict=True):
        assert isinstance(clients.transport, Tcp)  # noqa: S101 - both kinds are
        most = clients.transport.max_window or np.inf
        own = (flows >= before) & (flows < before + clients.count)
        late = own & (at >= first)
        usable = np.minimum(sampled_windows(at[late], flows[late], cwnd[late], interval=1.0, start=first), most)
        known = own & (srtt > 0)
        values |= {
            f"{group.name}_goodput": group.goodput_bps / (8 * PACKET_SIZE) / group.clients,
            f"{group.name}_held": group.queue_mean / group.clients,
            f"{group.name}_loss": group.loss,
            f"{group.name}_timeouts": group.timeouts / group.clients / span,
            f"{group.name}_jain": group.jain_index,
            f"{group.name}_completion": group.completion_mean,
            f"{group.name}_window": float(usable.mean()),
            f"{group.name}_window_cov": float((usable.std(axis=1) / usable.mean(axis=1)).mean()),
            f"{group.name}_rtt_least": float(
                np.mean([srtt[known & (flows == flow)].min() for flow in np.unique(flows[known])])
            ),
        }
        before += clients.count
    reno, vegas = (group.goodput_bps for group in summary.groups)
    each = [values[f"{kind}_goodput"] or 0.0 for kind in KINDS]
    return values | {
        "ratio": each[1] / each[0] if each[0] else None,
        "share": vegas / (reno + vegas) if reno + vegas else None,
    }


def _column(table: object, name: str) -> NDArray[np.float64]:
    return np.asarray(table[name], dtype=np.float64)  # type: ignore[index]


def interval(runs: Runs, place: Place, measure: Measure = "ratio") -> Interval:
    """Give the mean of a measure at a place over the seeds, with its 95 % interval (Student's t).

    Raises
    ------
    LookupError
        If no run there has the measure.

    """
    made = [run[measure] if isinstance(measure, str) else measure(run) for run in runs[place]]
    numbers = [number for number in made if number is not None]
    if not numbers:
        raise LookupError(f"{place.name}: no run has {measure}")
    return student_interval(numbers)


def holds_its_own(ratio: Interval) -> Truth:
    """Say whether Vegas holds its own: the goodput of a Vegas client over a Reno client's is `HELD` or more."""
    return at_least(ratio, HELD)
