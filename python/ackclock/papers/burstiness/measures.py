"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.close import look as look  # noqa: PLC0414 - study.toml names it
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DEFINITION, DURATION, FINE, WARM
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT
from ackclock.papers.core.folds import of_values
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

# Names by which other studies take these of an observation.
cov, cov_over_poisson, thousand_departures, loss_percent = COV, COV_OVER_POISSON, THROUGHPUT, LOSS
