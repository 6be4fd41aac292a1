"""Measures at a place of the map: of each kind of client, of the queue, and of Vegas relative to Reno."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import sampled_windows
from ackclock.papers.burstiness.experiment import BOTTLENECK_RATE, PACKET_SIZE
from ackclock.papers.core.folds import of_values
from ackclock.papers.core.measures import Measure
from ackclock.papers.vegas.experiment import CLIENTS, DEFINITION, RATE
from ackclock.running.run import Run
from ackclock.scenario import Tcp
from ackclock.values.quantity import seconds

KINDS = ("reno", "vegas")  # prefixes of the measures of one kind of client

HELD = 0.9  # smallest Vegas/Reno goodput ratio at which Vegas gets its share

ALIKE = 0.1  # largest difference between two goodput ratios that count as equal

EFFECT = 0.02  # smallest difference between two goodput ratios that counts as an effect

RECORD = ("queue@bottleneck/100ms", "windows/1s")
"""Records of each run, for the oscillations of the queue and of the windows."""


def observe(run: Run) -> dict[str, float | None]:
    """Take the numbers of a run.

    Measures of a kind are means over its clients: goodput and timeouts per second, packets in the queue (``held``),
    the smaller of congestion window and advertised window (``window``), and the smallest smoothed RTT (``rtt_least``).
    ``queue_met`` is the mean queue length in the first second of the Vegas clients.
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
            f"{group.name}_timeouts": (group.timeouts or 0) / group.clients / span,
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


def leftover(vegas: int) -> float:
    """Compute the Vegas/Reno goodput ratio if Reno sends all data of its Poisson sources.

    Examples
    --------
    >>> round(leftover(30), 3)
    0.389

    """
    return (BOTTLENECK_RATE / (8 * PACKET_SIZE) - (CLIENTS - vegas) * RATE) / vegas / RATE


RATIO = DEFINITION.measure("ratio")
OVER_LEFTOVER = DEFINITION.measure(
    "over_leftover", of=of_values(lambda ratio, vegas: ratio / leftover(vegas), "ratio", "vegas")
)
UTILIZATION = DEFINITION.measure("utilization")
QUEUE_SD = DEFINITION.measure("queue_sd")
QUEUE_MET = DEFINITION.measure("queue_met")
RTT_LEAST = DEFINITION.measure("vegas_rtt_least")


def _of_each(name: str) -> tuple[Measure, Measure]:
    reno, vegas = (DEFINITION.measure(f"{kind}_{name}") for kind in KINDS)
    return reno, vegas


RENO_KEPT, VEGAS_KEPT = _of_each("held")
RENO_LOSS, VEGAS_LOSS = _of_each("loss")
RENO_TIMEOUTS, VEGAS_TIMEOUTS = _of_each("timeouts")
RENO_COV, VEGAS_COV = _of_each("window_cov")
RENO_TIME, VEGAS_TIME = _of_each("completion")
