"""Writes the page: its texts, tables and verdicts."""

from __future__ import annotations

from statistics import fmean
from textwrap import fill
from typing import TYPE_CHECKING, Final

from linux.explained import grouped
from linux.markdown import table
from ns3.cells import FAULTY, PARTS, Compared
from ns3.explained import EXPLAINED
from ns3.rules import BAR, GOODPUT, JITTER_MS, SEEDS, WAITING, Tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

INTRODUCTION: Final = """\
# Agreement with ns-3

Made by `make ns3`. This page compares today's senders and queues with ns-3.44: CUBIC, Reno with SACK, DCTCP and BBR,
with drop-tail, CoDel, FQ-CoDel, PIE and step marking. Other pages compare the engine with ns-2
([agreement.md](agreement.md)) and with a Linux kernel ([agreement_linux.md](agreement_linux.md)).
"""

SETTINGS: Final = f"""\
## Settings

`validation/ns3/data` contains ns-3's results and describes its network and settings. Ackclock simulates the same
network with the profile `rfc` and these differences:

| ns-3 | Ackclock |
| --- | --- |
| TcpLinuxReno with SACK | `variant = "reno"`, `recovery = "sack"` |
| TcpCubic: Linux's rules | `variant = "cubic"`, `rules = "linux"` |
| TcpDctcp, TcpBbr | `variant = "dctcp"`, `variant = "bbr"` |
| no tail loss probes | `tail_loss_probe = false` (1) |
| TcpClassicRecovery, TcpPrrRecovery | `prr = "off"`, `prr = "rfc6937"` |
| every acknowledged segment counts; windows grow by whole segments | `byte_counting = 1000`, `whole_growth = true` |
| reductions from the window | `decrease_from = "window"` |
| the ACK that ends a recovery grows the window | `grow_on_exit = true` with Reno and CUBIC |
| HyStart ends slow start when the round-trip time has doubled | `slow_start = "standard"`, or `"hystart"` (2) |
| 1502 bytes on the link, windows of 16 MiB | `packet_size = 1502`, `max_window = 11586` |
| a discipline of B packets, and one packet in the device behind it | `packets = B + 1` (3) |

1. Our CUBIC, DCTCP and BBR use RACK, which ns-3.44 does not have.
2. The round-trip time doubles only if the buffer is larger than a bandwidth-delay product. For such buffers,
   `"hystart"` is the nearest option.
3. With `count_in_service = false`. In Ackclock, the targets of CoDel and PIE are longer by the transmission time of one
   packet, and the step is at K + 1 packets.

ns-3 measures waiting times in the queue discipline, without the device behind it. To get the same times from Ackclock,
we take the mean queue without its first packet, and divide it by the departures per second.

Ackclock runs each network with {len(SEEDS)} seeds. Its flows start at a random time in the {JITTER_MS} ms after ns-3's
start. ns-3 has one run of each network, or two runs of different length.
"""

TOLERANCES: Final = f"""\
## Rule

The rule was fixed before the first comparison. A cell agrees if

- the means of the total goodput differ by at most {100 * GOODPUT.relative:g} %, and
- the means of the queueing delay differ by at most {100 * WAITING.relative:g} %, or one side's mean is between two runs
  of the other side.

{100 * BAR:.0f} % of the cells must agree. There are two exceptions, because of faults of ns-3 that we had listed before
the comparison:

- With BBR, only goodput is judged. ns-3's BBR keeps a queue that Linux's BBR does not have.
- CUBIC and Reno are judged with ns-3's classic recovery. ns-3's PRR reduces the window twice, so their cells with PRR
  are listed, but not judged.

In the first comparison, 55 of 58 cells agreed. These three differed: Reno with a drop-tail buffer of 8 packets, Reno
with PIE at 80 ms, and CUBIC beside Reno with CoDel at 20 ms. We then made two changes:

- We added the option `grow_on_exit`. ns-3's windows show that the ACK that ends a recovery adds about two segments.
- We corrected a fault of ours. With `byte_counting`, ACKs count the segments that they acknowledge. An ACK that filled
  a gap after a timeout counted for every segment below it. In congestion avoidance, a single ACK could thus increase
  the window from 2 to 68 segments. An ACK now counts for at most one window. It therefore adds at most one segment (RFC
  5681, section 3.1).
"""


DCTCP: Final = """\
## DCTCP's estimate of marks

This page judges goodput and delay. `alpha`, DCTCP's estimate of the share of marked packets, differs more. In ns-3's
example `tcp-validation`, one flow crosses CoDel, which marks after 1 ms, at 50 Mb/s and 10 ms. There `alpha` is 0.06 to
0.085. The fluid law gives 0.21 (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.3). To find the
reason, we changed one setting of ns-3 after the other:

| ns-3, each row with the changes of the rows above | `alpha`, mean | share of marks |
| --- | ---: | ---: |
| as in the example | 0.064 | 0.082 |
| without byte queue limits at the bottleneck | 0.120 | 0.128 |
| one packet, not three, in the device behind the queue | 0.122 | 0.127 |
| without pings | 0.128 | 0.132 |
| an ACK for each packet | 0.193 | 0.204 |
| windows reduced at once (classic recovery) | 0.197 | 0.196 |

| Ackclock, the last network of the table above | `alpha`, mean | share of marks |
| --- | ---: | ---: |
| settings of this page | 0.131 | 0.136 |
| an ACK for each packet | 0.193 | 0.196 |
| windows reduced at once | 0.195 | 0.196 |
| profile `rfc`, in which an ACK of two packets grows the window as one does | 0.099 | 0.100 |
| profile `linux` | 0.142 | 0.142 |

- Byte queue limits: packets leave the discipline in groups of seven. At some window, only two of the seven packets wait
  longer than the threshold. Marks therefore begin gradually, and each reduction needs fewer of them.
- Delayed ACKs: packets arrive in pairs, and near the threshold only the second of a pair is marked.
- The remaining difference is 1 % with an ACK for each packet. With delayed ACKs and windows reduced at once, our
  `alpha` is 7 % larger than ns-3's (0.139, ns-3 0.129). The reason is the round trip after a reduction: unmarked ACKs
  grow the window in Ackclock, but not in ns-3. With a step of 20 packets at 10 Mb/s, our `alpha` is 0.212 at 20 ms
  (ns-3 0.214) and 0.151 at 80 ms (ns-3 0.152).
- ns-3's PRR reduces the window twice, or too much. With the step, delayed ACKs and PRR, ns-3 marks 18 % of the packets
  at 20 ms and 8 % at 80 ms. With classic recovery, ns-3 marks 15 and 10 %, as Ackclock does.
- The comparison found a fault of ours, now corrected. With windows that grow by whole segments, the sender took a
  reduction to a fraction of a segment for slow start. With this fault, `alpha` was 6 to 11 % larger.

An `alpha` below the fluid law is not a fault. To show this, `tests/engine/test_dctcp.py` iterates DCTCP's rules packet
by packet. If the gain is small and every ACK grows the window, the iteration's share of marks is within 1 % of the law.
But ACKs that report marks do not grow the window (RFC 3168), which lowers the share of marks by 5 to 6 %. And with the
usual gain of 1/16, `alpha` moves up and down by a fifth in a cycle. At the time of a reduction it is smallest: 16 to 17
% below the law with one flow, and up to 25 % with ten. With one flow, its mean over the cycle is not below the law. The
engine's `alpha` is within 2 % of the iteration's. Linux's PRR spreads a reduction over a round trip in which the queue
still marks packets. These marks may reduce the window a second time. With a step of 20 packets, `alpha` is then 20 %
smaller with one flow and 14 % smaller with ten.
"""


def bar(found: Sequence[Compared]) -> tuple[int, int]:
    """Return the number of judged cells that agree, and of all judged cells."""
    judged = [one for one in found if one.cell.part != FAULTY]
    return sum(all(one.agrees(tolerance) for tolerance in one.judged) for one in judged), len(judged)


def page(found: Sequence[Compared]) -> str:
    """Return the page."""
    agree, total = bar(found)
    verdict = "met" if agree >= BAR * total else "missed"
    summary = [["judged cells", f"{agree} of {total}", f"{100 * agree / total:.0f} %", f"{100 * BAR:.0f} %", verdict]]
    for part in PARTS:
        for tolerance in (GOODPUT, WAITING):
            for judged in (True, False):
                agrees = [
                    one.agrees(tolerance)
                    for one in found
                    if one.cell.part == part and judged == (tolerance in _judged(one))
                ]
                if agrees:
                    share = f"{100 * sum(agrees) / len(agrees):.0f} %"
                    name = f"{part}: {tolerance.title}" + ("" if judged else " (not judged)")
                    summary.append([name, f"{sum(agrees)} of {len(agrees)}", share, "-", "-"])
    parts = [
        INTRODUCTION,
        table(["", "agree", "share", "bar", "result"], summary),
        TOLERANCES,
        SETTINGS,
        *(f"## {part}\n\n{_cells([one for one in found if one.cell.part == part])}" for part in PARTS),
        _shares(found),
        DCTCP,
        _differences(found),
    ]
    return "\n".join(parts)


def key(one: Compared, tolerance: Tolerance) -> str:
    """Name of a comparison, as in `ns3.explained`."""
    return f"{one.cell.part}: {one.cell.name}: {tolerance.title}"


def _judged(one: Compared) -> Sequence[Tolerance]:
    return [] if one.cell.part == FAULTY else one.judged


def _cells(found: Sequence[Compared]) -> str:
    rows = []
    for one in found:
        row = [one.cell.name]
        for tolerance in (GOODPUT, WAITING):
            verdict = "agrees" if one.agrees(tolerance) else "differs"
            row += [_runs(tolerance, one.cell.theirs(tolerance)), _runs(tolerance, one.ours(tolerance)), verdict]
        rows.append(row)
    columns = ["cell"]
    for tolerance in (GOODPUT, WAITING):
        columns += [f"{tolerance.title}, {tolerance.unit}: ns-3", "Ackclock", "verdict"]
    return table(columns, rows)


def _runs(tolerance: Tolerance, values: Sequence[float]) -> str:
    """Format a mean, and the range of the runs."""
    mean, low, high = (f"{value:.{tolerance.digits}f}" for value in (fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def _shares(found: Sequence[Compared]) -> str:
    rows = []
    for one in found:
        theirs, ours = one.cell.their_share, one.our_share
        if theirs is not None and ours is not None and one.cell.part != FAULTY:
            rows.append([one.cell.name, f"{theirs:.2f}", f"{ours:.2f}", f"{ours - theirs:+.2f}"])
    return (
        "## Shares\n\nThe table shows the share of the goodput that the CUBIC flows get. These numbers are not judged. "
        "ns-3.44 has no\nRACK. Beside BBR, the shares therefore depend on the timeouts of CUBIC and BBR.\n\n"
        f"{table(['cell', 'ns-3', 'Ackclock', 'difference'], rows)}"
    )


def _differences(found: Sequence[Compared]) -> str:
    names = [key(one, tolerance) for one in found for tolerance in (GOODPUT, WAITING) if not one.agrees(tolerance)]
    text = "## Differences\n\n"
    for words, group in grouped(names, EXPLAINED).items():
        text += f"{fill(words, 120, break_on_hyphens=False)}\n\n" + "".join(f"- {name}\n" for name in group) + "\n"
    return text.rstrip() + "\n"
