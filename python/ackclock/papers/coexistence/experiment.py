"""The runs of the study: pairs of laws by buffer, queue, number of flows and distance, and each law alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING, Any

from ackclock.papers.coexistence.measures import flows
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.parts import Part, Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row, Scalar

DEFINITION = Definition("ackclock.papers.coexistence")

LAWS = {
    "Reno": "rack",
    "CUBIC": "cubic",
    "BBR": "bbr",
    "BBRv3": "bbr3",
    "Copa": "copa",
    "Vegas": "vegas",
    "Prague": "prague",
}
"""Variant of each law."""

PRODUCT = 100 / 3
"""The bandwidth-delay product in packets."""

BUFFERS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)
"""Buffers of tail drop in bandwidth-delay products."""

TWO = (1, 8)
"""The buffers with other numbers of flows or distances."""

QUEUES = {"CoDel": "codel", "PIE": "pie", "FQ-CoDel": "fq_codel", "DualPI2": "dualpi2"}
"""Kind of each queue other than tail drop; its buffer holds four bandwidth-delay products."""

NUMBERS = (1, 2, 4, 8, 16)
"""Numbers of CUBIC flows against one BBR flow."""

MODELLED = (2, 4, 8, 16, 32, 64)
"""Buffers for which Ware et al. (IMC 2019) model the share of BBR."""

KERNEL = {33: 94.0, 67: 91.4, 133: 64.2, 267: 44.6, 1067: 15.4}
"""Share in per cent of one BBR flow of Linux 6.18 beside one CUBIC flow, on a link of 20 Mb/s with a round-trip time of
40 ms, by packets of the buffer: means of five runs of the kernel."""

PAIRS = tuple(combinations_with_replacement(LAWS, 2))
ORDERED = tuple(permutations(LAWS, 2))


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows of one law: their number, and the delay of their access links in ms."""

    law: str
    count: int = 1
    access: int = 10

    def clients(self, name: str) -> dict[str, Any]:
        """Return the group of clients."""
        return {
            "name": name,
            "count": self.count,
            "spread": "1 s",
            "access": {"rate": "1 Gbps", "delay": f"{self.access} ms"},
            "transport": {"kind": "tcp", "variant": LAWS[self.law], "max_window": 4000},
            "source": {"kind": "greedy"},
        }


def parts() -> list[Part]:
    """Return all parts. Coordinates: the laws, the buffer in bandwidth-delay products or the queue, and numbers."""
    return [
        Part(name=name, spots=list(spots), take=flows)
        for name, spots in {
            "alone": (_spot({"law": law, "BDP": at}, at, Flows(law)) for law in LAWS for at in BUFFERS),
            "buffers": (
                _spot({"first": one, "second": two, "BDP": at}, at, Flows(one), Flows(two))
                for one, two in PAIRS
                for at in BUFFERS
            ),
            "queues": (
                _spot({"first": one, "second": two, "queue": name}, name, Flows(one), Flows(two))
                for one, two in PAIRS
                for name in QUEUES
            ),
            "one to five": (
                _spot({"first": one, "second": two, "BDP": at}, at, Flows(one), Flows(two, 5))
                for one, two in ORDERED
                for at in TWO
            ),
            "five to five": (
                _spot({"first": one, "second": two, "BDP": at}, at, Flows(one, 5), Flows(two, 5))
                for one, two in PAIRS
                for at in TWO
            ),
            "distance": (
                _spot({"first": one, "second": two, "BDP": at}, at, Flows(one), Flows(two, access=50))
                for one, two in (*ORDERED, *((law, law) for law in LAWS))
                for at in TWO
            ),
            "model": (
                _spot({"BDP": at}, at, Flows("BBR"), Flows("CUBIC"), **{"measure.from": "0 s"}) for at in MODELLED
            ),
            "crowd": (_spot({"CUBIC flows": number}, 32, Flows("BBR"), Flows("CUBIC", number)) for number in NUMBERS),
            "kernel": (_kernel(packets) for packets in KERNEL),
            "six": (_spot({"law": law, "BDP": at}, at, Flows(law, 6)) for law in ("BBR", "CUBIC") for at in (0.8, 8)),
        }.items()
    ]


def _spot(where: Mapping[str, Scalar], queue: float | str, *groups: Flows, **fields: Any) -> Spot:
    """Make a point with a queue, or with tail drop and a buffer of this many bandwidth-delay products."""
    kind, buffer = (QUEUES[queue], 4.0) if isinstance(queue, str) else ("droptail", queue)
    names = ("first", "second")[: len(groups)]
    scenario = DEFINITION.scenario(
        "base",
        **{
            "dumbbell.bottleneck.queue": {"kind": kind, "packets": round(buffer * PRODUCT)},
            "clients": [flow.clients(name) for name, flow in zip(names, groups, strict=True)],
            **fields,
        },
    )
    return Spot(where=where, scenario=scenario)


def _kernel(packets: int) -> Spot:
    """Make a point with a link of 20 Mb/s and a buffer in packets."""
    spot = _spot({"packets": packets}, packets / PRODUCT, Flows("BBR"), Flows("CUBIC"))
    fields = {"dumbbell.bottleneck.rate": "20 Mbps", "measure.from": "10 s", "duration": "60 s"}
    return Spot(where=spot.where, scenario=spot.scenario.changed(fields))


def both_ways(runs: Runs) -> Runs:
    """Add the parts `shares` and `harm`, with the laws of each pair in both orders, from one against one."""
    solo = {
        (row.where["law"], row.where["BDP"], row.seed): row.values["first_goodput"]
        for row in runs.parts.get("alone", ())
    }
    shares, harm = [], []
    for row in _turned(runs.parts.get("buffers", ())):
        shares.append(row)
        alone = solo[row.where["second"], row.where["BDP"], row.seed]
        values = {"harm": 100 * (alone - row.values["second_goodput"]) / alone}
        harm.append(Run(where=row.where, seed=row.seed, values=values))
    queues = _turned(runs.parts.get("queues", ()))
    return Runs({**runs.parts, "shares": shares, "harm": harm, "shares by queue": list(queues)})


def _turned(rows: Iterable[Row]) -> Sequence[Run]:
    """Return runs, and runs of two different laws also with the laws exchanged."""
    turned = []
    for row in rows:
        where, values = dict(row.where), dict(row.values)
        turned.append(Run(where=where, seed=row.seed, values=values))
        if where["first"] != where["second"]:
            swapped = {
                "first_goodput": values["second_goodput"],
                "second_goodput": values["first_goodput"],
                "share": 100 - values["share"],
                "total": 100 - values["total"],
            }
            turned.append(
                Run(
                    where={**where, "first": where["second"], "second": where["first"]},
                    seed=row.seed,
                    values={**values, **swapped},
                )
            )
    return turned
