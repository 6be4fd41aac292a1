"""Available resources: processors and memory."""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from ackclock.values.errors import refuse
from ackclock.values.kinds import measured
from ackclock.values.quantity import SIZE

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_MOST = 1024
"""Maximum number of threads; more are never faster."""

MEMORY: Final = measured(SIZE, "1 MB", "1000000 GB")
"""The allowed values of a memory limit."""

_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""The file in which Linux reports the memory limit of a container."""


def threads(jobs: int | None) -> int:
    """Return the number of threads to use: `jobs`, or one for each CPU that this process may use."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    given: object = jobs
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise refuse("jobs", given, "must be an integer from 1")
    return min(given, _MOST)


def memory_bound(memory: str | None) -> int:
    """Return the memory limit in bytes: `memory`, or half of the available memory.

    Examples
    --------
    >>> memory_bound("8GB")
    8000000000
    """
    if memory is not None:
        return SIZE.parse(MEMORY.require("memory", memory))
    return _present() // 2


def _present() -> int:
    """Return the memory of this machine in bytes, or the limit of this process if that is less."""
    found = [2**36]  # fallback if nothing else is known
    with suppress(OSError, ValueError, AttributeError):
        found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # the file contains "max" if there is no limit
        found.append(int(_GROUP.read_text(encoding="ascii")))
    if resource is not None:
        limits = (resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
        found += [limit for limit in limits if limit != resource.RLIM_INFINITY]
    return min(found)


def cpu_time() -> float:
    """Return the CPU time used so far by the runs of this thread, in seconds.

    The main thread waits for interrupts while another thread makes the run. In the main thread, the CPU time of the
    whole process is therefore returned.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return time.process_time() if is_main else time.thread_time()
