"""The paper's network: one TCP connection, and on/off sources of Pareto periods that share its bottleneck.

What the paper leaves open is set as in the reference runs of ns-2 (`data/README.md`): 40 sources, means of 0.5 s for
both periods (ns-2's default), 1000 bytes a packet, and access links that make the round-trip time the 75 ms of its
Figure 6. A packet takes twice as long to cross the bottleneck as an access link. In a busy period that the connection
begins, every other packet of its bursts therefore arrives in the very instant in which a transmission ends, and the
buffer is small: who goes first decides what is lost. In ns-2 it is the arrival (`ties`), in 98 of 100 cases.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ackclock.analysis import cov, kettani_gubner_k1
from ackclock.papers.core.definition import Definition
from ackclock.scenario import Constant, Greedy, Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.running.run import Run
    from ackclock.scenario.sources import Source

Variant = Literal["tahoe", "newreno", "vegas", "sack"]

VARIANTS: Final[Mapping[Variant, str]] = {"tahoe": "Tahoe", "newreno": "NewReno", "vegas": "Vegas", "sack": "SACK"}
"""The senders, and what the paper calls them."""

DURATION: Final = 100  # seconds of a run, all of which count
SETTLED: Final = 2  # seconds, from which on the background is looked at: every source has started
SOURCES: Final = 40  # on/off sources: they take 0.38 of the link, and totals are in the range of Table 2
BOTTLENECK: Final = 50_000_000  # bit/s
PACKET: Final = 1000  # bytes of a packet of the background
_OPEN: Final = 10_000  # packets of advertised window: never the limit
_STEP: Final = 0.01  # seconds in which the background is counted
DEFINITION: Final = Definition("ackclock.papers.selfsimilar")
_NETWORK: Final = Scenario.from_dict(DEFINITION.table("scenario"))
RATE: Final = 775  # packets a second of the fixed-rate source
SCALES: Final = (0.01, 0.1, 0.5, 1.0)  # seconds: bins over which the background is looked at


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What may be meant by a fixed-rate source: what the connection is given to send, and its advertised window."""

    name: str
    source: Source
    window: int = _OPEN  # packets


GREEDY = Reading(name="greedy", source=Greedy())
"""Always something to send, as Table 2's totals would have it."""

CONSTANT = Reading(name="constant rate", source=Constant(rate=RATE))
"""6.2 Mb/s of data, as the text says; what makes Figure 5's windows."""

WINDOW = Reading(name="window of 60", source=Greedy(), window=60)
"""A receiver that holds it to much the same rate."""

READINGS: Final[Mapping[str, Reading]] = {reading.name: reading for reading in (GREEDY, CONSTANT, WINDOW)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A connection over the background of so many on/off sources."""

    reading: Reading
    variant: Variant
    sources: int = SOURCES

    @property
    def where(self) -> dict[str, str]:
        """The coordinates in the evidence."""
        return {"reading": self.reading.name, "variant": VARIANTS[self.variant]}


SETTINGS = [Setting(reading=reading, variant=variant) for reading in READINGS.values() for variant in VARIANTS]
"""What Table 2 is made of, reading by reading."""


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
    """Return the network with the source of constant rate over UDP, which knows no windows and sends nothing again."""
    return _NETWORK.changed({"flows.1.transport": {"kind": "udp"}})


def background(sources: int = SOURCES) -> Scenario:
    """Return the network with the on/off sources alone: of one seed the same packets as with any connection."""
    alone = _NETWORK.model_copy(update={"flows": _NETWORK.flows[:1]})
    return alone.changed({"flows.0.count": sources})


ENDS: Final = f"arrivals@B->y,A->x/{DURATION}s"
"""Packets on the receiver's link, and ACKs on the sender's: what Table 2 counts."""

BINS: Final = f"arrivals@A->B/{1000 * _STEP:g}ms"
"""The background over time."""


def flow_summary(run: Run) -> dict[str, float | None]:
    """Take what Table 2 counts (`flow_counts`), and the paper's efficiency of it."""
    counts = flow_counts(run)
    return {**counts, "efficiency": efficiency(counts)}


def flow_counts(run: Run, *, lost: int = 0) -> dict[str, float]:
    """Count what Table 2 counts, from a run with the packets that entered the last links, in bins of any length.

    ``arrivals`` are packets on the receiver's link, without those that it ``lost``, which are ``drops`` too. ``acks``
    are packets on the sender's link.
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
        "timeouts": flow.timeouts,
    }


def efficiency(counts: Mapping[str, float]) -> float | None:
    """Give the paper's: arrivals over arrivals, drops and retransmissions, so that one sent again counts twice."""
    sent = counts["arrivals"] + counts["drops"] + counts["retransmissions"]
    return counts["arrivals"] / sent if sent else None


def background_summary(run: Run) -> dict[str, float | None]:
    """Take what the background does to the link, from a run with `BINS`.

    ``load`` is its share of the link's rate, over the whole run. Of its packets in bins of so many seconds, from
    `SETTLED` on, ``cov_<scale>`` is the coefficient of variation, ``hurst_<scale>`` the Hurst parameter by the paper's
    method: of Kettani and Gubner with one lag.
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
    """Add up as many bins as there are whole ones of the new width."""
    return np.asarray(counts[: len(counts) // width * width].reshape(-1, width).sum(axis=1))
