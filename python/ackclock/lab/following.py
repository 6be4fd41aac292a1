"""Finds the places of a plan that follow a field of the scenario.

The lab changes a plan without Python. It may change a field only if nothing else depends on it: no default, and no
other value of the plan. This module decides that by trial: it changes the field, makes the plan again and compares.
"""

from collections.abc import Iterator, Sequence
from typing import Any

Pointer = list[str | int]
"""The place of a value in nested tables and arrays: names and indices from the outermost one on."""


def leaves(tree: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield the place and the value of each leaf of nested tables and arrays.

    Examples
    --------
    >>> list(leaves({"rate": 1, "steps": [2, 3]}))
    [(('rate',), 1), (('steps', 0), 2), (('steps', 1), 3)]
    """
    if isinstance(tree, dict) and tree:
        for name, value in tree.items():
            yield from leaves(value, (*at, name))
    elif isinstance(tree, list) and tree:
        for place, value in enumerate(tree):
            yield from leaves(value, (*at, place))
    else:
        yield at, tree


def followers(base: Any, trials: Sequence[tuple[Any, object]]) -> list[Pointer] | None:
    """Return the places that take a field's value in the engine's form, or ``None`` if anything else changes too.

    Parameters
    ----------
    base
        The plan as it is.
    trials
        Plans with other values of the field, each with this value in the engine's form.

    Examples
    --------
    >>> followers({"a": 1, "b": 1, "c": 5}, [({"a": 2, "b": 2, "c": 5}, 2), ({"a": 3, "b": 3, "c": 5}, 3)])
    [['a'], ['b']]
    >>> followers({"a": 1, "c": 5}, [({"a": 2, "c": 6}, 2), ({"a": 3, "c": 7}, 3)]) is None
    True
    """
    before = dict(leaves(base))
    found: set[tuple[str | int, ...]] = set()
    planned = [(dict(leaves(plan)), value) for plan, value in trials]
    for after, value in planned:
        if after.keys() != before.keys():
            return None
        changed = {at for at, leaf in after.items() if not _same(leaf, before[at])}
        if any(not _same(after[at], value) for at in changed):
            return None
        found |= changed
    if any(not _same(after[at], value) for after, value in planned for at in found):
        return None
    return [list(at) for at in sorted(found, key=str)] or None


def differences(base: Any, other: Any) -> list[tuple[Pointer, object]]:
    """Return the places in which a plan differs from another one with the same places, and its values there.

    Examples
    --------
    >>> differences({"a": 1, "b": [2, 3]}, {"a": 1, "b": [2, 4]})
    [(['b', 1], 4)]
    """
    before = dict(leaves(base))
    return [(list(at), leaf) for at, leaf in leaves(other) if not _same(leaf, before[at])]


def _same(a: object, b: object) -> bool:
    return a == b and isinstance(a, bool) == isinstance(b, bool)
