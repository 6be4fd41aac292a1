"""Finds the places of a plan that follow a field of the scenario.

The lab changes a plan without Python. It may change a field only if nothing else depends on it: no default, and no
other value of the plan. This module decides that by trial: it changes the field, makes the plan again and compares.
"""

from collections.abc import Collection, Iterator, Sequence
from types import NoneType
from typing import Any, Final

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
    found: set[tuple[str | int, ...]] = set()
    for plan, value in trials:
        try:
            changed = dict(_changes(base, plan))
        except _OtherPlacesError:
            return None
        if any(not _same(leaf, value) for leaf in changed.values()):
            return None
        found |= changed.keys()
    if any(not _same(_leaf(plan, at), value) for plan, value in trials for at in found):
        return None
    return [list(at) for at in sorted(found, key=str)] or None


def differences(base: Any, other: Any) -> list[tuple[Pointer, object]]:
    """Return the places in which a plan differs from another one with the same places, and its values there.

    Examples
    --------
    >>> differences({"a": 1, "b": [2, 3]}, {"a": 1, "b": [2, 4]})
    [(['b', 1], 4)]
    """
    return [(list(at), leaf) for at, leaf in _changes(base, other)]


class _OtherPlacesError(Exception):
    """Raised for plans whose leaves are at different places."""


def _changes(before: Any, after: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield the place and the new value of each leaf that differs."""
    names = _names(before)
    if names != _names(after):
        raise _OtherPlacesError
    if not names and not _same(before, after):
        yield at, after
    for name in names:
        old, new = before[name], after[name]
        if type(old) is not type(new) or type(old) not in _PLAIN or old != new:  # most leaves are plain and equal
            yield from _changes(old, new, (*at, name))


_PLAIN: Final = {bool, int, float, str, NoneType}


def _names(tree: Any) -> Collection[str | int]:
    """Return the names or indices of what a table or an array contains; none for a leaf."""
    if isinstance(tree, dict) and tree:
        return tree.keys()
    return range(len(tree)) if isinstance(tree, list) and tree else ()


def _leaf(tree: Any, at: tuple[str | int, ...]) -> object:
    for name in at:
        tree = tree[name]
    return tree


def _same(a: object, b: object) -> bool:
    return a == b and isinstance(a, bool) == isinstance(b, bool)
