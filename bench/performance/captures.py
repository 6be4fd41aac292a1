"""Reads a capture of ten million packets, compared with capinfos, the fastest tool of Wireshark."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from performance.capture_file import make
from performance.measure import Cost, run
from performance.page import table

PACKETS = 10_000_000


def captures() -> str:
    """Count a capture, write its packets as rows, and compare packets and bytes with capinfos if it is installed."""
    with tempfile.TemporaryDirectory(prefix="ackclock-bench-") as made:
        folder = Path(made)
        file = folder / "many.pcap"
        make(file, PACKETS)
        program = [sys.executable, "-m", "ackclock"]
        nothing = run([*program, "--help"])
        counted = run([*program, "capture", str(file), "--json"])
        kept = run([*program, "capture", str(file), "--json", "--out", str(folder / "kept")])
        lines = [
            line("`ackclock capture FILE --json`", counted, less=nothing),
            line("`ackclock capture FILE --json --out FOLDER`", kept, less=nothing),
        ]
        if shutil.which("capinfos") is None:
            return table(HEAD, lines)
        theirs = run(["capinfos", "-M", "-c", "-d", "-T", "-r", "-b", str(file)])
        lines.append(line("`capinfos -c -d`: packets and bytes, nothing else", theirs, less=None))
        return table(HEAD, lines) + f"\nPackets and bytes are {verdict(counted.output, theirs.output)}.\n"


HEAD = ("", "CPU s", "million packets/s", "without the start of Python", "peak MB")


def line(name: str, cost: Cost, *, less: Cost | None) -> list[object]:
    """Format the cost of reading the file, minus the cost `less` of a program that reads none."""
    return [
        name,
        f"{cost.cpu_seconds:.2f}",
        rate(cost.cpu_seconds),
        None if less is None else rate(cost.cpu_seconds - less.cpu_seconds),
        f"{cost.peak_bytes / 1e6:.0f}" if cost.peak_bytes else None,
    ]


def rate(seconds: float) -> str:
    """Format a rate in millions of packets per second."""
    return f"{PACKETS / seconds / 1e6:.1f}"


def verdict(ours: str, theirs: str) -> str:
    """Compare the reported numbers of packets and of bytes."""
    counted = json.loads(ours)
    _, packets, size = theirs.split()
    same = (counted["packets"], counted["bytes"]) == (int(packets), int(size))
    return "equal to those of capinfos" if same else f"**different from those of capinfos**, {packets} and {size}"
