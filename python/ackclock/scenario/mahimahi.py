"""Traces of mahimahi's ``mm-link``: the milliseconds at which a link can deliver a packet, as steps of its rate.

Each line of such a trace is one *delivery opportunity*: a millisecond at which 1500 bytes can leave. Lines may repeat,
and the trace begins again at its last millisecond, for ever. An opportunity that finds nothing to send is lost; several
small packets share one, and what is left of a packet goes with the next (Netravali et al., "Mahimahi: Accurate
Record-and-Replay for HTTP", USENIX ATC 2015; ``man mm-link``; ``LinkQueue::rationalize`` in its ``link_queue.cc``).

Here `n` opportunities at `t` are a rate of 1 Tbit/s during the last `12 n` ns before `t`; between them the rate is 0.
So the integral of the rate is, at each whole millisecond, exactly that of the opportunities so far, and the engine's
rule for a rate that changes does the rest: what passes while nothing waits is lost, and what waits shares what comes. A
packet that arrives at `t` itself comes too late for the opportunity at `t`, as it does in mahimahi.

What differs from mahimahi:

- packets of one millisecond leave 12 ns apart, the last one at `t`, instead of together;
- mahimahi counts 1504 bytes for an opportunity, and the 4 bytes of the tunnel's header with each packet: a full packet
  is the same, but 34 ACKs of 40 bytes share an opportunity there, and 37.5 here;
- the packet that waits for the next opportunity is in service here, not in the queue. A limit that does not count it
  holds one packet more than mahimahi's (with ``count_in_service = true`` it is the same), and its wait for the
  opportunity is not a wait in the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario.quantity import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPPORTUNITY: Final = 1500 * 8
"""Bits of a delivery opportunity."""
BURST: Final = 10**12
"""The rate within one, bit/s."""
_MILLISECOND: Final = PICOSECONDS_PER_SECOND // 1000
_EACH: Final = OPPORTUNITY * PICOSECONDS_PER_SECOND // BURST
"""Picoseconds that one takes."""
MOST_AT_ONCE: Final = _MILLISECOND // _EACH
"""Most opportunities in a millisecond."""


def most_at_once(milliseconds: NDArray[np.int64]) -> int:
    """Count the opportunities of the fullest millisecond; those at 0 come again with the last one."""
    _, counts = _counted(milliseconds)
    return int(counts.max())


def steps(milliseconds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Turn opportunities, in order, into steps of a rate.

    Parameters
    ----------
    milliseconds
        When they come; the last one later than 0, and at most `MOST_AT_ONCE` at a time.

    Returns
    -------
    times, rates, period
        The times from which a rate holds, in picoseconds; the rates, in bit/s; and after how many picoseconds they
        begin again.

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
    ends = at * _MILLISECOND
    begins = ends - counts * _EACH
    # the last burst ends with the period
    times = np.concatenate([[0], np.column_stack([begins, ends]).ravel()[:-1]])
    rates = np.zeros_like(times)
    rates[1::2] = BURST
    return times, rates, int(ends[-1])


def _counted(milliseconds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the opportunities of each millisecond; those at 0 find nothing at first, and then come with the last."""
    import numpy as np  # noqa: PLC0415

    at, counts = np.unique(milliseconds, return_counts=True)
    if at[0] == 0:
        counts[-1] += counts[0]
        at, counts = at[1:], counts[1:]
    return at, counts
