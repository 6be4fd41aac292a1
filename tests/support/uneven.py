"""Makes runs uneven: each number changes by a factor of its own, so that no two points and no two measures agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from ackclock.papers.core.evidence import Run, Runs

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Row
    from ackclock.papers.core.paper import Both

__all__ = ["uneven"]

_BETWEEN_RUNS = 0.1
"""Range of the factors between the runs of a point, as a share of the range between points."""

_GOLDEN = (5**0.5 - 1) / 2


def uneven(both: Both, *, by: float) -> Both:
    """Multiply each number of our runs by a factor between ``1 - by`` and ``1 + by``; arrays element by element."""

    def changed(part: str, row: Row) -> Run:
        point = f"{part} {sorted(row.where.items())}"

        def factor(name: str, value: Any) -> Any:
            if value is None or isinstance(value, str | bool) or np.asarray(value).dtype.kind not in "iuf":
                return value
            places = np.arange(np.size(value)).reshape(np.shape(value)) * _GOLDEN
            off = _off(f"{point} {name}", places) + _BETWEEN_RUNS * _off(f"{point} {name} {row.seed}", places)
            return value * (1 + by / (1 + _BETWEEN_RUNS) * off)

        return Run(where=row.where, seed=row.seed, values={name: factor(name, one) for name, one in row.values.items()})

    return replace(
        both, ours=Runs({name: [changed(name, row) for row in rows] for name, rows in both.ours.parts.items()})
    )


def _off(text: str, places: np.ndarray) -> Any:
    """Return numbers between -1 and 1 that depend on a text and on the index in an array."""
    return 2 * ((crc32(text.encode()) / 2**32 + places) % 1) - 1
