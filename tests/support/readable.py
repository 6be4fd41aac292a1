"""Compares values with readable JSON files in `tests/data/kept`, so that a diff shows each change.

``make kept`` stores new values, which a person must review.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np

__all__ = ["hold_readable"]

_FOLDER: Final = Path(__file__).resolve().parents[1] / "data" / "kept"
_KEEP: Final = bool(os.environ.get("ACKCLOCK_KEEP"))


def hold_readable(name: str, found: Mapping[str, Any]) -> None:
    """Compare values with the stored ones: texts exactly, numbers to nine digits."""
    path = _FOLDER / f"{name}.json"
    if _KEEP:
        lines = [f"{json.dumps(key)}: {_written(_readable(value))}" for key, value in found.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert list(kept) == list(found)
    for key, value in found.items():
        assert _equal(kept[key], json.loads(json.dumps(_readable(value)))), (
            f"{key}: {_readable(value)}, not {kept[key]}"
        )


def _written(value: Any) -> str:
    """Return a value as one line of JSON, but a list of texts with one text per line."""
    words = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return json.dumps(value, indent=1 if words else None, ensure_ascii=False)


def _readable(value: Any) -> Any:
    """Convert a value for JSON, with the names of fields and numbers of twelve digits."""
    match value:
        case bool() | int() | str() | None:
            return value
        case float() | np.generic():
            return _readable(value.item()) if isinstance(value, np.generic) else float(f"{value:.12g}")
        case Mapping():
            return {str(key): _readable(each) for key, each in value.items()}
        case np.ndarray():
            return _readable(value.tolist())
        case list() | tuple():
            return [_readable(each) for each in value]
    return {field.name: _readable(getattr(value, field.name)) for field in fields(value) if field.repr}


def _equal(kept: Any, found: Any) -> bool:
    match kept, found:
        case dict(), dict():
            return list(kept) == list(found) and all(_equal(kept[key], found[key]) for key in kept)
        case list(), list():
            return len(kept) == len(found) and all(map(_equal, kept, found))
        case float(), float():
            return kept == found or math.isclose(kept, found, rel_tol=1e-9) or (math.isnan(kept) and math.isnan(found))
    return type(kept) is type(found) and bool(kept == found)
