"""Evidence of a single run of each point, which has no interval: nothing can be judged by it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ackclock.experiments.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable

E = TypeVar("E")


def single_seed(evidence: E, *, keep: Callable[[Any], bool] = lambda run: run.seed == 1) -> E:
    """Leave of each list of observations, however deep, those of one seed."""
    return _left(evidence, keep)  # type: ignore[no-any-return]


def _left(value: Any, keep: Callable[[Any], bool]) -> Any:
    if isinstance(value, Mapping):
        return {key: _left(each, keep) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_left(each, keep) for each in value if not isinstance(each, Observation) or keep(each))
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Observation):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return dataclasses.replace(value, **{name: _left(each, keep) for name, each in fields.items()})
    return value
