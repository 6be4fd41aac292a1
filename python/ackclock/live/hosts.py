"""The hosts of a scenario for programs of the user, and the network between them as a graph.

A dumbbell has the hosts ``sender`` and ``receiver``: the first group's access link, the gateway, and the bottleneck lie
between them. A graph has the nodes at which its flows begin or end. The scenario's own flows are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from ackclock.live.refusing import MOST_RATE, RECORDS, top_rate
from ackclock.running.plan import transport_for_engine
from ackclock.running.run import Prepared, is_in_python, whole_scenario
from ackclock.scenario import Scenario, Tcp
from ackclock.scenario.changes import FIELDS
from ackclock.scenario.routes import directed, routes_over
from ackclock.values.errors import one_of, refuse
from ackclock.values.quantity import RATE, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_HOSTS: Final = 8
MOST_FLOWS: Final = 512
"""Most flows of all connections together: a connection has two."""
LONGEST: Final = "24 h"
"""Longest session."""
_LEAST_MTU, _MOST_MTU = 576, 9000
_PICOSECONDS: Final = 10**12
_PROTOCOLS: Final = {1: "icmp", 6: "tcp", 17: "udp"}
_LONGEST_NAME: Final = 64


@dataclass(frozen=True, kw_only=True)
class Network:
    """The hosts and links of a session."""

    scenario: Scenario
    """A graph with two flows for each pair of hosts, with all defaults filled in."""
    hosts: tuple[str, ...]
    plan: dict[str, Any]
    """The plan of the longest session."""
    mtu: int
    law: str | None
    """Congestion control of the scenario's first TCP group."""
    ecn: bool
    gso: bool

    @classmethod
    def of(cls, given: object, record: Iterable[str] = ()) -> Network:
        """Make the network of a scenario, or refuse it."""
        effective = whole_scenario(given).changed({"profile": "linux"}).effective()
        if is_in_python(effective):
            raise refuse("law", "Python", "must be absent in a live session, and a queue the engine's")
        record = tuple(record)
        _refuse_records(record)
        tables = _tables(effective)
        names = _hosts(effective)
        if len(names) > MOST_HOSTS:
            raise refuse("nodes", f"{len(names)} hosts with flows", f"must be at most {MOST_HOSTS} in a live session")
        size = max(group.packet_size or 0 for group in effective.groups)
        if size > _MOST_MTU:
            raise refuse("packet_size", size, f"must be at most {_MOST_MTU} B in a live session")
        mtu = max(size, _LEAST_MTU)
        flows = [_flow(f"f{place}", *pair, mtu) for place, pair in enumerate(_ordered(names))]
        prepared = Prepared.of(Scenario.from_dict({**tables, "duration": LONGEST, "flows": flows}), record)
        plan = json.loads(prepared.plan)
        _refuse_rates(prepared.scenario, plan, names)
        plan["groups"] *= most_connections(len(names))
        tcp = [group.transport for group in effective.groups if isinstance(group.transport, Tcp)]
        senders = [transport_for_engine(transport, mtu)["sender"] for transport in tcp]
        return cls(
            scenario=prepared.scenario,
            hosts=names,
            plan=plan | {"records": [], "captures": []},
            mtu=mtu,
            law=senders[0]["congestion"]["kind"] if senders else None,
            ecn=any(sender.get("ecn", "off") != "off" for sender in senders),
            gso=any(sender.get("gso", "off") != "off" for sender in senders),
        )

    @property
    def addresses(self) -> tuple[str, ...]:
        """The address of each host."""
        return tuple(f"10.9.0.{place + 1}" for place in range(len(self.hosts)))

    def place(self, host: str, field: str) -> int:
        """Return the number of a host, or refuse its name."""
        if host not in self.hosts:
            raise refuse(field, host, one_of(host, self.hosts), noun="host")
        return self.hosts.index(host)

    def least_rtt(self) -> float:
        """Return the shortest round-trip time of two hosts without queues and transmission, in s."""
        delays = [edge["link"]["delay"] for edge in self.plan["topology"]["links"]]
        times = [sum(delays[link] for link in route) for route in _routes(self.scenario, self.hosts).values()]
        return float(min(map(sum, zip(times[::2], times[1::2], strict=True)))) / _PICOSECONDS

    def packet_time(self) -> float:
        """Return the time that a full packet takes at the measured link, in s."""
        link = self.plan["topology"]["links"][self.plan["measure"]["link"]]["link"]
        return 8.0 * float(self.mtu) / top_rate(link)

    def measured(self, facts: Mapping[str, Any], record: Iterable[str]) -> Prepared:
        """Prepare the measurement of a session: with its duration, and a group for each flow that was seen."""
        pairs = list(_ordered(self.hosts))
        seen = {each["flow"]: self.name(each) for each in facts["flows"]}
        names = [seen.get(flow, f"unused.{flow}") for flow in range(max(seen) + 1)]
        flows = [_flow(name, *pairs[flow % len(pairs)], self.mtu) for flow, name in enumerate(names)]
        end, tables = facts["end"], self.scenario.to_dict()
        tables |= {"duration": TIME.format(end), "flows": flows}
        tables["measure"]["bin"] = TIME.format(min(end, TIME.parse(tables["measure"]["bin"])))
        if "changes" in tables:
            tables["changes"] = [change for change in tables["changes"] if TIME.parse(change["at"]) < end]
        return Prepared.of(Scenario.from_dict(tables), record)

    def name(self, flow: Mapping[str, Any]) -> str:
        """Return the name of a flow: protocol, source and destination."""
        there, back = (f"{self.hosts[self.addresses.index(address)]}.{port}" for address, port in flow["ends"])
        source, to = (back, there) if flow["flow"] % 2 else (there, back)
        protocol = _PROTOCOLS.get(flow["protocol"], f"ip{flow['protocol']}")
        name = f"{protocol}.{source}>{to}"
        return name if len(name) <= _LONGEST_NAME else f"{protocol}.flow{flow['flow']}"


def most_connections(hosts: int) -> int:
    """Return the most connections of two hosts that have numbers of their own."""
    return MOST_FLOWS // (hosts * (hosts - 1))


def _ordered(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield both directions of each pair of hosts, in the engine's order."""
    for one, other in combinations(names, 2):
        yield one, other
        yield other, one


def _flow(name: str, source: str, to: str, size: int) -> dict[str, Any]:
    """Return a group for packets of a program, of any size. The source is a placeholder: it sends nothing."""
    transport, placeholder = {"kind": "udp", "packet_sizes": "exponential"}, {"kind": "constant", "rate": 1}
    return {
        "name": name,
        "from": source,
        "to": to,
        "packet_size": size,
        "transport": transport,
        "source": placeholder,
    }


def _hosts(scenario: Scenario) -> tuple[str, ...]:
    if scenario.dumbbell is not None:
        return ("sender", "receiver")
    return tuple(dict.fromkeys(end for flow in scenario.flows for end in (flow.from_, flow.to)))


def _tables(scenario: Scenario) -> dict[str, Any]:
    """Return the network of an effective scenario as a graph, and what is measured."""
    given = scenario.to_dict()
    measure = {name: value for name, value in given["measure"].items() if name not in {"from", "convergence"}}
    changes = [
        {name: value for name, value in change.items() if name in {"at", "links", "reorders", *FIELDS}}
        for change in given.get("changes", ())
        if any(name in change for name in FIELDS)
    ]
    kept = {name: given[name] for name in ("profile", "media", "routing") if name in given}
    tables = kept | {"measure": measure, **({"changes": changes} if changes else {})}
    if scenario.dumbbell is None:
        return tables | {"nodes": given["nodes"], "links": given["links"]}
    access, ways = given["clients"][0]["access"], given["dumbbell"]
    links = [
        _way("bottleneck", "gateway", "receiver", ways["bottleneck"]),
        _way("bottleneck.reverse", "receiver", "gateway", ways["reverse"]),
        _way("access.0", "sender", "gateway", access),
        _way("access.0.reverse", "gateway", "sender", access, back=True),
    ]
    return tables | {"nodes": [{"name": name} for name in ("sender", "gateway", "receiver")], "links": links}


def _way(name: str, source: str, to: str, link: Mapping[str, Any], *, back: bool = False) -> dict[str, Any]:
    """Return one direction of a dumbbell's link."""
    one = {field: value for field, value in link.items() if field != "reverse_rate_trace"}
    if back and "reverse_rate_trace" in link:
        one = {field: value for field, value in one.items() if field != "rate"}
        one["rate_trace"] = link["reverse_rate_trace"]
    return one | {"name": name, "from": source, "to": to, "duplex": False}


def _routes(scenario: Scenario, names: Iterable[str]) -> dict[tuple[str, str], list[int]]:
    """Return the links of a shortest path for each pair of hosts, in both directions."""
    routes = routes_over(directed(scenario.links))
    return {pair: routes.route(*pair) or [] for pair in _ordered(names)}


def _refuse_rates(scenario: Scenario, plan: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse paths that would be too fast for the emulator."""
    rates = [top_rate(edge["link"]) for edge in plan["topology"]["links"]]
    for (source, to), route in _routes(scenario, names).items():
        rate = min(rates[link] for link in route)
        if rate > MOST_RATE:
            limit = f"must be at most {RATE.format(MOST_RATE)} in a live session"
            raise refuse("rate", f"{RATE.format(round(rate))} from {source} to {to}", limit)


def _refuse_records(record: Iterable[str]) -> None:
    allowed = [each for each in RECORDS if each != "windows"]
    for request in record:
        if request.partition("@")[0].partition("/")[0] not in allowed:
            raise refuse("record", request, f"must be one of {', '.join(allowed)} in a live session")
