"""The wide-area Internet as domains behind access links: the abstract model of Qiu, Zhang and Keshav, section 2.

What lies between two domains delays packets and is otherwise fast; each domain reaches it by one access link, where
packets wait and are lost. A flow crosses the access links of the domain that it leaves and of the one that it reaches.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ackclock.scenario.declared import DropTail, Tcp
from ackclock.scenario.errors import one_of, refuse
from ackclock.scenario.kinds import measured, whole
from ackclock.scenario.network import GraphLink, Link, Node
from ackclock.scenario.profile import DEFAULT
from ackclock.scenario.quantity import TIME
from ackclock.scenario.sources import Source
from ackclock.scenario.traffic import Flow, Udp
from ackclock.scenario.whole import Measure, Scenario

ACCESS_RATES: Final[Mapping[str, str]] = {"isdn": "64 kbps", "t1": "1.5 Mbps", "t3": "45 Mbps"}
"""The three common types of access link, and their rates (section 2.2)."""


_DELAY: Final = measured(TIME, "0 s", "3600 s")
_BUFFER: Final = whole(1, 10**15)
_COUNT: Final = whole(1, 100_000_000)
_CLUSTER: Final = whole(2, 1_000_000)
_SEED: Final = whole(0, 2**64 - 1)


def wide_area(
    access: Mapping[str, Link],
    connections: Mapping[tuple[str, str], int],
    *,
    duration: str,
    transport: Tcp | Udp,
    source: Source,
    backbone: Link | None = None,
    measure: Measure | None = None,
    packet_size: int = 1500,
    profile: str = DEFAULT,
) -> Scenario:
    """Make a scenario of domains, each behind an access link of its own.

    Parameters
    ----------
    access
        The access link of each domain by the domain's name, which is the link's name as well on the way out of the
        domain; the way in is ``NAME.reverse``.
    connections
        How many flows lead from one domain to another.
    duration, packet_size, profile
        As in a `Scenario`.
    transport, source
        What all flows use.
    backbone
        A link that all packets cross between the two access links. Without one there is nothing in between: delays
        belong to the access links, and flows that share no access link do not affect each other (`components`).
    measure
        As in a `Scenario`; by default the way out of the first domain that sends is measured.

    Returns
    -------
    Scenario
        A graph; its groups are named ``from-FROM-to-TO``, in the order of `connections`.

    Raises
    ------
    ScenarioError
        A connection names no domain, or what a scenario refuses.

    Examples
    --------
    >>> import ackclock as ac
    >>> t1, isdn = (
    ...     ac.Link(rate=rate, delay="25 ms", queue=ac.DropTail(packets=20)) for rate in ("1.5 Mbps", "64 kbps")
    ... )
    >>> scenario = ac.wide_area(
    ...     {"a": t1, "b": t1, "c": isdn, "d": isdn},
    ...     {("a", "b"): 5, ("c", "d"): 2},
    ...     duration="10 s",
    ...     transport=ac.Tcp("reno"),
    ...     source=ac.Greedy(),
    ... )
    >>> [component.groups for component in ac.components(scenario)]
    [('from-a-to-b',), ('from-c-to-d',)]
    """
    inner: tuple[str, ...] = ("backbone",) if backbone is None else ("backbone.in", "backbone.out")
    _check(access, connections)
    (first, _), *_ = connections
    return Scenario(
        profile=profile,
        duration=duration,
        packet_size=packet_size,
        measure=measure or Measure(link=first),
        nodes=[Node(name=name) for name in (*inner, *access)],
        links=[
            *(_one_way("backbone", inner[0], inner[1], link) for link in (backbone,) if link is not None),
            *(_one_way(name, name, inner[0], link.forth) for name, link in access.items()),
            *(_one_way(f"{name}.reverse", inner[-1], name, link.back) for name, link in access.items()),
        ],
        flows=[
            Flow(
                name=f"from-{sender}-to-{receiver}",
                from_=sender,
                to=receiver,
                count=count,
                transport=transport,
                source=source,
            )
            for (sender, receiver), count in connections.items()
        ],
    )


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

    On either side there is an access link of each type, ISDN, T1 and T3. Three parameters are `delay`, `buffer_in` and
    `buffer_out`, the other nine are the numbers of connections from each type to each.

    Parameters
    ----------
    connections
        How many flows enter by an access link of one type, ``isdn``, ``t1`` or ``t3``, and leave by one of
        another: none where the pair is absent.
    delay
        Propagation delay of the large link in between, one way; access links have none.
    buffer_in, buffer_out
        Packets that find room before the access links into the backbone, and before those out of it.
    duration, transport, source, measure, packet_size, profile
        As for `wide_area`; links are named ``in.isdn`` to ``out.t3``.

    Returns
    -------
    Scenario
        A graph of six domains.

    Raises
    ------
    ScenarioError
        A connection names no type of access link, or what a scenario refuses.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.abstract_internet(
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
    # each flow crosses two access links each way: half of the delay is theirs
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


def clustered_connections(
    domains: Sequence[str], count: int, *, cluster: int | None = None, seed: int = 1
) -> dict[tuple[str, str], int]:
    """Draw connections between domains that mostly talk within clusters.

    Parameters
    ----------
    domains
        Their names: each `cluster` of them, one after the other, make a cluster.
    count
        How many connections: each joins two different domains of one cluster, all such pairs equally probable.
    cluster
        Domains of a cluster, at least 2; all domains are one by default, and any may talk to any.
    seed
        Where the draws come from.

    Returns
    -------
    dict
        As `wide_area` takes it, senders in the order of `domains`.

    Raises
    ------
    ScenarioError
        An argument is not allowed.

    Examples
    --------
    >>> from ackclock import clustered_connections
    >>> clustered_connections(["a", "b", "c", "d"], 5, cluster=2)
    {('a', 'b'): 2, ('c', 'd'): 1, ('d', 'c'): 2}
    """
    import numpy as np  # noqa: PLC0415  # slow to load, and not needed to describe a network

    if len(set(domains)) < max(len(domains), 2):
        raise refuse("domains", list(domains)[:10], "must be two names or more, each once")
    _COUNT.require("count", count)
    _SEED.require("seed", seed)
    size = len(domains) if cluster is None else _CLUSTER.require("cluster", cluster)
    if len(domains) % size:
        raise refuse("cluster", cluster, f"must divide the number of domains, {len(domains)}")
    random = np.random.default_rng(seed)
    base = random.integers(len(domains) // size, size=count) * size
    sender = random.integers(size, size=count)
    receiver = (sender + random.integers(1, size, size=count)) % size
    pairs, counts = np.unique(np.stack([base + sender, base + receiver]), axis=1, return_counts=True)
    return {
        (domains[sender], domains[receiver]): int(number)
        for (sender, receiver), number in zip(pairs.T.tolist(), counts, strict=True)
    }


def _check(access: Mapping[str, object], connections: object) -> None:
    """Refuse what does not name domains and links."""
    for name, link in access.items():
        if not isinstance(link, Link):
            raise refuse(f"access.{name}", link, "must be a Link")
        if name.startswith("backbone"):
            raise refuse("access", name, "must be another name: the backbone is what lies between domains")
    if not isinstance(connections, Mapping) or not connections:
        raise refuse("connections", connections, "must map at least one pair of domains to a number of flows")
    for ends in connections:
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise refuse("connections", ends, "must be a pair of domains: who sends, and who receives")
        for name in ends:
            if name not in access:
                raise refuse("connections", name, one_of(str(name), access))


def _one_way(name: str, sender: str, receiver: str, link: Link) -> GraphLink:
    return GraphLink(
        name=name,
        from_=sender,
        to=receiver,
        rate=link.rate,
        rate_trace=link.rate_trace,
        reverse_rate_trace=link.reverse_rate_trace,
        delay=link.delay,
        queue=link.queue,
        loss=link.loss,
        duplex=False,
    )
