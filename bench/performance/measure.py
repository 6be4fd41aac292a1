"""Measures CPU time, instructions and memory of any program."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOOK_EVERY = 0.002


@dataclass(frozen=True)
class Cost:
    """One finished program."""

    cpu_seconds: float
    """User and system time together."""
    peak_bytes: int | None
    """Peak resident memory; `None` if the system does not report it."""
    output: str
    """Its output."""


@dataclass(frozen=True)
class Spread:
    """A quantity over all repetitions."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise `values`, one per repetition."""
        ordered = sorted(values)
        return cls(statistics.median(ordered), ordered[0], ordered[-1])

    def __str__(self) -> str:
        if self.least == self.greatest:
            return f"{self.median:.3g}"
        return f"{self.median:.3g} ({self.least:.3g} to {self.greatest:.3g})"


def run(command: Sequence[str]) -> Cost:
    """Run `command` to its end and measure its cost.

    The kernel's figure for memory (`ru_maxrss`) includes the forking process, here Python with tens of megabytes.
    Therefore the high-water mark of the running program is polled until it ends; the last two milliseconds may be
    missed.

    Raises
    ------
    RuntimeError
        The program fails; the message contains its standard error.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed, tempfile.TemporaryFile("w+") as complaints:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=complaints)
        peak = None
        # Only wait4 gives the usage of this child; getrusage sums over all children so far.
        while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
            peak = _high_water(child.pid) or peak
            time.sleep(LOOK_EVERY)
        _, status, usage = ended
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            complaints.seek(0)
            raise RuntimeError(f"{command[0]} ended with {child.returncode}: {complaints.read().strip()}")
        printed.seek(0)
        return Cost(usage.ru_utime + usage.ru_stime, peak, printed.read())


def _high_water(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return None
    mark = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return int(mark[1]) * 1024 if mark else None


def has_valgrind() -> bool:
    """Whether instructions can be counted on this machine."""
    return shutil.which("valgrind") is not None


def instructions(command: Sequence[str]) -> tuple[int, str]:
    """Count the instructions of `command` with callgrind, and return them with its output.

    Raises
    ------
    RuntimeError
        callgrind gives no count.
    """
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    count = re.search(r"Collected : (\d+)", done.stderr)
    if count is None:
        raise RuntimeError(f"callgrind gave no count:\n{done.stderr}")
    return int(count[1]), done.stdout
