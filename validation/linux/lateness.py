"""The lateness of the path in a trace, as propagation delays that change from packet to packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from linux.data import DATA_ROWS, Trace, timings
from linux.rules import QUIET_MS
from linux.senders import BBR, packet_ms

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

RTT_MS: Final = 40.0
"""Round-trip time of the traces, without transmission and lateness."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delays:
    """The delays of one direction.

    Parameters
    ----------
    handshake
        Delay of the handshake's packet, in ms.
    times
        When the packets entered the propagation delay, in ms from the first segment, ascending.
    delays
        Their delays, in ms.
    """

    handshake: float
    times: NDArray[np.float64]
    delays: NDArray[np.float64]

    def write(self, file: Path, first_ms: float) -> None:
        """Write a delay trace for a run whose first segment is sent at a time in ms.

        The delay changes halfway between two packets, since ours do not leave at exactly the same times.
        """
        changes = np.concatenate(([-RTT_MS / 4], (self.times[1:] + self.times[:-1]) / 2)) + first_ms
        rows = zip([0.0, *changes.tolist()], [self.handshake, *self.delays.tolist()], strict=True)
        file.write_text("time,delay\n" + "".join(f"{at / 1e3:.9f},{delay / 1e3:.9f}\n" for at, delay in rows), "utf-8")


def delays(trace: Trace, rate_mbps: float) -> tuple[Delays, Delays]:
    """Return the delays of data and of ACKs.

    Each packet has its own lateness. The way back also has the time in which the kernel's sender answered the ACK with
    a segment, or the median if it did not, and the median time in which the kernel's receiver answered a packet.
    """
    one_way = RTT_MS / 2
    first = float(trace.sent.times[0])
    (syn,), (syn_ack,) = trace.lateness(["SYN"])[1], trace.lateness(["SYNACK"])[1]
    times, late = trace.lateness(DATA_ROWS)
    each = packet_ms(rate_mbps)
    # a packet ends its transmission a packet's time after the one before it, or after its own arrival
    places = np.arange(1, len(times) + 1) * each
    ends = np.asarray(places + np.maximum.accumulate(times - places + each), dtype=np.float64)
    acked, late_acks = trace.lateness(["A"])
    left = acked - late_acks - one_way
    both = timings()[trace.name].late - float(late.mean()) - float(late_acks.mean())  # medians of the answers
    way_back = late_acks + both + _beyond_median(trace)
    left, place = np.unique(left, return_index=True)
    return (
        Delays(handshake=one_way + syn, times=np.asarray(ends - first, dtype=np.float64), delays=one_way + late),
        Delays(handshake=one_way + syn_ack, times=left - first, delays=one_way + way_back[place]),
    )


def _beyond_median(trace: Trace) -> NDArray[np.float64]:
    """Return by how much the sender's answer to each ACK was later than the median, in ms; 0 if it may have waited."""
    answers = trace.answers
    is_prompt = answers < QUIET_MS
    if trace.kernel == BBR or "paced" in trace.name or not is_prompt.any():
        return np.zeros(len(answers))
    return np.where(is_prompt, answers - np.median(answers[is_prompt]), 0.0)
