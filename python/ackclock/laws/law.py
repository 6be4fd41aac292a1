"""The class of congestion-control laws (window laws) that are written in Python."""

from typing import ClassVar, Final

from ackclock.engine.catalogue import catalogue
from ackclock.engine.core import Ack, Congestion, Idle, Lost, Rate, Window
from ackclock.laws.algorithm import Algorithm, Interface
from ackclock.scenario.law_fields import LAW_FIELDS

__all__ = ["CALLS", "Law"]

CALLS: Final = ("on_ack", "on_congestion", "observe", "on_rate", "on_lost", "on_idle", "on_undo")
"""The methods that the engine calls, in the order in which it takes them."""

_FIELDS: Final = ("kind", "variant", *LAW_FIELDS)
"""Fields of a transport that the engine does not declare."""


class Law(Algorithm):
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
    ...         window.cwnd += self.gain * ack.newly_acked / window.cwnd
    >>> Gentle(gain=0.25)
    Gentle(gain=0.25)
    """

    own_slow_start: ClassVar[bool] = False
    """Whether the law grows the window below ``ssthresh`` itself. If not, the transport's ``slow_start`` does, and
    `on_ack` is called only at or above ``ssthresh``, and only while the window limits the sender."""

    scalable: ClassVar[bool] = False
    """Whether the law answers marks as a scalable one must (RFC 9331). Such a law needs ``ecn = "accurate"``."""

    interface = Interface("law", "flows", CALLS, lambda: (*_FIELDS, *catalogue().tcp_options))

    def on_ack(self, window: Window, ack: Ack) -> None:
        """Grow the window for a new ACK.

        Called in congestion avoidance, outside of a recovery, while the window limits the sender, for ACKs without
        marks; with `own_slow_start`, for all new ACKs outside of a recovery. A law that shrinks the window stays in
        congestion avoidance: ``ssthresh`` then shrinks too, unless the law sets it. An ACK acknowledges
        ``ack.newly_acked`` packets, two if the receiver delays ACKs.
        """
        raise NotImplementedError

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Reduce the window after a loss, a mark or a timeout; at most once per congestion event.

        A law without this method has Reno's response, which this one is. A law may set ``window.cwnd`` only: the engine
        then sets ``ssthresh`` to the reduced window, so that the flow goes on in congestion avoidance. After a timeout,
        the engine sets the window to one packet, and slow start takes it to ``ssthresh``: the window that the law
        sets, or half of ``event.window`` if the law leaves out timeouts. A law with `own_slow_start` or `on_rate` sets
        ``ssthresh`` itself.
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
        """See each packet found lost; only laws with `on_rate` have this.

        An ACK finds losses before its `on_rate`. A timer finds them at any time; then ``sample.rate`` is None.
        """

    def on_idle(self, idle: Idle) -> None:
        """See the end of a time without anything in flight."""

    def on_undo(self, window: Window) -> None:
        """See that the last reduction turned out to be unnecessary; the window has been restored."""
