"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.close import look as look  # noqa: PLC0414 - study.toml names it
from ackclock.papers.burstiness.comparison import WARM, warm_loss
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DURATION, FINE
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT
from ackclock.papers.core.quantities import Measure
from ackclock.papers.observation import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.core.evidence import Row
    from ackclock.running.run import Run

SETTLED_BY = 185
"""Seconds by which loss must have ended in a run that has settled."""

_BLOCK = 5
"""Seconds of the blocks that tell when loss has ended."""
_BUSY = 10
"""Drops within one of them that say it has not."""

START = 1
"""Seconds within which every client's first slow start is over: it takes five round trips to the advertised window."""


def warm_summary(run: Run) -> Mapping[str, float | None]:
    """Take the summary of a run, and what `WARM` seconds without their start-up would have shown.

    The bins and the drops are those of ns-2's file: arrivals in bins of 0.1 s, the first 200 bins left out.
    `drops_start` are the drops of the first `START` seconds. The run must have kept `ARRIVALS` and `DROPS`.
    """
    arrivals, dropped_at = run.table("arrivals")["packets"].to_numpy(), run.table("drops")["time"].to_numpy()
    bins = arrivals[round(WARM / FINE) :].reshape(-1, round(UNIT / FINE)).sum(axis=1)
    return {
        **summary(run),
        "cov_warm": analysis.cov(bins),
        "drops_warm": float(np.count_nonzero(dropped_at >= WARM)),
        "drops_start": float(np.count_nonzero(dropped_at < START)),
    }


def settle_time(run: Run) -> Mapping[str, float | None]:
    """Give when loss had ended: the end of the last 5-s block with 10 drops or more, in s; 0 if there is none.

    As in ns-2's file, a run has settled whose loss had ended by `SETTLED_BY`.
    """
    drops, _ = np.histogram(run.table("drops")["time"].to_numpy(), bins=np.arange(0, DURATION + _BLOCK, _BLOCK))
    busy = np.flatnonzero(drops >= _BUSY)
    return {"settle_time": float(_BLOCK * (busy[-1] + 1)) if busy.size else 0.0}


def _start_share(run: Row) -> float | None:
    start, drops = run.values.get("drops_start"), run.values.get("drops")
    return None if start is None or not drops else 100 * start / drops


def _between(name: str, low: float, high: float) -> Callable[[Row], float | None]:
    """Make the measure that is 100 for a run whose time lies between two others, and 0 for any other run."""
    return lambda run: 100.0 * ((time := run.values[name]) is not None and low <= time <= high)


def _poissons(name: str) -> Callable[[Row], float | None]:
    """Make a c.o.v. relative to the one that the clients' Poisson sources alone would give."""

    def measure(run: Row) -> float | None:
        value = run.values.get(name)
        return None if value is None else value * math.sqrt(ARRIVALS_PER_RTT * float(run.where["clients"]))

    return measure


def _times(name: str, factor: float) -> Callable[[Row], float | None]:
    """Make the measure that is a value of the run in another unit."""
    return lambda run: None if (value := run.values.get(name)) is None else factor * value


def _timeouts_per_dup_ack(run: Row) -> float | None:
    timeouts, dup_acks = run.values["timeouts"], run.values["dup_acks"]
    return 100 * timeouts / dup_acks if timeouts is not None and dup_acks else None


def _excess(run: Row) -> float | None:
    return None if (ratio := COV_OVER_POISSON(run)) is None else 100 * (ratio - 1)


def _warm_loss(run: Row) -> float | None:
    return None if (loss := warm_loss(run)) is None else 100 * loss


def _queue_per_client(run: Row) -> float | None:
    return None if (queue := run.values.get("queue_mean")) is None else queue / float(run.where["clients"])


def _lowest(run: Row) -> float | None:
    """Give the lowest window from the first fall on; of windows that never fall, the highest."""
    lowest = run.values.get("lowest")
    return run.values.get("highest") if lowest is None else lowest


COV = Measure(name="cov", label="c.o.v.", digits=4)
COV_OVER_POISSON = Measure(name="cov_over_poisson", label="c.o.v. over Poisson's", of=_poissons("cov"))
WARM_COV_OVER_POISSON = Measure(
    name="warm_cov_over_poisson", label=f"c.o.v. over Poisson's from {WARM} s on", of=_poissons("cov_warm")
)
EXCESS = Measure(name="excess", label="excess of the c.o.v. over Poisson's", unit="%", digits=0, of=_excess)
THROUGHPUT = Measure(
    name="thousand_departures",
    label="throughput",
    unit="thousand packets",
    digits=1,
    of=lambda run: None if (value := run.values["departures"]) is None else value / 1e3,
)
LOSS = Measure(name="loss_percent", label="loss", unit="%", of=_times("loss", 100))
WARM_LOSS = Measure(name="warm_loss", label=f"loss from {WARM} s on", unit="%", digits=3, of=_warm_loss)
TIMEOUTS = Measure(name="timeouts", label="timeouts", digits=0)
TIMEOUTS_PER_DUP_ACK = Measure(
    name="timeouts_per_dup_ack_percent", label="timeouts per duplicate ACK", unit="%", of=_timeouts_per_dup_ack
)
JAIN = Measure(name="jain_index", label="Jain's index", digits=3)
QUEUE = Measure(name="queue_mean", label="mean queue", unit="packets", digits=1)
QUEUE_PER_CLIENT = Measure(name="queue_per_client", label="packets waiting for each client", of=_queue_per_client)
START_SHARE = Measure(
    name="start_share", label=f"share of the drops in the first {START} s", unit="%", digits=0, of=_start_share
)
FIRST_LOSS = Measure(name="first_loss", label="first loss", unit="s", digits=3)
LAST_LOSS = Measure(name="last_loss", label="last loss", unit="s", digits=1)
LARGEST_WINDOW = Measure(
    name="before_first_fall", label="largest window before the first cut", unit="packets", digits=1
)
LOWEST_WINDOW = Measure(
    name="lowest", label="smallest of the three windows after the first cut", unit="packets", digits=1, of=_lowest
)
CUTS = Measure(name="falls", label="cuts of a window a second", of=_times("falls", 1 / (len(CLIENTS_SHOWN) * DURATION)))
LAST_FALL = Measure(name="last_fall", label="last cut of any of the three windows", unit="s", digits=1)
TOGETHER = Measure(
    name="together",
    label="share of runs with a common cut",
    unit="%",
    digits=0,
    of=_between("last_together", 0, math.inf),
)
TOGETHER_IN_TIME = Measure(
    name="together_in_time",
    label="share of runs whose last common cut is at 2 to 8 s",
    unit="%",
    digits=0,
    of=_between("last_together", 2, 8),
)
SETTLED = Measure(
    name="settled",
    label=f"share of runs settled by {SETTLED_BY} s",
    unit="%",
    digits=0,
    of=_between("settle_time", 0, SETTLED_BY),
)
SETTLE_TIME = Measure(name="settle_time", label="time at which loss ends", unit="s", digits=0)
DEPENDENCE = Measure(name="dependence", label="dependence index", digits=1)
CUTTING = Measure(
    name="cutting",
    label=f"share of the clients that cut their window in the same {UNIT:g} s",
    unit="%",
    digits=1,
    of=_times("cutting", 100),
)
ABOVE_MAX_TH = Measure(
    name="above_max_th",
    label="share of the time with RED's average at max_th or above",
    unit="%",
    of=_times("above_max_th", 100),
)
LONGEST_SEQUENCE = Measure(name="longest_sequence", label="longest run of drops", unit="packets", digits=0)
LOSSES_PER_EVENT = Measure(name="losses_per_event", label="losses of a flow within a round trip", unit="packets")
MULTIPLE_LOSSES = Measure(
    name="multiple_losses",
    label="share of these with two losses or more",
    unit="%",
    digits=0,
    of=_times("multiple_losses", 100),
)
WINDOW_RATIO = Measure(name="window_ratio", label="variance of the sum of the windows over the sum of their variances")
QUEUE_COV = Measure(name="queue_cov", label="c.o.v. of the queue")
BACKLOG = Measure(name="backlog", label="most packets that wait in a client", unit="packets", digits=1)
BURST = Measure(name="burst", label="largest burst of a client", unit="packets", digits=1)
PUSHED = Measure(name="pushed", label="new packets sent for each duplicate ACK", unit="packets")
PUSHED_LOSS = Measure(name="pushed_loss", label="loss of these", unit="%")
NEW_LOSS = Measure(name="loss", label="loss of all new packets", unit="%")

# Names by which other studies take these of an observation.
cov, cov_over_poisson, thousand_departures, loss_percent = COV, COV_OVER_POISSON, THROUGHPUT, LOSS
