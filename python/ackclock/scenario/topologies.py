"""Networks by name: tables of a few lines that expand to the nodes and links of a graph."""

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario.fields import Arity, HostsOfSwitch, Switches
from ackclock.scenario.model import Part
from ackclock.scenario.network import GraphLink, Link, Node
from ackclock.values import errors

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

_MOST_LINKS = 100_000


class _Topology(Part):
    """A network of hosts and switches. Hosts are named ``h0``, ``h1`` and so on."""

    access: Link
    """The link between each host and its switch."""

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        raise NotImplementedError

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the network is not too large."""
        del data
        if part is None or sum(1 for _ in itertools.islice(part.joins(), _MOST_LINKS + 1)) <= _MOST_LINKS:
            return []
        return [errors.wrong(("hosts",), getattr(part, "hosts", None), f"must give at most {_MOST_LINKS:,} links")]


class Star(_Topology):
    """Hosts around one switch, named ``switch``.

    Examples
    --------
    >>> network = Star(hosts=3, access=Link(rate="10 Gbps", delay="1 us"))
    >>> [(a, b) for a, b, _ in network.joins()]
    [('h0', 'switch'), ('h1', 'switch'), ('h2', 'switch')]
    """

    kind: Literal["star"] = "star"
    """``star``."""

    hosts: HostsOfSwitch
    """Number of hosts."""

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        for host in range(self.hosts):
            yield f"h{host}", "switch", self.access


class DumbbellGraph(_Topology):
    """Two switches, ``left`` and ``right``, with a link between them.

    With *n* hosts on each side, ``h0`` to ``h{n-1}`` are at the left and the others at the right.
    """

    kind: Literal["dumbbell"] = "dumbbell"
    """``dumbbell``."""

    hosts: HostsOfSwitch
    """Number of hosts on each side."""

    bottleneck: Link
    """The link between the switches."""

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        for host in range(2 * self.hosts):
            yield f"h{host}", "left" if host < self.hosts else "right", self.access
        yield "left", "right", self.bottleneck


class ParkingLot(_Topology):
    """A chain of switches ``s0``, ``s1`` and so on. Flows along the chain meet flows that cross single links of it."""

    kind: Literal["parking-lot"] = "parking-lot"
    """``parking-lot``."""

    bottlenecks: Switches
    """Number of links between switches."""

    hosts: HostsOfSwitch = 1
    """Number of hosts of each switch: ``h0`` is at ``s0``."""

    bottleneck: Link
    """The links between switches."""

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        for host in range((self.bottlenecks + 1) * self.hosts):
            yield f"h{host}", f"s{host // self.hosts}", self.access
        for place in range(self.bottlenecks):
            yield f"s{place}", f"s{place + 1}", self.bottleneck


class LeafSpine(_Topology):
    """Switches in two tiers: hosts at leaves, and each leaf ``leaf0``, ``leaf1`` at each spine ``spine0``, ``spine1``.

    The fabric is oversubscribed where the hosts of a leaf together are faster than its links to the spines.

    Examples
    --------
    >>> network = LeafSpine(leaves=2, spines=2, hosts=1, access=Link(rate="10 Gbps", delay="1 us"))
    >>> [f"{a}-{b}" for a, b, _ in network.joins()]
    ['h0-leaf0', 'h1-leaf1', 'leaf0-spine0', 'leaf0-spine1', 'leaf1-spine0', 'leaf1-spine1']
    """

    kind: Literal["leaf-spine"] = "leaf-spine"
    """``leaf-spine``."""

    leaves: Switches
    """Number of leaves."""

    spines: Switches
    """Number of spines: the number of shortest paths between hosts at different leaves."""

    hosts: HostsOfSwitch
    """Number of hosts of each leaf."""

    fabric: Link | None = None
    """The links between switches (default: as ``access``)."""

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        for host in range(self.leaves * self.hosts):
            yield f"h{host}", f"leaf{host // self.hosts}", self.access
        for leaf, spine in itertools.product(range(self.leaves), range(self.spines)):
            yield f"leaf{leaf}", f"spine{spine}", self.fabric or self.access


class FatTree(_Topology):
    """A fat tree of switches with ``k`` ports each (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, section 2.2).

    It has ``k`` pods with ``k/2`` edge switches, such as ``edge0.1`` (pod 0), and as many aggregation switches, such as
    ``agg0.1``. Aggregation switch *i* of each pod has a link to ``k/2`` of the core switches, from ``core{i*k/2}`` on.
    With ``hosts`` above ``k/2``, edge switches have more ports to hosts than upwards: the tree is oversubscribed.

    Examples
    --------
    >>> network = FatTree(k=4, access=Link(rate="10 Gbps", delay="1 us"))
    >>> ends = [f"{a}-{b}" for a, b, _ in network.joins()]
    >>> len(ends), ends[0], ends[16], ends[-1]
    (48, 'h0-edge0.0', 'edge0.0-agg0.0', 'agg3.1-core3')
    """

    kind: Literal["fat-tree"] = "fat-tree"
    """``fat-tree``."""

    k: Arity
    """Number of ports of a switch, and of pods: an even number."""

    hosts: HostsOfSwitch | None = None
    """Number of hosts of each edge switch (default: ``k/2``, which gives ``k*k*k/4`` hosts and full bisection)."""

    fabric: Link | None = None
    """The links between switches (default: as ``access``)."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the number of ports is even, and that the network is not too large."""
        if part is not None and part.k % 2:
            return [errors.wrong(("k",), part.k, "must be even: half of the ports of a switch lead upwards")]
        return super().own_problems(data, part)

    def joins(self) -> Iterator[tuple[str, str, Link]]:
        """Yield the links: their ends, and what they are like."""
        half, fabric = self.k // 2, self.fabric or self.access
        hosts = self.hosts or half
        edges = list(itertools.product(range(self.k), range(half)))
        for place, (pod, edge) in enumerate(edges):
            for host in range(place * hosts, (place + 1) * hosts):
                yield f"h{host}", f"edge{pod}.{edge}", self.access
        for (pod, edge), agg in itertools.product(edges, range(half)):
            yield f"edge{pod}.{edge}", f"agg{pod}.{agg}", fabric
        for (pod, agg), core in itertools.product(edges, range(half)):
            yield f"agg{pod}.{agg}", f"core{agg * half + core}", fabric


Topology = DumbbellGraph | FatTree | LeafSpine | ParkingLot | Star
"""A network by name."""


def expanded(scenario: "Scenario") -> "Scenario":
    """Replace the topology of a scenario by its nodes and links.

    A link of the scenario between two nodes of the topology replaces the topology's own.
    """
    if scenario.topology is None:
        return scenario
    own = {frozenset((link.from_, link.to)) for link in scenario.links}
    joins = list(scenario.topology.joins())
    names = dict.fromkeys(name for a, b, _ in joins for name in (a, b))
    links = (_graph_link(*join) for join in joins if frozenset(join[:2]) not in own)
    return scenario.model_copy(
        update={
            "topology": None,
            "nodes": (*scenario.nodes, *(Node.model_construct(name=name) for name in names)),
            "links": (*scenario.links, *links),
        }
    )


def _graph_link(from_: str, to: str, link: Link) -> GraphLink:
    return GraphLink.model_construct(from_=from_, to=to, **{name: getattr(link, name) for name in Link.model_fields})
