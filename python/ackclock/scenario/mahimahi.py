"""Converts traces of mahimahi's ``mm-link``, the milliseconds at which a link delivers a packet, to steps of the rate.

Each line of such a trace is one *delivery opportunity*: a millisecond at which 1500 bytes can leave. Several lines may
give the same millisecond. The trace repeats forever, each time from its last millisecond. An opportunity is lost if
there is nothing to send. Several small packets share an opportunity, and the rest of a packet that does not fit uses
the next opportunity (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015; ``man
mm-link``; ``LinkQueue::rationalize`` in its ``link_queue.cc``).

Here `n` opportunities at `t` are a rate of 1 Tbit/s during the last `12 n` ns before `t`; between these bursts the rate
is 0. So at each whole millisecond the integral of the rate equals exactly the bits of all opportunities so far. The
engine's rule for changing rates then gives mahimahi's behaviour: capacity is lost while no packet waits, and waiting
packets share the capacity. A packet that arrives at `t` is too late for the opportunity at `t`, as in mahimahi.

Differences from mahimahi:

- packets of one millisecond `t` leave 12 ns apart, the last one at `t`, instead of at the same time;
- mahimahi counts 1504 bytes per opportunity and 4 bytes of tunnel header per packet. Full packets behave the same, but
  an opportunity carries 34 ACKs of 40 bytes in mahimahi, and 37.5 here;
- the packet that waits for the next opportunity is in service here, not in the queue. With ``count_in_service = false``
  the queue holds one packet more than mahimahi's queue; with ``true`` both hold the same number. The wait for the
  opportunity does not count as queueing time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.values.quantity import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPPORTUNITY: Final = 1500 * 8
"""Bits of a delivery opportunity."""
BURST: Final = 10**12
"""Rate during an opportunity, bit/s."""
_MILLISECOND: Final = PICOSECONDS_PER_SECOND // 1000
_EACH: Final = OPPORTUNITY * PICOSECONDS_PER_SECOND // BURST
"""Duration of an opportunity, in picoseconds."""
MOST_AT_ONCE: Final = _MILLISECOND // _EACH
"""Maximum number of opportunities in a millisecond."""


def most_at_once(milliseconds: NDArray[np.int64]) -> int:
    """Count the opportunities of the fullest millisecond. Opportunities at 0 count in the last millisecond."""
    _, counts = _counted(milliseconds)
    return int(counts.max())


def steps(milliseconds: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Convert opportunities, in order, to steps of a rate.

    Parameters
    ----------
    milliseconds
        Times of the opportunities, in ms. The last time is above 0, and at most `MOST_AT_ONCE` times are equal.

    Returns
    -------
    times, rates, period
        Start of each rate, in picoseconds; the rates, in bit/s; and the period, in picoseconds.

    Examples
    --------
    >>> import numpy as np
    >>> times, rates, period = steps(np.array([0, 2, 2, 5]))
    >>> times.tolist(), period
    ([0, 1999976000, 2000000000, 4999976000], 5000000000)
    >>> rates.tolist()
    [0, 1000000000000, 0, 1000000000000]
    """
    import numpy as np  # noqa: PLC0415  # slow to load

    at, counts = _counted(milliseconds)
    ends = at.astype(np.uint64) * np.uint64(_MILLISECOND)  # times beyond 106 days do not fit into 63 bits
    begins = ends - counts.astype(np.uint64) * np.uint64(_EACH)
    # the last burst ends with the period
    times = np.zeros(2 * at.size, dtype=np.uint64)
    times[1:] = np.column_stack([begins, ends]).ravel()[:-1]
    rates = np.zeros(times.size, dtype=np.int64)
    rates[1::2] = BURST
    return times, rates, int(ends[-1])


def _counted(milliseconds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the opportunities of each millisecond. Opportunities at 0 occur when the trace repeats."""
    import numpy as np  # noqa: PLC0415

    at, counts = np.unique(milliseconds, return_counts=True)
    if at[0] == 0:
        counts[-1] += counts[0]
        at, counts = at[1:], counts[1:]
    return at, counts
