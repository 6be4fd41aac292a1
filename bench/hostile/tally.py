"""Counts of verdicts: failures start with an exclamation mark."""

from __future__ import annotations

import collections


class Verdicts:
    """The verdicts of the cases so far; every `step` cases, they are printed."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._counts: collections.Counter[str] = collections.Counter()

    def add(self, verdict: str) -> None:
        """Count the verdict of a case."""
        self._counts[verdict] += 1
        if (cases := self._counts.total()) % self._step == 0:
            print(f"{cases} cases: {dict(self._counts.most_common())}", flush=True)

    def end(self) -> int:
        """Print all counts, and return the exit status."""
        for verdict, count in sorted(self._counts.items()):
            print(f"{count:6} {verdict}")
        return int(any(verdict.startswith("!") for verdict in self._counts))
