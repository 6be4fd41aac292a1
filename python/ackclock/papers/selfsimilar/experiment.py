"""The paper's network: one TCP connection, and on/off sources with Pareto periods that share its bottleneck.

Settings that the paper does not print are as in the reference runs of ns-2 (`data/README.md`): 40 sources, on and off
periods of 0.5 s on average, packets of 1000 bytes, and access links that give a round-trip time of 75 ms, as in Figure
6. A transmission takes twice as long at the bottleneck as on an access link. If the connection begins a busy period,
every other packet of its burst therefore arrives at the instant at which a transmission ends. The order of these two
events decides which packets the small buffer drops. In ns-2 the arrival is first (`ties`) in 98 of 100 cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from ackclock.analysis import cov, kettani_gubner_k1
from ackclock.papers.core.definition import Definition
from ackclock.running.run import Run
from ackclock.scenario import Constant, Greedy, Scenario
from ackclock.scenario.sources import Source

Variant = Literal["tahoe", "newreno", "vegas", "sack"]

VARIANTS: Final[Mapping[Variant, str]] = {"tahoe": "Tahoe", "newreno": "NewReno", "vegas": "Vegas", "sack": "SACK"}
"""TCP variants with the paper's names."""

DURATION: Final = 100  # seconds of a run, all of which count
SETTLED: Final = 2  # seconds: start of the measurement of the background, when every source has started
SOURCES: Final = 40  # on/off sources: they use 38 % of the link, and counts are in the range of Table 2
BOTTLENECK: Final = 50_000_000  # bit/s
PACKET: Final = 1000  # bytes of a packet of the background
_OPEN: Final = 10_000  # packets: an advertised window that never limits the sender
_STEP: Final = 0.01  # seconds: bins in which the background is counted
DEFINITION: Final = Definition("ackclock.papers.selfsimilar")
_NETWORK: Final = Scenario.from_dict(DEFINITION.table("scenario"))
RATE: Final = 775  # packets a second of the fixed-rate source
SCALES: Final = (0.01, 0.1, 0.5, 1.0)  # seconds: bins in which the background is analysed


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A reading (interpretation) of the paper's fixed-rate source: the connection's source and advertised window."""

    name: str
    source: Source
    window: int = _OPEN  # packets


GREEDY = Reading(name="greedy", source=Greedy())
"""The source always has data to send, as the totals of Table 2 suggest."""

CONSTANT = Reading(name="constant rate", source=Constant(rate=RATE))
"""The source creates 6.2 Mb/s of data, as the paper's text says; this results in windows as in Figure 5."""

WINDOW = Reading(name="window of 60", source=Greedy(), window=60)
"""The source always has data, and the receiver's window limits it to about 6.2 Mb/s."""

READINGS: Final[Mapping[str, Reading]] = {reading.name: reading for reading in (GREEDY, CONSTANT, WINDOW)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A connection of one variant under one reading, and the number of on/off sources in the background."""

    reading: Reading
    variant: Variant
    sources: int = SOURCES

    @property
    def where(self) -> dict[str, str]:
        """The coordinates of its runs."""
        return {"reading": self.reading.name, "variant": VARIANTS[self.variant]}


SETTINGS = [Setting(reading=reading, variant=variant) for reading in READINGS.values() for variant in VARIANTS]
"""The settings of Table 2, reading by reading."""


def scenario(setting: Setting) -> Scenario:
    """Return the network with the connection of a setting; its groups are ``background`` and ``flow``."""
    changes: dict[str, Any] = {
        "flows.0.count": setting.sources,
        "flows.1.transport.variant": setting.variant,
        "flows.1.transport.max_window": setting.reading.window,
        "flows.1.source": setting.reading.source,
    }
    if setting.variant == "vegas":
        changes["flows.1.packet_size"] = PACKET
    return _NETWORK.changed(changes)


def unresponsive() -> Scenario:
    """Return the network with the source of constant rate over UDP, without windows and retransmissions."""
    return _NETWORK.changed({"flows.1.transport": {"kind": "udp"}})


def background(sources: int = SOURCES) -> Scenario:
    """Return the network with the on/off sources alone; with the same seed, a connection does not change them."""
    alone = _NETWORK.model_copy(update={"flows": _NETWORK.flows[:1]})
    return alone.changed({"flows.0.count": sources})


ENDS: Final = f"arrivals@B->y,A->x/{DURATION}s"
"""Record of the packets on the receiver's link and of the ACKs on the sender's link, which Table 2 counts."""

BINS: Final = f"arrivals@A->B/{1000 * _STEP:g}ms"
"""Record of the background over time."""


def flow_summary(run: Run) -> dict[str, float | None]:
    """Take the counts of Table 2 (`flow_counts`) and the paper's efficiency."""
    counts = flow_counts(run)
    return {**counts, "efficiency": efficiency(counts)}


def flow_counts(run: Run, *, lost: int = 0) -> dict[str, float]:
    """Take the counts of Table 2 from a run that records the arrivals at the last links, in bins of any length.

    ``arrivals`` are packets on the receiver's link, except packets that this link `lost`, which count as ``drops``.
    ``acks`` are packets on the sender's link.
    """
    ends = run.table("arrivals")
    came: Counter[str] = Counter()
    for link, packets in zip(ends["link"].to_pylist(), ends["packets"].to_pylist(), strict=True):
        came[link] += packets
    flow = run.summary.groups["flow"]
    return {
        "arrivals": came["B->y"] - lost,
        "drops": flow.drops + lost,
        "retransmissions": flow.retransmissions,
        "acks": came["A->x"],
        "timeouts": flow.timeouts or 0,
    }


def efficiency(counts: Mapping[str, float]) -> float | None:
    """Compute the paper's efficiency, arrivals / (arrivals + drops + retransmissions); None without packets."""
    sent = counts["arrivals"] + counts["drops"] + counts["retransmissions"]
    return counts["arrivals"] / sent if sent else None


def background_summary(run: Run) -> dict[str, float | None]:
    """Take the load, the variation and the Hurst parameters of the background, from a run with `BINS`.

    ``load`` is the share of the link's rate that it uses over the whole run. In bins of <scale> seconds, from `SETTLED`
    on, ``cov_<scale>`` is the coefficient of variation of its packets, and ``hurst_<scale>`` their Hurst parameter by
    the paper's method (Kettani and Gubner with one lag).
    """
    counts = run.table("arrivals")["packets"].to_numpy()
    settled = counts[round(SETTLED / _STEP) :]
    bins = {f"{scale:g}": binned(settled, round(scale / _STEP)) for scale in SCALES}
    return {
        "load": float(counts.sum()) * 8 * PACKET / (BOTTLENECK * DURATION),
        **{f"cov_{scale}": cov(packets) for scale, packets in bins.items()},
        **{f"hurst_{scale}": kettani_gubner_k1(packets).h for scale, packets in bins.items()},
    }


def binned(counts: np.ndarray, width: int) -> np.ndarray:
    """Add up groups of `width` bins, without an incomplete last group."""
    return np.asarray(counts[: len(counts) // width * width].reshape(-1, width).sum(axis=1))


COUNTS: Final = ("arrivals", "drops", "retransmissions", "acks")
"""The rows of Table 2 that are counts."""

TABLE_2: Final = DEFINITION.table("table2")
"""The columns of Table 2 by variant."""

TRACE: Final = DEFINITION.table("trace")
"""The paper's numbers of its captured trace; shares of protocols are per cent."""
