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
packets between two network namespaces. A program in user space emulated the path between them: a rate limit, a
drop-tail buffer and a delay. The kernel ran in a virtual machine on a host with other work, so the program forwarded
some packets late. The median lateness of a packet is about 0.03 ms, and the 99th percentile about 0.3 ms. There are
also stalls of 5 to 30 ms.

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
- BBR alone: goodput and the mean round-trip time are judged with all buffers. The mean round-trip time is the path's
  round-trip time plus the mean wait in the queue. One repetition of the kernel ran with a frozen clock. It does not
  count for the round-trip time, because BBR then measures a slower network.
- Random loss: means of {len(SEEDS)} runs on both sides. Competition: means of {len(SHARE_SEEDS)} runs and of the
  kernel's 5 to 8.
- In all these cells our path is as late as the path of the measurement. The traces record how late each packet and each
  ACK was. We join the traces to a record of 124 s. Each run starts at a random time in this record, and its packets and
  ACKs get the recorded lateness. The lateness of data has a median of 0.02 ms and a 99th percentile of 0.18 ms. For
  ACKs, these are 0.07 and 0.37 ms, including the times in which sender and receiver answer. In the kernel's runs of the
  cells, packets were even later, but we know only percentiles of this lateness.
- We added this lateness after the first comparisons. In the first comparisons, nothing was random for single flows, so
  they had one run. Competition had 5 runs on both sides. Without lateness, and with the kernel's first 5 repetitions,
  these numbers agreed: 28 of 32 losses, 22 of 24 of BBR's round-trip times, and 9 of 13 shares of the first.
- Scripted losses: a script loses given transmissions of given segments. Of segment 100, for example, it may lose the
  first two transmissions. A replay in Ackclock loses the same transmissions. The order agrees if the replay sends all
  segments of the trace in the same order, including retransmissions. At least {100 * ORDER_BAR:.0f} % of the traces
  must agree.
- The times of a trace agree if the order agrees, and if at least {100 * PUNCTUAL:.0f} % of the segments are sent at the
  same time. At least {100 * TIMES_BAR:.0f} % of the traces must agree. Times count from the first data segment. Two
  times are the same if they differ by at most a limit, which is the sum of two parts. The first part is the 99th
  percentile of the trace's lateness, but at least {LATENESS_MS:g} ms. The second part is {WAKE_UPS} times the trace's
  median lateness for each elapsed round-trip time. The second part is necessary because delays add up: in each round
  trip, the kernel's sender, its receiver and the path in both directions each wake up late once.
- If no ACK and no other segment precedes a segment within {QUIET_MS:g} ms, a timer or the application sent it. The
  kernel's timers have a granularity of {JIFFY_MS:g} ms, and of {8 * JIFFY_MS:g} ms above {WHEEL_MS:g} ms. Such a
  segment may therefore be late by another two of these units. The times of later segments count from this segment.
- Traces with BBR have the same rules, with one exception: if the application always has data, they are compared only in
  the first {COMPARABLE_MS:g} ms. Startup and drain last about as long. After them the cycles begin in a random phase.
  We set this limit after the first comparison.
- A replay uses the lateness and the clock ticks that its trace shows. In a replay, each packet and each ACK is as late
  as the kernel's packets and ACKs at that time. An ACK is additionally late by two times: the time in which the
  kernel's sender answered it, and the median time of the kernel's receiver. A timer of the kernel that retransmits a
  segment shows a tick of the kernel's clock. In the replay, the timers' clock then ticks at the same time after the
  first segment. The pace of CUBIC depends on this clock too. If no timer shows a tick, we try 16 phases of the clock
  within {JIFFY_MS:g} ms. We take the phase with which most windows before ACKs equal the kernel's. In the traces
  `cubic_d100_101_of_each_100` and `cubic_dev30`, a timer shows a tick, and the windows lead to the same tick.
- We added this after the first comparisons. Before, all packets had the mean lateness, and only timers showed ticks.
  Then order and times of 32 traces agreed. The rules and bars themselves did not change.
"""

MORE: Final = f"""\
## More of the kernel: many flows, bursts, outages, changes and short flows

A second set of measurements of the same kernel has {len(REPETITIONS)} repetitions of each cell. Ackclock has the same
number of runs. In these runs, flows start at the same times as in the kernel's repetitions. A measure agrees if the
ranges of the repetitions overlap, or if the means differ by at most {100 * RELATIVE:.0f} % of the kernel's mean or by
at most {ABSOLUTE:g}. This rule was fixed before the first comparison. At least {100 * BAR:g} % of the measures must
agree.

- Many flows: 50 to 300 flows with packets of 552 bytes at 1.6 Mb/s and 100 ms, measured from 60 to 120 s. For each
  flow, we take the largest number of doublings of its RTO.
- All other parts: 20 Mb/s, 40 ms, and a buffer of 67 packets. With changes of the rate, the buffer has 400 packets.
- Bursts: the application writes all segments of a burst at once. Completion is the time from the burst's first packet
  to its last delivery. The numbers are means over all bursts except the first one.
- Requests beside a bulk flow: a request for 69 segments every 2 s, beside a bulk flow with the same sender.
- Outages: for some seconds, the bottleneck loses all packets that arrive: data, ACKs or both.
- Changes of the rate: the rate alternates between 20 and 2 Mb/s, with 10 s each.
- Short flows: 200 transfers of equal size at random times, with a load of one half.

{{counts}}
"""
