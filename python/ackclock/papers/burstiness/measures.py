"""Measures of figures and claims, in the units of the figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.close import details as details  # noqa: PLC0414 - study.toml names it
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DEFINITION, DURATION, FINE, WARM
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT
from ackclock.papers.core.evidence import Row
from ackclock.papers.core.folds import of_values
from ackclock.papers.observation import summary
from ackclock.running.run import Run

SETTLED_BY = 185  # a run has settled if its losses end by this time, in seconds

_BLOCK = 5  # length of the blocks in which drops are counted, in seconds
_BUSY = 10  # a block with this many drops or more is before the end of the losses

START = 1
"""End of every client's first slow start, in seconds: windows reach the advertised window in five round trips."""


def warm_summary(run: Run) -> Mapping[str, float | None]:
    """Return the summary of a run, and its c.o.v. and drops from `WARM` seconds on.

    As in ns-2's file, `cov_warm` is the c.o.v. of the arrivals in bins of 0.1 s without the first 200 bins.
    `drops_start` counts the drops in the first `START` seconds. The run must have the records `ARRIVALS` and `DROPS`.
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
    """Return the time at which losses end: the end of the last 5-s block with 10 drops or more, in s; 0 without one.

    As in ns-2's file, a run has settled if its losses end by `SETTLED_BY`.
    """
    drops, _ = np.histogram(run.table("drops")["time"].to_numpy(), bins=np.arange(0, DURATION + _BLOCK, _BLOCK))
    busy = np.flatnonzero(drops >= _BUSY)
    return {"settle_time": float(_BLOCK * (busy[-1] + 1)) if busy.size else 0.0}


# ns-2's runs do not count the arrivals from 20 s on; for both simulators we take 90 % of all arrivals instead.
warm_loss = of_values(
    lambda drops, arrivals: drops / (arrivals * (1 - WARM / DURATION)) if arrivals else None, "drops_warm", "arrivals"
)
"""The loss from `WARM` seconds on, as a fraction."""


def _between(name: str, low: float, high: float) -> Callable[[Row], float]:
    """Make a measure that is 100 if a time of the run lies between two limits, and 0 otherwise."""
    return lambda run: 100.0 * ((time := run.values[name]) is not None and low <= time <= high)


def _poissons(cov: float, clients: int) -> float:
    """Divide a c.o.v. by the c.o.v. of the traffic that the clients' Poisson sources generate."""
    return cov * math.sqrt(ARRIVALS_PER_RTT * clients)


def _share(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


def _lowest(run: Row) -> float | None:
    """Return the lowest window from the first fall on, or the highest window if no window falls."""
    lowest = run.values.get("lowest")
    return run.values.get("highest") if lowest is None else lowest


_percent = partial(of_values, lambda fraction: 100 * fraction)

COV = DEFINITION.measure("cov")
COV_OVER_POISSON = DEFINITION.measure("cov_over_poisson", of=of_values(_poissons, "cov", "clients"))
WARM_COV_OVER_POISSON = DEFINITION.measure("warm_cov_over_poisson", of=of_values(_poissons, "cov_warm", "clients"))
EXCESS = DEFINITION.measure("excess", of=of_values(lambda ratio: 100 * (ratio - 1), COV_OVER_POISSON))
THROUGHPUT = DEFINITION.measure("thousand_departures", of=of_values(lambda packets: packets / 1e3, "departures"))
LOSS = DEFINITION.measure("loss_percent", of=_percent("loss"))
WARM_LOSS = DEFINITION.measure("warm_loss", of=_percent(warm_loss))
TIMEOUTS = DEFINITION.measure("timeouts")
TIMEOUTS_PER_DUP_ACK = DEFINITION.measure("timeouts_per_dup_ack_percent", of=of_values(_share, "timeouts", "dup_acks"))
JAIN = DEFINITION.measure("jain_index")
QUEUE = DEFINITION.measure("queue_mean")
QUEUE_PER_CLIENT = DEFINITION.measure(
    "queue_per_client", of=of_values(lambda queue, clients: queue / clients, "queue_mean", "clients")
)
START_SHARE = DEFINITION.measure("start_share", of=of_values(_share, "drops_start", "drops"))
FIRST_LOSS = DEFINITION.measure("first_loss")
LAST_LOSS = DEFINITION.measure("last_loss")
LARGEST_WINDOW = DEFINITION.measure("before_first_fall")
LOWEST_WINDOW = DEFINITION.measure("lowest", of=_lowest)
CUTS = DEFINITION.measure("falls", of=of_values(lambda falls: falls * (1 / (len(CLIENTS_SHOWN) * DURATION)), "falls"))
LAST_FALL = DEFINITION.measure("last_fall")
TOGETHER = DEFINITION.measure("together", of=_between("last_together", 0, math.inf))
TOGETHER_IN_TIME = DEFINITION.measure("together_in_time", of=_between("last_together", 2, 8))
SETTLED = DEFINITION.measure("settled", of=_between("settle_time", 0, SETTLED_BY))
SETTLE_TIME = DEFINITION.measure("settle_time")
DEPENDENCE = DEFINITION.measure("dependence")
CUTTING = DEFINITION.measure("cutting", of=_percent("cutting"))
ABOVE_MAX_TH = DEFINITION.measure("above_max_th", of=_percent("above_max_th"))
LONGEST_SEQUENCE = DEFINITION.measure("longest_sequence")
LOSSES_PER_EVENT = DEFINITION.measure("losses_per_event")
MULTIPLE_LOSSES = DEFINITION.measure("multiple_losses", of=_percent("multiple_losses"))
WINDOW_RATIO = DEFINITION.measure("window_ratio")
QUEUE_COV = DEFINITION.measure("queue_cov")
BACKLOG = DEFINITION.measure("backlog")
BURST = DEFINITION.measure("burst")
PUSHED = DEFINITION.measure("pushed")
PUSHED_LOSS = DEFINITION.measure("pushed_loss")
NEW_LOSS = DEFINITION.measure("loss")

# Lower-case aliases of some measures.
cov, cov_over_poisson, thousand_departures, loss_percent = COV, COV_OVER_POISSON, THROUGHPUT, LOSS
