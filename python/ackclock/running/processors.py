"""What there is to work with: processors, and memory."""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from ackclock.scenario.errors import refuse
from ackclock.scenario.kinds import measured
from ackclock.scenario.quantity import SIZE

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_MOST = 1024
"""More threads than that gain nothing anywhere."""

MEMORY: Final = measured(SIZE, "1 MB", "1000000 GB")
"""What a bound of memory can be."""

_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""Where Linux tells what a container may use."""


def threads(jobs: int | None) -> int:
    """Choose how many threads to run: `jobs`, or one for each processor that this process may use."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    given: object = jobs
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise refuse("jobs", given, "must be an integer from 1")
    return min(given, _MOST)


def memory_bound(memory: str | None) -> int:
    """Choose how many bytes runs may take: `memory`, or half of what there is.

    Examples
    --------
    >>> memory_bound("8GB")
    8000000000
    """
    if memory is not None:
        return SIZE.parse(MEMORY.require("memory", memory))
    return _present() // 2


def _present() -> int:
    """Give the bytes of this machine, or of what this process may use, where that is less."""
    found = [2**36]  # where nothing tells
    with suppress(OSError, ValueError, AttributeError):
        found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # it says "max" where there is no bound
        found.append(int(_GROUP.read_text(encoding="ascii")))
    if resource is not None:
        limits = (resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
        found += [limit for limit in limits if limit != resource.RLIM_INFINITY]
    return min(found)


def cpu_time() -> float:
    """Read the CPU seconds of a run that this thread makes.

    In the main thread, which waits for interrupts, a thread of its own makes the run: the process is asked there.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return time.process_time() if is_main else time.thread_time()
