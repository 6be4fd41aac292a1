"""The wide-area Internet as domains behind access links: the abstract model of Qiu, Zhang and Keshav, section 2.

The backbone between domains only delays packets. Each domain connects to the backbone by one access link, where packets
queue and are lost. A flow crosses the access links of its source domain and of its destination domain.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ackclock.scenario.declared import Tcp
from ackclock.scenario.network import GraphLink, Link, Node
from ackclock.scenario.profile import DEFAULT
from ackclock.scenario.sources import Source
from ackclock.scenario.traffic import Flow, Udp
from ackclock.scenario.whole import Measure, Scenario
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import whole

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
        The access link of each domain, by the domain's name. The link out of the domain has the same name; the link
        into it is ``NAME.reverse``.
    connections
        Number of flows by (source domain, destination domain).
    duration, packet_size, profile
        As in a `Scenario`.
    transport, source
        Transport and source of all flows.
    backbone
        A link that all packets cross between the two access links. Without a backbone the access links meet directly:
        all delay is on the access links, and flows that share no access link do not affect each other (see
        `components`).
    measure
        As in a `Scenario`. By default the outgoing link of the first sending domain is measured.

    Returns
    -------
    Scenario
        A graph; its groups are named ``from-FROM-to-TO``, in the order of `connections`.

    Raises
    ------
    ScenarioError
        A connection names an unknown domain, or the scenario is invalid.

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


def clustered_connections(
    domains: Sequence[str], count: int, *, cluster: int | None = None, seed: int = 1
) -> dict[tuple[str, str], int]:
    """Draw random connections between domains that communicate within clusters.

    Parameters
    ----------
    domains
        Names of the domains. Every `cluster` consecutive names form a cluster.
    count
        Number of connections. Each joins two different domains of one cluster; all such pairs are equally probable.
    cluster
        Domains per cluster, at least 2 (default: one cluster of all domains).
    seed
        Random seed.

    Returns
    -------
    dict
        The argument `connections` of `wide_area`, with senders in the order of `domains`.

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
        raise refuse("domains", list(domains)[:10], "must be two or more different names")
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
    """Check that the arguments map domains to links and pairs of domains to counts."""
    for name, link in access.items():
        if not isinstance(link, Link):
            raise refuse(f"access.{name}", link, "must be a Link")
        if name.startswith("backbone"):
            raise refuse("access", name, "must not be a domain's name: it is reserved for the link between domains")
    if not isinstance(connections, Mapping) or not connections:
        raise refuse("connections", connections, "must map at least one pair of domains to a number of flows")
    for ends in connections:
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise refuse("connections", ends, "must be a pair of domains: sender and receiver")
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
        delay_trace=link.delay_trace,
        queue=link.queue,
        loss=link.loss,
        loss_trace=link.loss_trace,
        framing=link.framing,
        policer=link.policer,
        shaper=link.shaper,
        jitter=link.jitter,
        reorder=link.reorder,
        duplex=False,
    )
