"""One component of the wide-area Internet, from the twelve parameters of section 2.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import DropTail, Link
from ackclock.scenario.internet import wide_area
from ackclock.scenario.profile import DEFAULT
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import measured, whole
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Measure, Scenario, Tcp, Udp
    from ackclock.scenario.sources import Source

ACCESS_RATES: Final[Mapping[str, str]] = {"isdn": "64 kbps", "t1": "1.5 Mbps", "t3": "45 Mbps"}
"""The three common types of access link, and their rates (section 2.2)."""

_DELAY: Final = measured(TIME, "0 s", "3600 s")
_BUFFER: Final = whole(1, 10**15)


def abstract_internet(
    connections: Mapping[tuple[str, str], int],
    *,
    delay: str,
    buffer_in: int,
    buffer_out: int,
    duration: str,
    transport: Tcp | Udp,
    source: Source,
    measure: Measure | None = None,
    packet_size: int = 1500,
    profile: str = DEFAULT,
) -> Scenario:
    """Make one component of the wide-area Internet from the twelve parameters of its abstract model (section 2.2).

    Each side has one access link of each type: ISDN, T1 and T3. Three parameters are `delay`, `buffer_in` and
    `buffer_out`; the other nine are the numbers of connections between each pair of types.

    Parameters
    ----------
    connections
        Number of flows by (type of the first access link, type of the second): ``isdn``, ``t1`` or ``t3``. Absent pairs
        have no flows.
    delay
        One-way propagation delay between the two sides. Half of it is on each of the two access links of a path.
    buffer_in, buffer_out
        Buffer sizes, in packets, of the access links into the backbone and of the access links out of it.
    duration, transport, source, measure, packet_size, profile
        As for `ackclock.wide_area`; links are named ``in.isdn`` to ``out.t3``.

    Returns
    -------
    Scenario
        A graph of six domains.

    Raises
    ------
    ScenarioError
        A connection names an unknown type of access link, or the scenario is invalid.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = abstract_internet(
    ...     {("isdn", "t1"): 3, ("t1", "t1"): 5},
    ...     delay="50 ms",
    ...     buffer_in=20,
    ...     buffer_out=60,
    ...     duration="10 s",
    ...     transport=ac.Tcp("reno"),
    ...     source=ac.Greedy(),
    ... )
    >>> [(flow.name, flow.count) for flow in scenario.flows]
    [('from-in.isdn-to-out.t1', 3), ('from-in.t1-to-out.t1', 5)]
    """
    for kind in (kind for kinds in connections for kind in kinds):
        if kind not in ACCESS_RATES:
            raise refuse("connections", kind, one_of(kind, ACCESS_RATES))
    # each path crosses two access links; each link has half of the delay
    half = f"{TIME.parse(_DELAY.require('delay', delay)) // 2} ps"
    sides = {"in": _BUFFER.require("buffer_in", buffer_in), "out": _BUFFER.require("buffer_out", buffer_out)}
    return wide_area(
        {
            f"{side}.{kind}": Link(rate=rate, delay=half, queue=DropTail(packets=packets))
            for side, packets in sides.items()
            for kind, rate in ACCESS_RATES.items()
        },
        {(f"in.{sender}", f"out.{receiver}"): count for (sender, receiver), count in connections.items() if count},
        duration=duration,
        transport=transport,
        source=source,
        measure=measure,
        packet_size=packet_size,
        profile=profile,
    )
