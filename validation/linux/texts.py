"""The fixed texts of the page."""

from __future__ import annotations

from typing import Final

from linux.more.cells import REPETITIONS
from linux.more.compared import ABSOLUTE, BAR, RELATIVE
from linux.rules import (
    COMPARABLE_MS,
    CYCLES,
    JIFFY_MS,
    LATENESS_MS,
    ORDER_BAR,
    PUNCTUAL,
    QUIET_MS,
    SEEDS,
    SHARE_SEEDS,
    SINGLE_SEEDS,
    SMALL_BUFFER,
    TIMES_BAR,
    WAKE_UPS,
    WHEEL_MS,
)

INTRODUCTION: Final = """\
# Agreement with a Linux kernel

Made by `make linux`. This page compares the profile `linux` with measurements of a Linux kernel, version 6.18.44. Other
pages compare the engine with ns-2 ([agreement.md](agreement.md)).
"""

MEASURED: Final = """\
## Measurements of the kernel

`validation/linux/data` contains the measurements, and a description of their origin. The kernel's real TCP sent real
packets between two network namespaces. A program in user space was the path between them: a rate limit, a drop-tail
buffer and a delay. The kernel ran in a virtual machine that was also used by other work, so the path was late at times.
The median lateness of a packet is about 0.03 ms, and the 99th percentile about 0.3 ms, but there are also stalls of 5
to 30 ms.

- Reliable: all numbers with buffers of at least one bandwidth-delay product (BDP), the start of a connection, and the
  order of all events in the traces.
- Uncertain by 10 to 20 %: runs of a single flow with a buffer of a quarter of a BDP. A stall compresses ACKs, and the
  following burst overflows a small buffer early. These cells are listed, but not judged.
- Segmentation offload is off, both ends use timestamps (1448 bytes of data in 1500), and no window limits the sender.
"""

RULES: Final = f"""\
## Rules

The rules and the bars were fixed before the first comparison. A cell is a network with one or several flows. A measure
agrees if it differs from the mean of the kernel's repetitions by at most the allowed difference.

{{rules}}

- Single flows: means of {len(SINGLE_SEEDS)} runs. The kernel has one to three repetitions. If the kernel loses no
  packet, ours must lose none. The sawtooth period is the mean time between reductions of the window. It is compared if
  the kernel has at least {CYCLES} complete cycles. Cells with a buffer below {SMALL_BUFFER:g} BDP are not judged.
- BBR alone: goodput and the mean round-trip time, which is the path's plus the mean wait, are judged with all buffers.
  For the round-trip time, the kernel's repetition with the frozen clock does not count: BBR then measures a slower
  network.
- Random loss: means of {len(SEEDS)} runs on both sides. Competition: means of {len(SHARE_SEEDS)} runs and of the
  kernel's 5 to 8.
- In all these cells our path is as late as the measurement's: packets and ACKs are late as those of the traces were,
  one trace after the other, from a random time on. This record has 124 s. The median lateness of data is 0.02 ms and
  the 99th percentile 0.18 ms, of ACKs 0.07 and 0.37 ms with the times in which sender and receiver answer. The cells'
  own runs were later still, but only percentiles of them are known. This was added after the first comparisons, in
  which single flows had one run, as nothing was random, and competition 5 on both sides. Without it, and with the
  kernel's first 5 repetitions, 28 of 32 losses, 22 of 24 of BBR's round-trip times and 9 of 13 shares of the first
  agreed.
- Scripted losses: a script loses given transmissions of given segments, such as the first two of segment 100. A replay
  loses the same transmissions. The order agrees if all segments of the trace, retransmissions included, are sent in the
  same order. At least {100 * ORDER_BAR:.0f} % of the traces must agree.
- The times of a trace agree if the order agrees, and at least {100 * PUNCTUAL:.0f} % of the segments are sent at the
  same time. At least {100 * TIMES_BAR:.0f} % of the traces must agree. Times count from the first data segment. Two
  times are the same if they differ by at most {LATENESS_MS:g} ms, or by the 99th percentile of the trace's lateness if
  that is larger, plus {WAKE_UPS} times the trace's median lateness per elapsed round-trip time. The addition is
  necessary because the kernel's sender and receiver, and the path in both directions, each wake up late once per round
  trip, and the delays add up.
- A segment without an ACK or another segment in the {QUIET_MS:g} ms before it was sent by a timer or by the
  application. The kernel's timers have a granularity of {JIFFY_MS:g} ms, and of {8 * JIFFY_MS:g} ms above
  {WHEEL_MS:g} ms, so such a segment may be later by two of these units. Later times count from such a segment.
- Traces with BBR have the same rules, but they are compared up to {COMPARABLE_MS:g} ms after the first segment if the
  application always has data. Startup and drain last about as long, and then the cycles begin in a random phase.
  This limit was set after the first comparison.
- Replays use what the measurement itself tells; this was added after the first comparisons. Each packet and each ACK
  of a replay is late by as much as the kernel's at that time, and ACKs also by the times in which the kernel's sender
  answered them and by the receiver's median. The clock of timers ticks at the same time after the first segment as the
  kernel's, if one of the kernel's timers has sent a segment again and so shows a tick. CUBIC's pace depends on the
  clock. If no timer shows it, it ticks at the one of 16 times in {JIFFY_MS:g} ms with which most windows before ACKs
  are the kernel's. In the traces `cubic_d100_101_of_each_100` and `cubic_dev30`, whose timers show a tick, the windows
  lead to the same tick. With the mean lateness for all packets, and ticks of timers only, order and times of 32 traces
  agreed. The rules and bars themselves are the same as before.
"""

MORE: Final = f"""\
## More of the kernel: many flows, bursts, outages, changes and short flows

A second set of measurements of the same kernel has {len(REPETITIONS)} repetitions of each cell. Ackclock has as many
runs, with the kernel's starts of the flows. A measure agrees if the ranges of the repetitions overlap, or if the means
differ by at most {100 * RELATIVE:.0f} % of the kernel's mean or by at most {ABSOLUTE:g}. The rule was fixed before the
first comparison. At least {100 * BAR:g} % of the measures must agree.

- Many flows: 50 to 300 flows with packets of 552 bytes at 1.6 Mb/s and 100 ms, from 60 to 120 s. The largest number of
  doublings of the RTO is counted for each flow.
- All other parts: 20 Mb/s, 40 ms, and a buffer of 67 packets, with changes of the rate 400 packets.
- Bursts: the application writes all segments of a burst at once. Completion is the time from the burst's first packet
  to its last delivery. The numbers are means over all bursts except the first one.
- Requests beside a bulk flow: 69 segments each 2 s, beside a bulk flow of the same kind.
- Outages: packets that arrive at the bottleneck for some seconds are lost: data, ACKs or both.
- Changes of the rate: the rate is 20 and 2 Mb/s in turn, for 10 s each.
- Short flows: 200 transfers of equal size at random times, with a load of one half.

{{counts}}
"""
