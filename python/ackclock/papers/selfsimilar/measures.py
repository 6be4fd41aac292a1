"""The measures of the runs of Table 2 and of the long runs, for claims and figures."""

from __future__ import annotations

from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.selfsimilar.experiment import COUNTS, DEFINITION
from ackclock.papers.selfsimilar.flow_measures import LOW, MARKS, SPIKE

TIE = 1
"""Smallest lead in arrivals that counts, in per cent of the mean of both. The paper ranks by a lead of 2 %."""

measure = DEFINITION.measure

COUNT = Profile(
    name="count",
    label="counts of Table 2",
    digits=0,
    axes={"count": COUNTS},
    of=lambda row: [row.values[name] for name in COUNTS],
)
ARRIVALS = measure("arrivals")
DROPS = measure("drops")
ACKS = measure("acks")
RETRANSMISSIONS = measure("retransmissions")
TIMEOUTS = measure("timeouts")
COPIES = measure("copies")
UNACKNOWLEDGED = measure("unacknowledged", of=lambda row: row.values["arrivals"] - row.values["acks"])
EFFICIENCY = measure("efficiency")
PLAIN = measure("efficiency_plain")
HURST = measure("hurst_k50")
HURST_1 = measure("hurst_k1")

RATES = {mark: Measure(name=f"rate_{mark}", label=f"throughput up to {mark} s", unit="Mb/s") for mark in MARKS}
RATE = Profile(
    name="rate",
    label="throughput so far",
    unit="Mb/s",
    axes={"time": range(1, 101)},
    of=lambda row: row.values.get("rates"),
)
GROWTH = measure("growth")

LEAST = measure("cwnd_least")
MEDIAN = measure("cwnd_median")
MOST = measure("cwnd_most")
BELOW = Measure("cwnd_below", f"share of the time with a window below {LOW} packets")
FALLS = measure("cwnd_falls")

LONGEST = measure("rtt_most")
SPIKES = Measure("spikes", f"0.1 s intervals with a round-trip time above {SPIKE} ms", digits=1)
EXPLAINED = measure(
    "spikes_explained", of=lambda row: (row.values["spikes"] or 0.0) * (row.values["spikes_again"] or 0.0)
)
AGAIN = measure("spikes_again")
AGAIN_USUALLY = measure("again_share")

JITTER = {name: measure(name) for name in ("jitter", "variation_99", "late_jitter", "late_99")}

WAVELETS = measure("abry_veitch")
WHITTLE = measure("local_whittle")

NOISE_H = measure("h")
NOISE_WIDTH = measure("width")
NOISE_COVERED = measure("covered")
