"""Runs of greedy flows over one bottleneck, for the tests of single congestion controls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BDP = 10e6 * 0.08 / 12_000
"""Bandwidth-delay product in packets of a link of 10 Mb/s with a round trip of 80 ms."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow that differs from the others: by options of its transport, or by fields of its group."""

    variant: str
    options: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def run(
    *flows: str | Flow,
    buffer: float = 4.0,
    loss: float = 0.0,
    link: Mapping[str, Any] | None = None,
    duration: int = 60,
    since: int = 0,
    profile: str = "rfc",
    record: Sequence[str] = (),
    **options: Any,
) -> ac.Run:
    """Run flows, each with its variant; measures begin at `since` seconds.

    The bottleneck is `link`, or a link with a product of `BDP` packets, a buffer in these products, and a probability
    of loss. Options hold for all flows.
    """
    queue = {"kind": "droptail", "packets": max(1, round(buffer * BDP)), "count_in_service": False}
    usual = {"rate": "10 Mbps", "delay": "40 ms", "queue": queue}
    if loss:
        usual["loss"] = {"kind": "random", "probability": loss}
    every = [Flow(flow) if isinstance(flow, str) else flow for flow in flows]
    scenario = {
        "profile": profile,
        "duration": f"{duration} s",
        "measure": {"from": f"{since} s"},
        "dumbbell": {"access": {"rate": "100 Gbps", "delay": "0 s"}, "bottleneck": dict(link or usual)},
        "clients": [
            {
                "name": f"{flow.variant.replace('++', 'pp')}{place}",
                "spread": "1 s",
                "transport": {"kind": "tcp", "variant": flow.variant, **options, **flow.options},
                "source": {"kind": "greedy"},
                **flow.fields,
            }
            for place, flow in enumerate(every)
        ],
    }
    return ac.simulate(ac.Scenario.from_dict(scenario), record=list(record))
