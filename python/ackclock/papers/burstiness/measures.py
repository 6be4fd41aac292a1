"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.close import look as look  # noqa: PLC0414 - study.toml names it
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DURATION, FINE, WARM
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT
from ackclock.papers.core.folds import of_values
from ackclock.papers.core.measures import Measure
from ackclock.papers.observation import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.core.evidence import Row
    from ackclock.running.run import Run

SETTLED_BY = 185  # seconds by which loss must have ended in a run that has settled

_BLOCK = 5  # seconds of the blocks that tell when loss has ended
_BUSY = 10  # drops within one of them that say it has not

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


# ns-2's runs do not count the arrivals from 20 s on: on both sides, their share of the time stands in.
warm_loss = of_values(
    lambda drops, arrivals: drops / (arrivals * (1 - WARM / DURATION)) if arrivals else None, "drops_warm", "arrivals"
)
"""The loss from `WARM` seconds on, as a fraction."""


def _between(name: str, low: float, high: float) -> Callable[[Row], float]:
    """Make the measure that is 100 for a run whose time lies between two others, and 0 for any other run."""
    return lambda run: 100.0 * ((time := run.values[name]) is not None and low <= time <= high)


def _poissons(cov: float, clients: int) -> float:
    """Give a c.o.v. relative to the one that the clients' Poisson sources alone would give."""
    return cov * math.sqrt(ARRIVALS_PER_RTT * clients)


def _share(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


def _lowest(run: Row) -> float | None:
    """Give the lowest window from the first fall on; of windows that never fall, the highest."""
    lowest = run.values.get("lowest")
    return run.values.get("highest") if lowest is None else lowest


_percent = partial(of_values, lambda fraction: 100 * fraction)

COV = Measure("cov", "c.o.v.", digits=4)
COV_OVER_POISSON = Measure("cov_over_poisson", "c.o.v. over Poisson's", of=of_values(_poissons, "cov", "clients"))
WARM_COV_OVER_POISSON = Measure(
    "warm_cov_over_poisson", f"c.o.v. over Poisson's from {WARM} s on", of=of_values(_poissons, "cov_warm", "clients")
)
EXCESS = Measure(
    "excess",
    "excess of the c.o.v. over Poisson's",
    "%",
    digits=0,
    of=of_values(lambda ratio: 100 * (ratio - 1), COV_OVER_POISSON),
)
THROUGHPUT = Measure(
    "thousand_departures",
    "throughput",
    "thousand packets",
    digits=1,
    of=of_values(lambda packets: packets / 1e3, "departures"),
)
LOSS = Measure("loss_percent", "loss", "%", of=_percent("loss"))
WARM_LOSS = Measure("warm_loss", f"loss from {WARM} s on", "%", digits=3, of=_percent(warm_loss))
TIMEOUTS = Measure("timeouts", "timeouts", digits=0)
TIMEOUTS_PER_DUP_ACK = Measure(
    "timeouts_per_dup_ack_percent", "timeouts per duplicate ACK", "%", of=of_values(_share, "timeouts", "dup_acks")
)
JAIN = Measure("jain_index", "Jain's index", digits=3)
QUEUE = Measure("queue_mean", "mean queue", "packets", digits=1)
QUEUE_PER_CLIENT = Measure(
    "queue_per_client",
    "packets waiting for each client",
    of=of_values(lambda queue, clients: queue / clients, "queue_mean", "clients"),
)
START_SHARE = Measure(
    "start_share",
    f"share of the drops in the first {START} s",
    "%",
    digits=0,
    of=of_values(_share, "drops_start", "drops"),
)
FIRST_LOSS = Measure("first_loss", "first loss", "s", digits=3)
LAST_LOSS = Measure("last_loss", "last loss", "s", digits=1)
LARGEST_WINDOW = Measure("before_first_fall", "largest window before the first cut", "packets", digits=1)
LOWEST_WINDOW = Measure("lowest", "smallest of the three windows after the first cut", "packets", digits=1, of=_lowest)
CUTS = Measure(
    "falls",
    "cuts of a window a second",
    of=of_values(lambda falls: falls * (1 / (len(CLIENTS_SHOWN) * DURATION)), "falls"),
)
LAST_FALL = Measure("last_fall", "last cut of any of the three windows", "s", digits=1)
TOGETHER = Measure(
    "together", "share of runs with a common cut", "%", digits=0, of=_between("last_together", 0, math.inf)
)
TOGETHER_IN_TIME = Measure(
    "together_in_time",
    "share of runs whose last common cut is at 2 to 8 s",
    "%",
    digits=0,
    of=_between("last_together", 2, 8),
)
SETTLED = Measure(
    "settled", f"share of runs settled by {SETTLED_BY} s", "%", digits=0, of=_between("settle_time", 0, SETTLED_BY)
)
SETTLE_TIME = Measure("settle_time", "time at which loss ends", "s", digits=0)
DEPENDENCE = Measure("dependence", "dependence index", digits=1)
CUTTING = Measure(
    "cutting",
    f"share of the clients that cut their window in the same {UNIT:g} s",
    "%",
    digits=1,
    of=_percent("cutting"),
)
ABOVE_MAX_TH = Measure(
    "above_max_th", "share of the time with RED's average at max_th or above", "%", of=_percent("above_max_th")
)
LONGEST_SEQUENCE = Measure("longest_sequence", "longest run of drops", "packets", digits=0)
LOSSES_PER_EVENT = Measure("losses_per_event", "losses of a flow within a round trip", "packets")
MULTIPLE_LOSSES = Measure(
    "multiple_losses", "share of these with two losses or more", "%", digits=0, of=_percent("multiple_losses")
)
WINDOW_RATIO = Measure("window_ratio", "variance of the sum of the windows over the sum of their variances")
QUEUE_COV = Measure("queue_cov", "c.o.v. of the queue")
BACKLOG = Measure("backlog", "most packets that wait in a client", "packets", digits=1)
BURST = Measure("burst", "largest burst of a client", "packets", digits=1)
PUSHED = Measure("pushed", "new packets sent for each duplicate ACK", "packets")
PUSHED_LOSS = Measure("pushed_loss", "loss of the new packets that duplicate ACKs release", "%")
NEW_LOSS = Measure("loss", "loss of all new packets", "%")

# Names by which other studies take these of an observation.
cov, cov_over_poisson, thousand_departures, loss_percent = COV, COV_OVER_POISSON, THROUGHPUT, LOSS
