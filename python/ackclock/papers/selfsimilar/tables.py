"""Numbers behind figures as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.analysis import Interval

__all__ = ["csv_text", "numbers"]


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a heading and rows; floating-point numbers with six digits."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(head)
    table.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue()


def numbers(interval: Interval) -> list[str]:
    """Write a mean and the half-width of its interval, as two cells."""
    return [f"{interval.mean:.6g}", f"{interval.half_width:.6g}"]
