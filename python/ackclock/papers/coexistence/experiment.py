"""The runs of the study: pairs of laws by buffer, queue, number of flows and distance, and each law alone."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

from ackclock.papers.coexistence.measures import flows
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Row, Run, Runs, Scalar
from ackclock.papers.core.parts import Part, Spot

DEFINITION = Definition("ackclock.papers.coexistence")

LAWS = {
    "Reno": "reno",
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

FOUR = (0.25, 1, 8, 32)
"""The buffers with other numbers of flows."""

QUEUES = {"CoDel": "codel", "PIE": "pie", "FQ-CoDel": "fq_codel", "DualPI2": "dualpi2"}
"""Kind of each queue other than tail drop."""

ACTIVE = 4
"""Buffer of these queues in bandwidth-delay products: long enough that the discipline alone decides."""

FAR = 50
"""Delay in ms of the access links of a distant flow, whose round-trip time is 120 ms instead of 40 ms."""

NUMBERS = (1, 2, 4, 8, 16)
"""Numbers of CUBIC flows against one BBR flow."""

MODELLED = (2, 4, 8, 16, 32, 64)
"""Buffers for which Ware et al. (IMC 2019) model the share of BBR."""

KERNEL = {33: 94.0, 67: 91.4, 133: 64.2, 267: 44.6, 1067: 15.4}
"""Share in per cent of one BBR flow of Linux 6.18 beside one CUBIC flow, on a link of 20 Mb/s with a round-trip time of
40 ms, by packets of the buffer: means of five runs of the kernel."""

PAIRS = tuple(combinations_with_replacement(LAWS, 2))
DIFFERENT = tuple(combinations(LAWS, 2))
ORDERED = tuple(permutations(LAWS, 2))
ALL = tuple(product(LAWS, LAWS))

_WHOLE: dict[str, Any] = {"measure.from": "0 s"}


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
            "transport": {"kind": "tcp", "variant": LAWS[self.law], "recovery": "rack", "max_window": 4000},
            "source": {"kind": "greedy"},
        }


@functools.cache
def parts() -> Sequence[Part]:
    """Return all parts. Coordinates: the laws, the buffer in bandwidth-delay products or the queue, and numbers.

    All combinations would take more than an hour of CPU time with five seeds, but ten minutes are enough for a study.
    Three axes are therefore thinned. Queues other than tail drop have one buffer, and a second one for one
    against one: their target limits the queue, not the buffer. Other numbers of flows, which take three to five times
    as long, have four buffers of tail drop instead of eight. Numbers and distances change together only for five
    against five with one buffer.
    """
    return [
        Part(name=name, spots=list(spots), take=flows)
        for name, spots in {
            "alone": (_spot({"law": law, "BDP": at}, at, Flows(law)) for law in LAWS for at in BUFFERS),
            "buffers": _grid(PAIRS, BUFFERS),
            "one to five": _grid(ORDERED, FOUR, others=5),
            "five to five": _grid(PAIRS, FOUR, ours=5, others=5),
            "distance": _grid(ALL, BUFFERS, access=FAR),
            "distance, five to five": _grid(ALL, (1,), ours=5, others=5, access=FAR),
            "queues": _grid(PAIRS, QUEUES),
            "queues, 1 BDP": _grid(PAIRS, QUEUES, buffer=1),
            "queues, one to five": _grid(ORDERED, QUEUES, others=5),
            "queues, five to five": _grid(DIFFERENT, QUEUES, ours=5, others=5),
            "queues, distance": _grid(ALL, QUEUES, access=FAR),
            "model": (_spot({"BDP": at}, at, Flows("BBR"), Flows("CUBIC"), **_WHOLE) for at in MODELLED),
            "crowd": (_spot({"CUBIC flows": number}, 32, Flows("BBR"), Flows("CUBIC", number)) for number in NUMBERS),
            "kernel": (_kernel(packets) for packets in KERNEL),
            "six": (_spot({"law": law, "BDP": at}, at, Flows(law, 6)) for law in ("BBR", "CUBIC") for at in (0.8, 8)),
        }.items()
    ]


def _grid(
    pairs: Iterable[tuple[str, str]],
    queues: Iterable[float | str],
    *,
    ours: int = 1,
    others: int = 1,
    access: int = 10,
    buffer: float = ACTIVE,
) -> list[Spot]:
    """Make the points of some pairs with some queues; `others` and `access` describe the flows of the second law."""
    return [
        _spot(
            {"first": one, "second": two, "queue" if isinstance(queue, str) else "BDP": queue},
            queue,
            Flows(one, ours),
            Flows(two, others, access),
            buffer=buffer,
        )
        for one, two in pairs
        for queue in queues
    ]


def _spot(
    where: Mapping[str, Scalar], queue: float | str, *groups: Flows, buffer: float = ACTIVE, **fields: Any
) -> Spot:
    """Make a point with a queue of `QUEUES`, or with tail drop and a buffer of this many bandwidth-delay products."""
    kind, buffer = (QUEUES[queue], buffer) if isinstance(queue, str) else ("droptail", queue)
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
