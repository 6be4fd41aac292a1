"""How evenly packets come: jitter in the network, and how late an application has what a fixed-rate source made.

The paper says that its fixed-rate source served to measure jitter, and prints none. Here the word has the definitions
of the RFCs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_LEAST: Final = 0.035  # seconds, below which no packet has crossed the first two links
_GAIN: Final = 1 / 16  # of the running mean of RFC 3550


def matched(sent: Array, which: Array, came: Array, arrived: Array) -> Array:
    """Give for each arrival the last time at which its segment was sent, leaving out what was sent too late for it.

    Takes the times at which packets were sent and arrived, s below 1000, each with their segments.
    """
    keys = np.sort(which + sent / 1000)
    found = keys[np.searchsorted(keys, arrived + (came - _LEAST) / 1000, side="right") - 1]
    return np.asarray((found - arrived) * 1000)


def variation(sent: Array, came: Array) -> Mapping[str, float | None]:
    """Say how delays vary from packet to packet; sending and arrival in s, in the order of arrival.

    In ms: ``jitter``, the mean over the arrivals of RFC 3550's interarrival jitter J (section 6.4.1: J grows by a
    sixteenth of the amount by which the next difference of two delays is above it); ``variation_99``, by how much 99 %
    of the packets are later, at most, than the fastest (RFC 5481, section 4.2: packet delay variation). None of fewer
    than two packets.
    """
    if came.size < 2:
        return {"jitter": None, "variation_99": None}
    from scipy.signal import lfilter  # noqa: PLC0415 - slow to load

    delays = came - sent
    jitter = lfilter([_GAIN], [1, _GAIN - 1], np.abs(np.diff(delays)))
    return {
        "jitter": 1000 * float(np.mean(jitter)),
        "variation_99": 1000 * float(np.percentile(delays, 99) - delays.min()),
    }


def delivered(came: Array, arrived: Array) -> tuple[Array, Array]:
    """Say when an application gets each segment from a transport that delivers in order.

    Takes the times of the arrivals, s ascending, and their segments. Gives segments, counted from the first, up to the
    first that never came, and the times.
    """
    segments, first = np.unique(arrived, return_index=True)
    order = segments - segments[0]
    missing = np.flatnonzero(order != np.arange(order.size))
    whole = int(missing[0]) if missing.size else order.size
    return order[:whole], np.maximum.accumulate(came[first][:whole])


def lateness(order: Array, times: Array, *, rate: float) -> Mapping[str, float | None]:
    """Say how evenly an application gets what a source made at a fixed rate, in segments a second from 0 s on.

    Takes what `delivered` gives. In ms, as in `variation`, with the making in place of the sending: ``late_jitter``,
    ``late_99``; and ``late_most``, of the latest.
    """
    made = order / rate
    found = variation(made, times)
    delays = times - made
    most = 1000 * float(delays.max() - delays.min()) if delays.size else None
    return {"late_jitter": found["jitter"], "late_99": found["variation_99"], "late_most": most}
