"""Numbers of figures as CSV."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ackclock.papers.core.figure import rows_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Evidence, Side
    from ackclock.papers.core.quantities import Quantity
    from ackclock.report.html import Table


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a heading and rows as CSV; floating-point numbers have six digits."""
    return rows_csv([head, *([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)])


def numbers(interval: Interval) -> list[str]:
    """Format a mean and the half-width of its interval as two cells."""
    return [f"{interval.mean:.6g}", f"{interval.half_width:.6g}"]


def points_rows(of: Mapping[str, Quantity], sides: Mapping[str, Side]) -> list[list[object]]:
    """Return a row for each point of named quantities on each side: side, name, coordinates, mean, half-width."""
    rows: list[list[object]] = []
    for name, one in of.items():
        for source, side in sides.items():
            with suppress(LookupError):
                cells = one.points(side).cells.items()
                rows += [[source, name, *key, *numbers(point)] for key, point in cells]
    return rows


def table_csv(make: Callable[[Evidence], Table]) -> Callable[[Evidence], str]:
    """Return a function that formats a figure's table as CSV."""

    def write(evidence: Evidence) -> str:
        table = make(evidence)
        return rows_csv([table.head, *table.rows])

    return write
