"""The numbers that claims and figures take from the runs of Table 2 and from the long ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.selfsimilar.looks import LOW, MARKS, SPIKE
from ackclock.papers.selfsimilar.paper import COUNTS

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Row

TIE = 1
"""Per cent of the mean of both below which a lead in arrivals decides nothing. The paper ranks by one of 2 %."""

COUNT = Profile(
    name="count",
    label="counts of Table 2",
    digits=0,
    axes={"count": COUNTS},
    of=lambda row: [row.values[name] for name in COUNTS],
)
ARRIVALS = Measure(name="arrivals", label="arrivals", digits=0)
DROPS = Measure(name="drops", label="drops", digits=0)
ACKS = Measure(name="acks", label="ACKs", digits=0)
RETRANSMISSIONS = Measure(name="retransmissions", label="retransmissions", digits=0)
TIMEOUTS = Measure(name="timeouts", label="timeouts", digits=1)
COPIES = Measure(name="copies", label="packets that arrived twice", digits=0)
UNACKNOWLEDGED = Measure(
    name="unacknowledged",
    label="arrivals minus ACKs",
    digits=0,
    of=lambda row: _less(row, "arrivals", "acks"),
)
EFFICIENCY = Measure(name="efficiency", label="efficiency", digits=4)
PLAIN = Measure(name="efficiency_plain", label="efficiency, plain", digits=4)
HURST = Measure(name="hurst_k50", label="H, K = 50", digits=2)
HURST_1 = Measure(name="hurst_k1", label="H, K = 1", digits=2)

RATES = {mark: Measure(name=f"rate_{mark}", label=f"throughput up to {mark} s", unit="Mb/s") for mark in MARKS}
RATE = Profile(
    name="rate",
    label="throughput so far",
    unit="Mb/s",
    axes={"time": range(1, 101)},
    of=lambda row: row.values.get("rates"),
)
GROWTH = Measure(name="growth", label="throughput up to 100 s over throughput up to 50 s")

LEAST = Measure(name="cwnd_least", label="smallest window", unit="packets", digits=0)
MEDIAN = Measure(name="cwnd_median", label="median window", unit="packets", digits=0)
MOST = Measure(name="cwnd_most", label="largest window", unit="packets", digits=0)
BELOW = Measure(name="cwnd_below", label=f"share of the time below {LOW} packets")
FALLS = Measure(name="cwnd_falls", label="falls of the window to 2 packets or 1", digits=1)

LONGEST = Measure(name="rtt_most", label="largest sample of the round-trip time", unit="ms", digits=0)
SPIKES = Measure(name="spikes", label=f"tenths of a second with a sample above {SPIKE} ms", digits=1)
EXPLAINED = Measure(
    name="spikes_explained",
    label="such tenths with a retransmission meanwhile",
    digits=1,
    of=lambda row: (row.values["spikes"] or 0.0) * (row.values["spikes_again"] or 0.0),
)
AGAIN = Measure(name="spikes_again", label="share of these with a retransmission")
AGAIN_USUALLY = Measure(
    name="again_share", label="share of all tenths of a second with a retransmission within a round trip", digits=4
)

JITTER = {
    "jitter": Measure(name="jitter", label="Network: jitter (ms)", digits=3),
    "variation_99": Measure(name="variation_99", label="Network: delay variation, 99 % (ms)", digits=2),
    "late_jitter": Measure(name="late_jitter", label="Application: jitter (ms)", digits=2),
    "late_99": Measure(name="late_99", label="Application: delay variation, 99 % (ms)", digits=1),
}

WAVELETS = Measure(name="abry_veitch", label="H by wavelets")
WHITTLE = Measure(name="local_whittle", label="H by local Whittle")

NOISE_H = Measure(name="h", label="estimate of H", digits=3)
NOISE_WIDTH = Measure(name="width", label="width of the 95 % interval")
NOISE_COVERED = Measure(name="covered", label="interval holds H", digits=2)


def _less(row: Row, one: str, other: str) -> float:
    return float(row.values[one] - row.values[other])
