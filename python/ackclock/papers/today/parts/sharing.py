"""Runs on sharing: newcomers of one sender beside clients with Reno, and finite transfers.

Newcomers join as many Reno clients in the papers' network (Feng and Tinnakornsrisuphap 2000, section 3.2.1), with
Poisson sources or with unlimited data. Both groups have the defaults of one profile, so that Reno is the Reno of its
day. Transfers are those of a web: Pareto sizes of 30 kB on average, each on a connection of its own. They load the link
to 95 %, and for comparison a link with ten times the rate, which hardly modulates them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.parts.burstiness import BUFFER, OVERLOAD, PIPE, RTT, WARM
from ackclock.papers.today.senders import SENDERS, THEN, UNMARKED, scenario
from ackclock.papers.today.traffic import arrivals, binned, link, over_poisson
from ackclock.running.run import Run
from ackclock.scenario import Scenario

BUFFERS: Final = (BUFFER, PIPE, 1500)
"""Buffers in packets: the papers' smallest, a bandwidth-delay product, and the papers' largest."""

LINKS: Final[Mapping[str, int]] = {"loaded": 1, "free": 10}
"""Rates of the two links that carry the same transfers, as multiples of 50 Mb/s."""

SIZE: Final[Mapping[str, Any]] = {"kind": "pareto", "mean": "30 kB", "shape": 1.5}
"""The sizes of transfers."""

ASKED: Final = [each for each in UNMARKED if each != THEN.name]
"""Senders that join Reno clients: Reno of 2000 has no other Reno of its day to join."""

_RATE: Final = 50
_LOAD: Final = 0.95
_CLIENTS: Final = 20


def beside(sender: str, buffer: int, source: Mapping[str, Any]) -> Scenario:
    """Make the papers' network with half of its clients on Reno, and half on another sender."""
    reno = {**SENDERS["Reno"].transport}
    each = {
        "count": OVERLOAD // 2,
        "spread": "1 s",
        "access": {"rate": "10 Mbps", "delay": "25 ms"},
        "source": dict(source),
    }
    return scenario(
        sender,
        [{**each, "name": "reno", "transport": reno}, {**each, "name": "newcomers"}],
        duration="200 s",
        measure={"from": f"{WARM} s"},
        dumbbell={
            "bottleneck": {
                "rate": f"{_RATE} Mbps",
                "delay": "25 ms",
                "queue": {"kind": "droptail", "packets": buffer},
            }
        },
    )


def transfers(
    sender: str,
    times: int,
    *,
    size: Mapping[str, Any] = SIZE,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Scenario:
    """Make the papers' network with transfers, at a multiple of its rate and the same number of transfers."""
    group = {
        "count": _CLIENTS,
        "access": {"rate": "1 Gbps", "delay": "25 ms"},
        "source": {
            "kind": "connections",
            "load": _LOAD / times,
            "size": dict(size),
        },
    }
    return scenario(
        sender,
        [group],
        options=options,
        duration="200 s",
        measure={"from": "20 s"},
        dumbbell={
            "bottleneck": {
                "rate": f"{times * _RATE} Mbps",
                "delay": "25 ms",
                "queue": {"kind": "droptail", "packets": times * PIPE},
            }
        },
    )


def shares(run: Run) -> Taken:
    """Return the goodput of a newcomer over that of a Reno client, in per cent, and what both groups get and lose."""
    reno, new = run.summary.groups["reno"], run.summary.groups["newcomers"]
    return {
        **link(run),
        "share": 100 * new.goodput_bps / reno.goodput_bps if reno.goodput_bps else None,
        "reno_goodput": reno.goodput_bps / reno.clients,
        "new_loss": new.loss,
        "reno_loss": reno.loss,
    }


def finite(run: Run) -> Taken:
    """Return the summary, the c.o.v. in bins of one round-trip time, and completion times."""
    counts, step = arrivals(run)
    (group,) = run.summary.groups
    return {
        **link(run),
        "plain_cov": over_poisson(binned(counts, round(RTT / step)), 1.0),
        "completion_p50": group.completion_p50,
        "completion_p99": group.completion_p99,
    }


def parts() -> list[Part]:
    """Return the parts."""
    poisson, greedy = {"kind": "poisson", "rate": 100}, {"kind": "greedy"}

    def spot(made: Scenario, **where: Scalar) -> Spot:
        return Spot(where=where, scenario=made)

    return [
        Part(
            name="beside",
            spots=[spot(beside(each, size, poisson), sender=each, packets=size) for each in ASKED for size in BUFFERS],
            take=shares,
        ),
        Part(
            name="greedy beside",
            spots=[spot(beside(each, size, greedy), sender=each, packets=size) for each in ASKED for size in BUFFERS],
            take=shares,
        ),
        Part(
            name="transfers",
            spots=[
                spot(transfers(each, times), sender=each, link=name)
                for each in UNMARKED
                for name, times in LINKS.items()
            ],
            take=finite,
            record=("arrivals@bottleneck/10ms",),
        ),
    ]
