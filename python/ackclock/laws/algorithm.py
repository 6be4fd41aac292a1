"""What the classes of laws and queue disciplines that are written in Python have in common."""

import functools
import typing
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

from annotated_types import BaseMetadata, Ge, GroupedMetadata, Gt, Le

from ackclock.engine.catalogue import Parameter
from ackclock.engine.core import LawRandom
from ackclock.values import kinds
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import Kind

__all__ = ["Algorithm", "Interface", "base_of", "calls_of", "declared", "fresh", "in_use", "maker"]

_A = TypeVar("_A", bound="Algorithm")

in_use: "weakref.WeakSet[type[Algorithm]]" = weakref.WeakSet()
"""The classes that must not change any more, since scenarios name them."""


@dataclass(frozen=True)
class Interface:
    """What the engine and a scenario know of the classes with one base."""

    noun: str
    """The field's term, which is also the name of the scenario's field."""
    users: str
    """What shares the class."""
    calls: tuple[str, ...]
    """The methods that the engine calls, in the order in which it takes them."""
    fields: Callable[[], Iterable[str]]
    """The fields of the scenario's table, whose names a parameter cannot have."""


class AlgorithmType(type):
    """The class of such classes. One that is in use cannot be changed: its source would not tell the change."""

    def __setattr__(cls, name: str, value: object) -> None:
        if issubclass(cls, Algorithm) and cls in in_use:
            allowed = f"all {cls.interface.users} share the class, and run in any order; keep their state in self"
            raise AttributeError(f"{cls.__name__}.{name} cannot be assigned: {allowed}")
        super().__setattr__(name, value)


class Algorithm(metaclass=AlgorithmType):
    """The base class of `Law` and `Discipline`: parameters, random numbers and state."""

    interface: ClassVar[Interface]

    rng: LawRandom
    """Random numbers of this object alone, which depend on the seed of the run and on the flow or link."""

    def __init__(self, **parameters: Any) -> None:
        known = declared(type(self))
        for name in parameters:
            if name not in known:
                raise refuse(type(self).__name__, name, one_of(name, known), noun="parameter")
        for name, parameter in known.items():
            value = parameters.get(name, parameter.default)
            parameter.kind.require(f"{type(self).__name__}.{name}", value)
            setattr(self, name, parameter.kind.check(value))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in declared(type(self)))
        return f"{type(self).__name__}({values})"

    @property
    def parameters(self) -> dict[str, Any]:
        """The value of each parameter."""
        return {name: getattr(self, name) for name in declared(type(self))}

    def setup(self) -> None:
        """Make the state of a connection or link, before its first call."""


def base_of(algorithm: type[Algorithm]) -> type[Algorithm]:
    """Return `Law` or `Discipline`."""
    return next(base for base in algorithm.__mro__ if Algorithm in base.__bases__)


def calls_of(law: type[Algorithm]) -> tuple[str, ...]:
    """Return the methods that a class defines and the engine calls."""
    base = base_of(law)
    return tuple(name for name in base.interface.calls if getattr(law, name) is not getattr(base, name))


@functools.cache
def declared(law: type[Algorithm]) -> Mapping[str, Parameter]:
    """Read the parameters of a class from its annotations.

    Raises
    ------
    ScenarioError
        A parameter has no default, a type that is not allowed, or the name of something else.
    """
    try:
        hints = get_type_hints(law, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise refuse(law.__name__, "its annotations", f"must be types: {error}") from None
    base = base_of(law)
    reserved = {"rng", "setup", "interface", *base.interface.calls, *base.interface.fields()}
    found = {}
    for name, hint in hints.items():
        if name in Algorithm.__annotations__ or name in base.__annotations__ or get_origin(hint) is ClassVar:
            continue
        at = f"{law.__name__}.{name}"
        if name in reserved or name.startswith("_"):
            raise refuse(
                at, name, "must be another name: the scenario has a field, or the class a method, of this name"
            )
        if not hasattr(law, name):
            raise refuse(at, "no default", "must have a default; state without a default belongs to setup()")
        kind, default = _kind(at, hint), getattr(law, name)
        kind.require(at, default)
        value: Any = kind.check(default)
        doc = f"Parameter {name} of the {base.interface.noun} {law.__name__}."
        found[name] = Parameter(name, doc, kind, value)
    return MappingProxyType(found)


def _kind(at: str, hint: Any) -> Kind:
    """Convert a type, with its limits, to the values that it allows."""
    base, *marks = get_args(hint) if get_origin(hint) is typing.Annotated else (hint,)
    limits: dict[type, Any] = {type(mark): mark for given in marks for mark in _unpacked(given)}
    low, above, high = (limits.pop(kind, None) for kind in (Ge, Gt, Le))
    words = get_args(base) if get_origin(base) is Literal else ()
    if limits or (base not in {float, int} and (low or above or high)):
        raise refuse(at, hint, "must have no other limits than Ge, Gt and Le of annotated_types, on a float or an int")
    least: Any = None if low is None else low.ge
    over: Any = None if above is None else above.gt
    most: Any = None if high is None else high.le
    if base is float:
        return kinds.number(low=least, above=over, high=most)
    if base is int:
        first = over + 1 if over is not None else -(2**53) if least is None else least
        return kinds.whole(first, 2**53 if most is None else most)
    if base is bool:
        return kinds.flag()
    if words and all(isinstance(word, str) for word in words):
        return kinds.word(words)
    raise refuse(at, getattr(base, "__name__", base), "must be float, int, bool or a Literal of words")


def _unpacked(mark: object) -> tuple[object, ...]:
    """Return the single limits of a mark, such as of ``annotated_types.Interval`` or pydantic's ``Field``."""
    if isinstance(mark, GroupedMetadata):
        return tuple(mark)
    if isinstance(mark, BaseMetadata):
        return (mark,)
    return tuple(getattr(mark, "metadata", ())) or (mark,)


Maker = Callable[[int], tuple[Callable[..., Any] | None, ...]]


def maker(law: type[Algorithm], parameters: Mapping[str, Any]) -> Maker:
    """Return the function by which the engine makes an object from its seed: it returns the methods, or None."""
    calls, known = calls_of(law), base_of(law).interface.calls

    def make(seed: int) -> tuple[Callable[..., None] | None, ...]:
        one = fresh(law, parameters, LawRandom(seed))
        return tuple(getattr(one, name) if name in calls else None for name in known)

    return make


def fresh(law: type[_A], parameters: Mapping[str, Any], rng: Any) -> _A:
    """Make the object of a connection or link, with its random numbers."""
    one = law.__new__(law)
    vars(one).update(parameters, rng=rng)
    one.setup()
    return one
