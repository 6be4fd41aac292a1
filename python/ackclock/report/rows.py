"""Rows as CSV, for the data of figures."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["rows_csv"]


def rows_csv(rows: Iterable[Iterable[object]]) -> str:
    r"""Format rows as CSV; None is an empty cell.

    >>> rows_csv([["a", "b"], [1.5, None]])
    'a,b\n1.5,\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
