"""Writes claims and figures as text that shows each number, coordinate and operator of their rules and quantities.

``PYTHONPATH=validation python -m tests.support.described STUDY`` prints all claims and chapters of a study. A function
is shown by its name and the values that it holds; if it computes a quantity from others, also by its result for fixed
numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.papers.core.answers import Answers
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import Rule

if TYPE_CHECKING:
    from types import ModuleType

    from ackclock.papers.core.paper import Paper

__all__ = ["described", "values"]

_WIDTH: Final = 100
_DERIVED: Final = {"words", "denied", "label", "quantities", "unit", "digits"}
"""Attributes that are computed from other attributes, except in the next classes."""

_WITH_WORDS: Final = {"Custom", "_Called", "_Computed", "_Folded", "_Jackknifed"}
_STYLE: Final = {"pens", "colour"}

_FIXED: Final = (0.75, 0.5, 2.0, 3.0)
"""Numbers from which the functions of quantities compute a result."""

_Element = tuple[str, object]


def values(paper: Paper) -> dict[str, str]:
    """Describe each claim and each chapter of a study, and the measures and constants of each of its modules.

    The comparison with ns-2 (`validation/ns2`) is one of the modules.
    """
    name = paper.definition.name
    package = import_module(f"ackclock.papers.{name}")
    modules = sorted(module.name for module in walk_packages(package.__path__, f"{package.__name__}."))
    modules += [f"ns2.{name}"] if find_spec(f"ns2.{name}") else []
    return {
        **{f"claim {claim.key}": described(claim) for claim in paper.claims},
        **{f"chapter {chapter.title}": described(chapter) for chapter in paper.chapters},
        **{f"module {module}": described(_constants(import_module(module))) for module in modules},
    }


def _constants(module: ModuleType) -> dict[str, object]:
    """Return the measures of a module and its numeric constants."""
    kinds = (Measure, Profile, int, float, tuple)
    named = {name: value for name, value in vars(module).items() if name.isupper() and name != "TYPE_CHECKING"}
    return {name: value for name, value in named.items() if isinstance(value, kinds)}


def described(value: object) -> str:
    """Return a value as indented lines of text."""
    return "\n".join(_Node(value).lines(_WIDTH))


class _Node:
    """A value with its elements, on one line if it fits, or else each element on lines of its own."""

    def __init__(self, value: object) -> None:
        self.head, elements = _parts(value)
        self.elements = [(name, _Node(one)) for name, one in elements]
        inner = ", ".join(name + one.whole for name, one in self.elements)
        self.whole: str = f"{self.head}({inner})" if elements else self.head

    def lines(self, width: int) -> Iterator[str]:
        if not self.elements or len(self.whole) <= width:
            yield self.whole
            return
        yield self.head
        for name, element in self.elements:
            first, *rest = element.lines(width - 2)
            yield f"  {name}{first}"
            yield from (f"  {line}" for line in rest)


def _parts(value: object) -> tuple[str, Sequence[_Element]]:
    """Return the name of a value, and its elements with their names."""
    elements: Sequence[_Element] = []
    match value:
        case Enum():
            head = value.name
        case float() | np.floating():
            head = f"{value:.12g}"
        case np.ndarray() | list() | tuple():
            head, elements = f"{getattr(value, 'name', '')}", [("", one) for one in value]
        case Mapping():
            head, elements = "", [(f"{key}: ", one) for key, one in value.items()]
        case Quantity() | Answers() | Rule():
            head, elements = type(value).__name__.lstrip("_"), _attributes(value)
        case _ if is_dataclass(value):
            head, elements = type(value).__name__, _given(value)
        case _ if callable(value):
            head, elements = _function(value)
        case _:
            head = repr(value)
    return head, elements


def _attributes(value: object) -> list[_Element]:
    """Return the attributes that define a quantity, question or rule."""
    kind, shown = type(value).__name__, dict(vars(value))
    if kind not in _WITH_WORDS:
        shown = {name: one for name, one in shown.items() if name not in _DERIVED}
    if kind == "_Computed":
        shown["result"] = shown["_make"](*_FIXED[: len(shown["_of"])])
    return [(f"{name.lstrip('_')}=", one) for name, one in shown.items()]


def _given(value: Any) -> list[_Element]:
    """Return the fields of a dataclass that differ from their default."""
    given = []
    for field in fields(value):
        one = getattr(value, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if field.name not in _STYLE and (default is MISSING or _Node(one).whole != _Node(default).whole):
            given.append((f"{field.name}=", one))
    return given


def _function(value: Callable[..., Any]) -> tuple[str, list[_Element]]:
    """Return the name of a function, and its defaults and the values that it holds."""
    name = getattr(value, "__qualname__", type(value).__name__)
    if not hasattr(value, "__code__"):
        return name, []
    held = {"defaults": value.__defaults__} if value.__defaults__ else {}
    held |= value.__kwdefaults__ or {}
    held |= {
        key: cell.cell_contents for key, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
    }
    return name, [(f"{key}=", one) for key, one in held.items()]


if __name__ == "__main__":
    from tests.support.papers import PAPERS  # only the command needs the studies

    for piece, text in values(PAPERS[sys.argv[1]]).items():
        sys.stdout.write(f"{piece}\n{text}\n\n")
