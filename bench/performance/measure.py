"""What a program costs: CPU time, instructions, memory. Nothing here knows what the program does."""

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
    """User and system together."""
    peak_bytes: int | None
    """The most memory it had resident; `None` where the system cannot tell."""
    output: str
    """What it printed."""


@dataclass(frozen=True)
class Spread:
    """A quantity over all turns."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise `values`, one a turn."""
        ordered = sorted(values)
        return cls(statistics.median(ordered), ordered[0], ordered[-1])

    def __str__(self) -> str:
        if self.least == self.greatest:
            return f"{self.median:.3g}"
        return f"{self.median:.3g} ({self.least:.3g} to {self.greatest:.3g})"


def run(command: Sequence[str]) -> Cost:
    """Run `command` to its end and tell what it cost.

    The kernel's own account of memory (`ru_maxrss`) starts from that of the process that forked, here a Python of
    tens of megabytes. So the high-water mark of the running program is read until it ends; the last
    two milliseconds may be missed.

    Raises
    ------
    RuntimeError
        If the program fails; the message has what it wrote to standard error.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed, tempfile.TemporaryFile("w+") as complaints:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=complaints)
        peak = None
        # Only wait4 gives this one child's usage; getrusage would add up all children so far.
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
    """Tell whether instructions can be counted here."""
    return shutil.which("valgrind") is not None


def instructions(command: Sequence[str]) -> tuple[int, str]:
    """Count the instructions of `command` by callgrind, and give what it printed.

    Raises
    ------
    RuntimeError
        If callgrind gives no count.
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
