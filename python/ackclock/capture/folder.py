"""The folder that ``ackclock capture --out`` makes, and DuckDB over it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

__all__ = ["MADE", "ask", "is_capture"]

MADE: Final = "a capture"
"""What the record of such a folder says it is."""

_TABLES: Final = ("packets", "flows", "arrivals")


def is_capture(folder: Path) -> bool:
    """Tell whether a folder is one that ``ackclock capture --out`` made."""
    try:
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("study") == MADE


def ask(folder: Path, query: str) -> pa.Table:
    """Run one ``SELECT`` over the tables ``packets``, ``flows`` and ``arrivals`` of a capture's folder.

    Raises
    ------
    ScenarioError
        It is not one ``SELECT``, or there is an error in it.
    """
    from ackclock.store.sql import closed  # noqa: PLC0415  # slow to load

    return closed(query, {name: folder / f"{name}.parquet" for name in _TABLES})
