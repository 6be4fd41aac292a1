"""Measures of many connections, of one over self-similar traffic, and of clusters, by the names of `study.toml`."""

from __future__ import annotations

from ackclock.papers.core.folds import Number, of_values
from ackclock.papers.core.measures import Profile
from ackclock.papers.today.parts.crowds import SHARES
from ackclock.papers.today.senders import DEFINITION

measure = DEFINITION.measure


def _times(factor: float, name: str) -> Number:
    return of_values(lambda value: factor * value, name)


CORRELATION = measure("correlation")
STARVED = measure("starved", of=_times(100, "starved"))
WITHIN = measure("within", of=_times(100, "within"))
GOODPUT = measure("goodput_share", of=_times(100, "goodput_share"))
EXPONENT = measure("exponent")

THROUGHPUT = measure("throughput", of=_times(1e-6, "throughput_bps"))
EFFICIENCY = measure("efficiency", of=_times(100, "efficiency"))
HURST, WAVELETS, WHITTLE, COV = (measure(name) for name in ("hurst", "wavelets", "whittle", "cov_of_seconds"))

SLOWEST = measure("slowest_answer", of=_times(1, "slowest"))

RATES = Profile(
    name="rates",
    label="goodput relative to the fair share",
    axes={"share": SHARES},
    of=lambda row: row.values["rates"],
)
