"""The algorithms and parameters that the engine provides.

Window laws and queue disciplines declare their parameters in their own Rust files. The scenario's fields, its
validation, the JSON Schema and ``ackclock list`` are derived from that declaration, so that a new law or queue needs no
Python code.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ackclock.running import engine
from ackclock.scenario import kinds
from ackclock.scenario.kinds import Kind


@dataclass(frozen=True)
class Parameter:
    """A parameter that a law or a queue declares."""

    name: str
    doc: str
    kind: Kind
    """Its allowed values."""
    default: bool | float | str


@dataclass(frozen=True)
class Entry:
    """A law or a queue, with the parameters that it declares."""

    doc: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """A named sender: a pair of loss recovery and window law."""

    doc: str
    recovery: str
    congestion: str


@dataclass(frozen=True)
class Catalogue:
    """Everything that a scenario can refer to."""

    version: str
    revision: str
    """A hash of the engine's sources: the same revision gives the same results."""
    variants: Mapping[str, Variant]
    congestion: Mapping[str, Entry]
    queues: Mapping[str, Entry]

    def law_of(self, variant: str) -> Entry:
        """Return the window law of a sender."""
        return self.congestion[self.variants[variant].congestion]


@functools.cache
def catalogue() -> Catalogue:
    """Read the engine's catalogue, once.

    Examples
    --------
    >>> sorted(catalogue().queues)
    ['droptail', 'red']
    """
    described = json.loads(engine.catalogue())
    return Catalogue(
        version=described["version"],
        revision=described["revision"],
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
    match described["kind"]:
        case "flag":
            kind = kinds.flag()
        case "choice":
            kind = kinds.word(described["choices"])
        case _:
            kind = kinds.number(low=described["min"], high=described["max"], above=described["above"])
    return Parameter(described["name"], described["doc"], kind, described["default"])
