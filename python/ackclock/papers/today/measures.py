"""Measures of the aggregated traffic, by the names of `study.toml`."""

from __future__ import annotations

from ackclock.papers.core.folds import Number, of_values
from ackclock.papers.core.measures import Profile
from ackclock.papers.today.senders import DEFINITION
from ackclock.papers.today.traffic import LONG_SCALES, SCALES

measure = DEFINITION.measure


def _times(factor: float, name: str) -> Number:
    return of_values(lambda value: factor * value, name)


COV = measure("cov")
PLAIN_COV = measure("plain_cov")
UTILIZATION = measure("used", of=_times(100, "utilization"))
LOSS = measure("lost", of=_times(100, "loss"))
JAIN = measure("jain_index")
TIMEOUTS = measure("timeouts_per_dup_ack", of=_times(100, "timeouts_per_dup_ack"))
WINDOW_COV = measure("window_cov")
JOINT = measure("joint")
WAIT = measure("wait", of=_times(1000, "sojourn_p95"))
SHARE = measure("share")
RENO_GOODPUT = measure("reno_goodput", of=_times(1e-6, "reno_goodput"))
SLOWEST = measure("slowest", of=_times(1, "completion_p99"))

LADDER = Profile(
    name="ladder",
    label="c.o.v. relative to Poisson's",
    axes={"seconds": SCALES},
    of=lambda row: row.values["ladder"],
)
LONG_LADDER = Profile(
    name="ladder",
    label="c.o.v. relative to Poisson's",
    axes={"seconds": LONG_SCALES},
    of=lambda row: row.values["ladder"],
)
