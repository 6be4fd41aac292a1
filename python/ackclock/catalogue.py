"""What the engine offers, in its own words.

Window laws and queue disciplines declare their parameters in their own Rust files. The scenario's fields, its checks, the
JSON Schema and ``ackclock list`` are all made from that declaration, so that a new law or queue needs no line of Python.
"""

import functools
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ackclock import _core


@dataclass(frozen=True)
class Parameter:
    """A parameter that a law or a queue declares."""

    name: str
    doc: str
    kind: str
    """``number``, ``flag`` or ``choice``."""
    default: Any
    min: float | None = None
    max: float | None = None
    above: float | None = None
    """The value must be greater than this."""
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a message says is allowed."""
        if self.kind == "flag":
            return "must be true or false"
        if self.kind == "choice":
            return f"must be one of {', '.join(self.choices)}"
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (("above", self.above), ("from", self.min), ("to" if self.min is not None else "at most", self.max))
            if bound is not None
        ]
        return " ".join(["must be a number", *bounds])

    def check(self, value: object) -> Any:
        """Return the value as the engine takes it, or raise ``ValueError`` saying what is allowed."""
        if self.kind == "flag":
            right = isinstance(value, bool)
        elif self.kind == "choice":
            right = isinstance(value, str) and value in self.choices
        else:
            right = isinstance(value, int | float) and not isinstance(value, bool) and self._within(value)
        if not right:
            raise ValueError(self.allowed)
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    def _within(self, value: float) -> bool:
        return (
            math.isfinite(value)
            and (self.min is None or value >= self.min)
            and (self.max is None or value <= self.max)
            and (self.above is None or value > self.above)
        )

    @property
    def schema(self) -> dict[str, Any]:
        """The parameter in JSON Schema."""
        schema: dict[str, Any] = {"description": self.doc}
        if self.kind == "flag":
            return schema | {"type": "boolean"}
        if self.kind == "choice":
            return schema | {"enum": list(self.choices)}
        bounds = {"minimum": self.min, "maximum": self.max, "exclusiveMinimum": self.above}
        return schema | {"type": "number"} | {word: bound for word, bound in bounds.items() if bound is not None}


@dataclass(frozen=True)
class Entry:
    """A law or a queue: what it is, and the parameters it declares."""

    doc: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """A named sender: a loss recovery and a window law."""

    doc: str
    recovery: str
    congestion: str


@dataclass(frozen=True)
class Catalogue:
    """Everything that a scenario can name."""

    version: str
    variants: Mapping[str, Variant]
    congestion: Mapping[str, Entry]
    queues: Mapping[str, Entry]

    def law_of(self, variant: str) -> Entry:
        """The window law of a sender."""
        return self.congestion[self.variants[variant].congestion]


@functools.cache
def catalogue() -> Catalogue:
    """Read the engine's catalogue, once.

    Examples
    --------
    >>> sorted(catalogue().queues)
    ['droptail', 'red']
    """
    described = json.loads(_core.catalogue())
    return Catalogue(
        version=described["version"],
        variants=MappingProxyType({name: Variant(**each) for name, each in described["variants"].items()}),
        congestion=_entries(described["congestion"]),
        queues=_entries(described["queues"]),
    )


def _entries(described: dict[str, Any]) -> Mapping[str, Entry]:
    return MappingProxyType({name: _entry(each) for name, each in described.items()})


def _entry(described: dict[str, Any]) -> Entry:
    parameters = [_parameter(each) for each in described["parameters"]]
    return Entry(doc=described["doc"], parameters=MappingProxyType({each.name: each for each in parameters}))


def _parameter(described: dict[str, Any]) -> Parameter:
    return Parameter(**{**described, "choices": tuple(described.get("choices") or ())})
