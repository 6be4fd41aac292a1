"""The class of queue disciplines that are written in Python."""

from typing import Final, Literal

from ackclock.engine.core import QueuedPacket, WaitingQueue
from ackclock.laws.algorithm import Algorithm, Interface
from ackclock.scenario.law_fields import DISCIPLINE_FIELDS

__all__ = ["CALLS", "Discipline"]

CALLS: Final = ("on_arrival", "on_departure")
"""The methods that the engine calls, in the order in which it takes them."""

_FIELDS: Final = ("kind", "packets", "bytes", "count_in_service", *DISCIPLINE_FIELDS)


class Discipline(Algorithm):
    """A queue discipline written in Python: the base class of your own.

    The engine keeps the packets of a link in one queue, first in, first out. The discipline decides about each packet
    when it arrives, and again when its transmission is about to start. Annotated attributes with defaults are its
    parameters, as those of a `Law`; they are fields of the queue. Each link and direction has an object of its own;
    `setup` makes its state. The records in the arguments are valid only during the call.

    Parameters
    ----------
    parameters
        Values of the discipline's parameters; absent parameters have their defaults.

    Raises
    ------
    ScenarioError
        A parameter does not exist, or its value is not allowed.

    Examples
    --------
    >>> class Short(Discipline):
    ...     most: float = 0.02
    ...
    ...     def on_departure(self, queue, packet):
    ...         return "mark" if packet.waited > self.most and queue.packets > 0 else "deliver"
    >>> Short(most=0.05)
    Short(most=0.05)
    """

    interface = Interface("discipline", "links", CALLS, lambda: _FIELDS)

    def on_arrival(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["accept", "mark", "drop"]:
        """Decide about an arriving packet, also if the queue is full (``queue.full``).

        ``"mark"`` accepts and marks a packet that is ECN-capable, and drops any other one (RFC 3168, section 5). A
        packet that is accepted although the queue is full is dropped by the engine.
        """
        raise NotImplementedError

    def on_departure(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["deliver", "mark", "drop"]:
        """Decide about the packet at the head, when its transmission is about to start.

        After a packet that is dropped, the method is called for the next one, at the same simulated time.
        ``queue.packets`` and ``queue.bytes`` count the packets behind this one.
        """
        raise NotImplementedError
