"""Reduces evidence to a single run per point, which has no interval and decides no claim."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

E = TypeVar("E")


def single_seed(evidence: E) -> E:
    """Keep only the first seed of every list of measurements, at any depth."""
    return _left(evidence)  # type: ignore[no-any-return]


def _left(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _left(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_left(each) for each in value if getattr(each, "seed", 1) == 1]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "seed"):
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: _left(getattr(value, name)) for name in fields})
    return value
