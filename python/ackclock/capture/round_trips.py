"""The round-trip times of a connection at the point of capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["round_trips"]


def round_trips(data: Mapping[str, Numbers], acks: Mapping[str, Numbers]) -> tuple[Numbers, Numbers]:
    """Return times of ACKs and their round-trip times, without ambiguous ones (Karn's rule)."""
    new = data["retransmission"] == 0
    if not new.any() or not acks["ack"].size:
        return np.zeros(0), np.zeros(0)
    ends = np.maximum.accumulate((data["sequence"] + data["payload"])[new])
    sent = data["time"][new]
    highest = np.maximum.accumulate(acks["ack"])
    advance = np.diff(highest, prepend=-np.inf) > 0
    times, numbers = acks["time"][advance], highest[advance]
    place = np.searchsorted(ends, numbers, side="right") - 1
    known = (place >= 0) & (numbers > ends[0] - 1)
    place = np.maximum(place, 0)
    known &= np.diff(place, prepend=-1) > 0
    again = np.sort(data["time"][~new])
    known &= np.searchsorted(again, times, side="right") == np.searchsorted(again, sent[place])
    known &= times >= sent[place]
    return times[known], (times - sent[place])[known]
