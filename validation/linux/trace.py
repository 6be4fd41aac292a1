"""Show where our segments first differ from a kernel's trace: ``python -m linux.trace NAME...`` (all by default)."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from linux.data import timings, traces
from linux.divergence import Order, compare
from linux.lateness import RTT_MS
from linux.replay import LEFT_OUT, SCRIPTS, Replay, replay_all

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = 5
"""Rows before and after the first difference."""

Row = tuple[float, str]
"""Time in ms from the first segment, and the event."""


def compared(made: Replay) -> Order:
    """Compare a replay with its trace."""
    return compare(made.expected, made.sent, timings()[made.trace.name], RTT_MS)


def kernel_rows(made: Replay) -> list[Row]:
    """Return the kernel's segments and ACKs."""
    first = float(made.trace.sent.times[0])
    table = made.trace.table
    found = []
    for row in table.filter(pc.invert(pc.match_substring(table["event"].cast("string"), "SYN"))).to_pylist():
        words = f"ack {row['segment']:5d}" if row["event"] == "A" else f"send {row['segment']:4d} (nth {row['nth']})"
        if row["event"] == "A":
            words += f"  cwnd {row['cwnd']}, ssthresh {row['ssthresh'] or '-'} before"
        found.append((row["time_us"] / 1e3 - first, words + (f"  lost: {row['reason']}" if row["reason"] else "")))
    return found


def our_rows(made: Replay) -> list[Row]:
    """Return our segments, ACKs and windows."""
    windows = made.run.table("windows")
    times = (windows["time"].to_numpy() * 1e3 - made.first_ms).tolist()
    cwnds, thresholds = windows["cwnd"].to_pylist(), windows["ssthresh"].to_pylist()
    acks = made.run.table("acks")
    found: list[Row] = []
    for time, ack in zip(made.sent.acks.tolist(), acks["ack"].to_pylist(), strict=True):
        at = int(np.searchsorted(times, time - 1e-9)) - 1
        found.append((time, f"ack {ack:5d}  cwnd {cwnds[at]:g}, ssthresh {thresholds[at]:g} before"))
    for time, segment, nth in zip(
        made.sent.times.tolist(), made.sent.segments.tolist(), made.sent.nth().tolist(), strict=True
    ):
        found.append((time, f"send {segment:4d} (nth {nth})"))
    return sorted(found, key=lambda row: row[0])


def described(made: Replay, *, rows: int = ROWS) -> str:
    """Describe the first difference, with some rows of both sides around it."""
    order = compared(made)
    kernel, ours = made.trace.sent, made.sent
    name = made.trace.name
    if order.differs is None:
        words = f"all {order.segments} segments in the same order, {100 * order.punctual:.1f} % in time"
        place = order.late
    else:
        place = order.differs
        theirs = int(kernel.segments[place])
        mine = int(ours.segments[place]) if place < len(ours.segments) else "nothing"
        words = f"segment {place + 1} of {order.segments} differs: kernel {theirs}, Ackclock {mine}"
    text = [f"{name}: {words}; median difference of times {order.median_ms:.2f} ms"]
    if place is None:
        return text[0] + "\n"
    for title, found, sent in (("kernel", kernel_rows(made), kernel), ("Ackclock", our_rows(made), ours)):
        text.append(f"  {title}:")
        text += _around(found, sent.times[place] - sent.times[0] if place < len(sent.times) else None, rows)
    return "\n".join(text) + "\n"


def _around(found: Sequence[Row], time: float | None, rows: int) -> list[str]:
    times = [row[0] for row in found]
    at = len(found) if time is None else int(np.searchsorted(times, time - 1e-6))
    # The row itself is a segment; ACKs of the same time precede it.
    while at < len(found) and not found[at][1].startswith("send"):
        at += 1
    return [
        f"  {'>' if place == at else ' '} {found[place][0]:10.3f} ms  {found[place][1]}"
        for place in range(max(0, at - rows), min(len(found), at + rows + 1))
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay the named traces and print their first differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="trace, such as reno_d20 (default: all)")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"rows before and after the difference [{ROWS}]")
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in traces() or traces()[name].script not in SCRIPTS:
            script = name.split("_", 1)[-1]
            parser.error(f"{name}: {LEFT_OUT.get(script, 'no such trace; ' + ', '.join(replayable()))}")
    chosen = [traces()[name] for name in given.names or replayable()]
    sys.stdout.write("\n".join(described(made, rows=given.rows) for made in replay_all(chosen)))


def replayable() -> list[str]:
    """Return the names of the traces that we can replay."""
    return [name for name, trace in traces().items() if trace.script in SCRIPTS]


if __name__ == "__main__":
    main()
