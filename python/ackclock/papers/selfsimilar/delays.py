"""Jitter and delay variation in the network, and at an application that receives data of a fixed-rate source.

The paper says that its fixed-rate source served to measure jitter, but prints no value. The definitions are from RFC
3550 and RFC 5481.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_LEAST: Final = 0.035  # seconds: every packet takes longer to cross the first two links
_GAIN: Final = 1 / 16  # gain of RFC 3550's running mean


def matched(sent: Array, which: Array, came: Array, arrived: Array) -> Array:
    """Return for each arrival the last time at which its segment was sent early enough to cause this arrival.

    `sent` and `came` are times, s below 1000, at which packets were sent and arrived; `which` and `arrived` are the
    segments of these packets.
    """
    keys = np.sort(which + sent / 1000)
    found = keys[np.searchsorted(keys, arrived + (came - _LEAST) / 1000, side="right") - 1]
    return np.asarray((found - arrived) * 1000)


def variation(sent: Array, came: Array) -> Mapping[str, float | None]:
    """Compute jitter and delay variation, ms, from the times of sending and arrival, s, in the order of arrival.

    ``jitter`` is the mean over all arrivals of RFC 3550's interarrival jitter J (section 6.4.1: J changes by
    (|D| - J) / 16 if successive delays differ by D). ``variation_99`` is the 99th percentile of the delay minus the
    smallest delay (RFC 5481, section 4.2: packet delay variation). Both are None for fewer than two packets.
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
    """Compute when a transport that delivers in order passes each segment to the application.

    `came` are the times of arrivals, s ascending, and `arrived` their segments. Returns the numbers of the segments
    before the first one that never arrived, counted from 0, and their times.
    """
    segments, first = np.unique(arrived, return_index=True)
    order = segments - segments[0]
    missing = np.flatnonzero(order != np.arange(order.size))
    whole = int(missing[0]) if missing.size else order.size
    return order[:whole], np.maximum.accumulate(came[first][:whole])


def lateness(order: Array, times: Array, *, rate: float) -> Mapping[str, float | None]:
    """Compute jitter and delay variation, ms, at an application whose source creates `rate` segments/s from 0 s on.

    Takes the result of `delivered`. ``late_jitter`` and ``late_99`` are as in `variation`, for delays from the creation
    of a segment to its delivery; ``late_most`` is the largest delay minus the smallest.
    """
    made = order / rate
    found = variation(made, times)
    delays = times - made
    most = 1000 * float(delays.max() - delays.min()) if delays.size else None
    return {"late_jitter": found["jitter"], "late_99": found["variation_99"], "late_most": most}
