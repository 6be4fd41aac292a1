"""What all scenarios of a store have in common, for the setup on its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ackclock.scenario.files import json_table
from ackclock.study.figures.points import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ackclock.study.figures.points import Value

__all__ = ["fixed_fields"]

_TELLING: Final = {
    *("profile", "duration", "packet_size", "from", "link"),
    *("rate", "delay", "kind", "packets", "bytes"),
    *("count", "spread", "variant", "law", "ecn", "size"),
}
"""Last words of the paths that a reader asks for first; an effective scenario has a hundred more."""

_SIDE_QUEUE: Final = re.compile(r"^(dumbbell|clients\.\d+)\.(reverse|access)\.queue\.")
"""Queues other than the bottleneck's, which hardly ever fill."""

_LIKE: Final = (
    (re.compile(r"^dumbbell\.reverse\."), "dumbbell.bottleneck."),
    (re.compile(r"^clients\.\d+\.access\."), "dumbbell.access."),
)
"""Links that have the values of another one, unless they are given."""

_MOST: Final = 40


def fixed_fields(scenarios: Iterable[str]) -> list[tuple[str, str]]:
    """Return the path and the value of each telling field that all effective scenarios, in JSON, have in common."""
    common: dict[str, Value] = {}
    for number, text in enumerate(scenarios):
        leaves = dict(_leaves(json_table("scenarios", text), ""))
        common = {path: value for path, value in common.items() if leaves.get(path) == value} if number else leaves
    shown = [(path, Field.shown(value)) for path, value in common.items() if _tells(path, common)]
    rest = len(shown) - _MOST
    return [*shown[:_MOST], ("further fields", f"{rest}")] if rest > 0 else shown


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Value]]:
    """Yield the path and the value of everything that is neither a table nor a list."""
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(each, f"{path}.{name}" if path else str(name))
    else:
        yield path, value


def _tells(path: str, common: dict[str, Value]) -> bool:
    if path.rpartition(".")[2] not in _TELLING or _SIDE_QUEUE.match(path):
        return False
    others = (pattern.sub(other, path) for pattern, other in _LIKE if pattern.match(path))
    return all(common.get(other) != common[path] for other in others)
