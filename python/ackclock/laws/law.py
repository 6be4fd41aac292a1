"""The class of congestion-control laws (window laws) that are written in Python."""

import functools
import typing
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, get_args, get_origin, get_type_hints

from annotated_types import BaseMetadata, Ge, GroupedMetadata, Gt, Le

from ackclock.running.catalogue import Parameter, catalogue
from ackclock.running.engine import Ack, Congestion, Idle, LawRandom, Lost, Rate, Window
from ackclock.scenario import kinds
from ackclock.scenario.errors import one_of, refuse
from ackclock.scenario.kinds import Kind

__all__ = ["CALLS", "Law", "declared", "in_use"]

CALLS: Final = ("on_ack", "on_congestion", "observe", "on_rate", "on_lost", "on_idle", "on_undo")
"""The methods that the engine calls, in the order in which it takes them."""

_OWN: Final = ("kind", "variant", "recovery", "law", "law_sha256", "compiled", "rng", "setup", *CALLS)
"""Names that a parameter cannot have."""

in_use: "weakref.WeakSet[type[Law]]" = weakref.WeakSet()
"""The laws whose classes must not change any more, since scenarios name them."""


class _LawType(type):
    """The class of laws. A law in use cannot be changed: all flows share it, and its source would no longer tell it."""

    def __setattr__(cls, name: str, value: object) -> None:
        if cls in in_use:
            allowed = "all flows share the class, and run in any order; keep the state of a flow in self"
            raise AttributeError(f"{cls.__name__}.{name} cannot be assigned: {allowed}")
        super().__setattr__(name, value)


class Law(metaclass=_LawType):
    """A congestion-control law (window law) written in Python: the base class of your own.

    Annotated attributes with defaults are the parameters of the law: ``float``, ``int``, ``bool`` or ``Literal`` words,
    with limits as in ``Annotated[float, annotated_types.Gt(0)]``. They are fields of the transport, which are checked,
    stored and swept like any other field. Each connection has an object of its own; `setup` makes its state.

    The engine calls the methods that a law defines. Each record in an argument is valid only during the call.

    Parameters
    ----------
    parameters
        Values of the law's parameters; absent parameters have their defaults.

    Raises
    ------
    ScenarioError
        A parameter does not exist, or its value is not allowed.

    Examples
    --------
    >>> class Gentle(Law):
    ...     gain: float = 0.5
    ...
    ...     def on_ack(self, window, ack):
    ...         window.cwnd += self.gain * ack.counted / window.cwnd
    >>> Gentle(gain=0.25)
    Gentle(gain=0.25)
    """

    own_slow_start: ClassVar[bool] = False
    """Whether the law grows the window below ``ssthresh`` itself. If not, the transport's ``slow_start`` does, and
    `on_ack` is called only at or above ``ssthresh``, and only while the window limits the sender."""

    scalable: ClassVar[bool] = False
    """Whether the law answers marks as a scalable one must (RFC 9331). Such a law needs ``ecn = "accurate"``."""

    rng: LawRandom
    """Random numbers of this connection: they depend on the seed of the run and on the flow alone."""

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
        """Make the state of a connection, before its first call."""

    def on_ack(self, window: Window, ack: Ack) -> None:
        """Grow the window for a new ACK.

        Called in congestion avoidance, outside of a recovery, while the window limits the sender, for ACKs without
        marks; with `own_slow_start`, for all new ACKs outside of a recovery. A law that shrinks the window stays in
        congestion avoidance: ``ssthresh`` then shrinks too, unless the law sets it.
        """
        raise NotImplementedError

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Reduce the window after a loss, a mark or a timeout; at most once per congestion event.

        A law without this method has Reno's response, which this one is. After a timeout, the engine sets the window to
        one packet.
        """
        kept = event.window * (0.8 if event.abe and event.is_mark else 0.5)
        window.ssthresh = max(float(kept // 1), 2.0)
        window.cwnd = 1.0 if event.is_timeout else max(kept, event.least)

    def observe(self, ack: Ack) -> None:
        """See each new ACK before the window grows, also in slow start, in a recovery, and without enough data."""

    def on_rate(self, window: Window, sample: Rate) -> None:
        """Set the window and the pacing rate from a delivery-rate sample.

        A law with this method owns the window: neither proportional rate reduction nor idle time changes it. It needs
        the recovery ``rack``.
        """

    def on_lost(self, window: Window, lost: Lost, sample: Rate) -> None:
        """See each packet found lost before `on_rate` of the same ACK; only laws with `on_rate` have this."""

    def on_idle(self, idle: Idle) -> None:
        """See the end of a time without anything in flight."""

    def on_undo(self, window: Window) -> None:
        """See that the last reduction turned out to be unnecessary; the window has been restored."""


def calls_of(law: type[Law]) -> tuple[str, ...]:
    """Return the methods that a law defines and the engine calls."""
    return tuple(name for name in CALLS if getattr(law, name) is not getattr(Law, name))


@functools.cache
def declared(law: type[Law]) -> Mapping[str, Parameter]:
    """Read the parameters of a law from its annotations.

    Raises
    ------
    ScenarioError
        A parameter has no default, a type that is not allowed, or the name of something else.
    """
    try:
        hints = get_type_hints(law, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise refuse(law.__name__, "its annotations", f"must be types: {error}") from None
    options = catalogue().tcp_options
    found = {}
    for name, hint in hints.items():
        if name in Law.__annotations__ or get_origin(hint) is ClassVar:
            continue
        at = f"{law.__name__}.{name}"
        if name in options or name in _OWN or name.startswith("_"):
            raise refuse(at, name, "must be another name: transports have a field or method of this name")
        if not hasattr(law, name):
            raise refuse(at, "no default", "must have a default; state without a default belongs to setup()")
        kind, default = _kind(at, hint), getattr(law, name)
        kind.require(at, default)
        value: Any = kind.check(default)
        found[name] = Parameter(name, f"Parameter {name} of the law {law.__name__}.", kind, value)
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


Maker = Callable[[int], tuple[Callable[..., None] | None, ...]]


def maker(law: type[Law], parameters: Mapping[str, Any]) -> Maker:
    """Return the function by which the engine makes the law of a connection from its seed: its methods, or None."""
    calls = calls_of(law)

    def make(seed: int) -> tuple[Callable[..., None] | None, ...]:
        one = fresh(law, parameters, LawRandom(seed))
        return tuple(getattr(one, name) if name in calls else None for name in CALLS)

    return make


def fresh(law: type[Law], parameters: Mapping[str, Any], rng: Any) -> Law:
    """Make the law of a connection, with its random numbers."""
    one = law.__new__(law)
    vars(one).update(parameters, rng=rng)
    one.setup()
    return one
