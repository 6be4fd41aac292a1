"""What a program costs: CPU time, instructions, memory. Nothing here knows what the program does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Cost:
    """One finished program: its CPU time, user and system together, in seconds, and what it printed."""

    cpu_seconds: float
    output: str


def cpu_cost(command: Sequence[str]) -> Cost:
    """Run `command` to its end and tell what it cost.

    Raises
    ------
    RuntimeError
        If the program fails; the message has what it wrote to standard error.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as complaints:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, text=True
        )
        output = "".join(child.stdout or ())
        # Only wait4 gives this one child's usage; getrusage would add up all children so far.
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            complaints.seek(0)
            raise RuntimeError(f"{command[0]} ended with {child.returncode}: {complaints.read().strip()}")
    return Cost(usage.ru_utime + usage.ru_stime, output)


def peak_memory(command: Sequence[str]) -> int | None:
    """Run `command` and give the most memory it had resident, in bytes; None where the system cannot tell.

    The kernel's own account at exit (`ru_maxrss`) starts from the memory of the process that forked, here a
    Python of tens of megabytes. So the high-water mark of the running program is read until it ends; the last
    millisecond may be missed.
    """
    if not sys.platform.startswith("linux"):
        return None
    peak = None
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status", encoding="ascii") as status:  # noqa: PTH123 - polled: keep it cheap
                    mark = re.search(r"^VmHWM:\s+(\d+) kB", status.read(), re.MULTILINE)
            except (FileNotFoundError, ProcessLookupError):
                break
            if mark is not None:
                peak = int(mark.group(1)) * 1024
            time.sleep(0.001)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return peak


def instructions(command: Sequence[str]) -> tuple[int, str] | None:
    """Count the instructions of `command` by callgrind, and give what it printed; None without valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    done = subprocess.run(
        [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    count = re.search(r"Collected : (\d+)", done.stderr)
    if count is None:
        raise RuntimeError(f"callgrind gave no count:\n{done.stderr}")
    return int(count.group(1)), done.stdout
