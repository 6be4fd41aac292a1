"""Transports and queues. Each TCP variant and each queue discipline declares further fields of its own.

Type checkers and editors read ``declared.pyi`` instead. ``make signatures`` generates it from the engine's catalogue,
with every field of every kind.
"""

from collections.abc import Callable
from inspect import Parameter, Signature

from ackclock.engine.catalogue import catalogue
from ackclock.scenario.declaring import QueueTable, TcpWithOptions
from ackclock.scenario.law_fields import DISCIPLINE_FIELDS


class Tcp(TcpWithOptions):
    """A TCP sender and its receiver. Absent fields take their values from the profile (``ackclock profile show``).

    The window law declares further fields (``ackclock list variants``).

    Examples
    --------
    >>> Tcp("vegas", max_window=20, alpha=2).parameters
    {'alpha': 2.0}
    """


class Queue(QueueTable):
    """Queue discipline for packets that wait for a link.

    The queue discipline declares further fields (``ackclock list queues``). In Python, each kind also has a function
    that takes only its fields: ``CoDel(target="10 ms")`` is ``Queue("codel", target="10 ms")``.

    Examples
    --------
    >>> from ackclock import DropTail
    >>> DropTail(packets=50) == Queue("droptail", packets=50)
    True
    >>> Queue("red", packets=50, min_th=10, max_th=40).parameters
    {'min_th': 10.0, 'max_th': 40.0}
    """


def _make(name: str, kind: str) -> Callable[..., Queue]:
    """Return the function that makes a queue of one kind, with the signature and the help of this kind."""

    def make(**fields: object) -> Queue:
        return Queue(kind, **fields)

    entry = catalogue().queues[kind]
    shared = {field: doc for field, doc in Queue.field_docs().items() if field not in _OF_QUEUE}
    described = {field: doc.partition("\n\n")[0] for field, doc in shared.items()}
    described |= {each.name: f"{each.doc} (default: {each.default})" for each in entry.parameters.values()}
    make.__name__ = make.__qualname__ = name
    make.__doc__ = "\n".join(
        [
            f"{entry.doc}.\n\nMakes ``Queue({kind!r}, ...)``.\n\nParameters\n----------",
            *(f"{field}\n    {' '.join(doc.split())}" for field, doc in described.items()),
        ]
    )
    given = [Parameter(field, Parameter.KEYWORD_ONLY, default=None) for field in described]
    vars(make)["__signature__"] = Signature(given, return_annotation=Queue)
    return make


_OF_QUEUE = {"kind", *DISCIPLINE_FIELDS}


def __getattr__(name: str) -> Callable[..., Queue]:
    """Make `DropTail`, `Red`, `CoDel` and so on when they are first used: one for each queue of the engine."""
    kind = catalogue().queue_classes.get(name)
    if kind is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, _make(name, kind))
