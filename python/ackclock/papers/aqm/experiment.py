"""The runs of the study: grids from `study.toml`, a link whose rate varies, and traffic in both directions."""

from __future__ import annotations

from ackclock.papers.aqm.measures import applications, link
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.parts import Part, Spot
from ackclock.scenario import Scenario

DEFINITION = Definition("ackclock.papers.aqm")

TAIL_DROP = "tail drop"
ACTIVE = ("Adaptive RED", "CoDel", "PIE", "FQ-CoDel", "DualPI2")
"""The disciplines that act before the queue is full."""
ALL = (TAIL_DROP, *ACTIVE)

STEPS = [["0 s", "10 Mbps"], ["10 s", "2 Mbps"]]
"""Rates of the link (RFC 7928, section 8.2.6), repeated every 20 s."""


def varying() -> Part:
    """Return the part `capacity`: four flows on a link whose rate changes every 10 s."""
    return Part(
        name="capacity",
        spots=[Spot(where={"variant": name}, scenario=_varying(DEFINITION.scenario(name))) for name in ALL],
        take=link,
    )


def two_way() -> Part:
    """Return the part `two_way` (section 9.2): two flows in each direction, the level of mild congestion.

    Both directions have the same rate, buffer and discipline. Towards the server go also 20 packets of 80 bytes per
    second, such as requests to name servers, and short connections. Few of these packets are lost, so the runs are
    longer than the others.
    """
    return Part(
        name="two_way",
        spots=[Spot(where={"variant": name}, scenario=_two_way(DEFINITION.scenario(name))) for name in ALL],
        take=applications,
    )


def _two_way(scenario: Scenario) -> Scenario:
    tables = scenario.to_dict()
    cubic = {"kind": "tcp", "variant": "cubic"}
    tables["duration"] = "420 s"
    tables["dumbbell"]["reverse"] = tables["dumbbell"]["bottleneck"]
    greedy = {"count": 2, "spread": "1 s", "transport": cubic, "source": {"kind": "greedy"}}
    short = {"kind": "connections", "load": 0.02, "size": {"kind": "fixed", "mean": "1 kB"}}
    control = {"transport": {"kind": "udp"}, "source": {"kind": "poisson", "rate": 20}, "packet_size": 80}
    tables["clients"] = [
        {"name": "up", **greedy},
        {"name": "down", "direction": "reverse", **greedy},
        {"name": "control", **control},
        {"name": "short", "transport": cubic, "source": short},
    ]
    return Scenario.from_dict(tables)


def _varying(scenario: Scenario) -> Scenario:
    tables = scenario.to_dict()
    bottleneck = tables["dumbbell"]["bottleneck"]
    del bottleneck["rate"]
    bottleneck["rate_trace"] = {"steps": STEPS, "period": "20 s"}
    return Scenario.from_dict(tables)
