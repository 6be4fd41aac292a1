"""How many processors there are to work with."""

import os

from ackclock.errors import refuse

_MOST = 1024
"""More threads than that gain nothing anywhere."""


def threads(jobs: int | None) -> int:
    """Choose how many threads to run: `jobs`, or one for each processor that this process may use."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    given: object = jobs
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise refuse("jobs", given, "must be an integer from 1")
    return min(given, _MOST)
