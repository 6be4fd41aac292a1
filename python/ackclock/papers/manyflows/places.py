"""The points of the study, part by part, with ns-2's runs of them.

They are the settings of the paper's figures, and choices that it leaves open. `data/README.md` describes ns-2's runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Named, Run, Runs, Scalar
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.experiment import (
    CAPACITIES,
    FLOWS,
    ISDN,
    LINKS,
    MODERN,
    PROFILE,
    T1,
    Bottleneck,
    Setting,
    grid_setting,
)

Cell = tuple[Mapping[str, Scalar], Setting]

DEFINITION = Definition("ackclock.papers.manyflows")

WITHOUT, WITH = "without processing times", "with processing times"
PROCESSING = {WITHOUT: 0.0, WITH: 0.1}  # longest processing time as a share of the RTT with a full buffer
TABLES = {WITHOUT: "Table 4", WITH: "Table 5"}
PAPER: Mapping[str, Mapping[str, tuple[float, float]]] = {
    WITHOUT: DEFINITION.table("table4"),
    WITH: DEFINITION.table("table5"),
}  # a and b of the paper's hyperbolas, by the curve
NEAR = 0.1  # the relative difference up to which a loss matches a formula or a curve of the paper
WINDOWS = {"T1": (50, 100), "ISDN": (500, 1000)}  # interval of the paper's figures, in s, and end of runs from 0 s


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A way of counting losses; the paper does not state how it counts them.

    Losses count after a warm-up if `steady`, otherwise from the start of the run. Connections start within `spread`,
    and timeouts grow up to `max_rto`.
    """

    title: str
    steady: bool = False
    spread: str = "1 s"
    max_rto: str = "64 s"

    def span(self, link: Bottleneck) -> tuple[int, int]:
        return (link.warm, link.duration) if self.steady else (0, WINDOWS[link.name][1])


# the way of later studies, the paper's most likely way, and two variants of it
STEADY = Reading(title="after a warm-up", steady=True)
CAPPED = Reading(title="from 0 s, timeouts up to 64 s")
UNCAPPED = Reading(title="from 0 s, timeouts without a limit", max_rto="100000 s")
TOGETHER = Reading(title="from 0 s, all start at once", spread="0 s")
READINGS = (STEADY, CAPPED, UNCAPPED, TOGETHER)

TABLED = tuple(flows for flows in FLOWS if flows >= 60)  # numbers of connections in fits, if W_c / 3 or more
FAR_PIPE = replace(T1, name="T1, 200 ms", pipe=160)  # T1 with a delay of 200 ms: Figure 11
BUFFERS, FAR = (20, 60, 110, 160, 260), (1, 2, 5, 10, 30, 100)  # buffers in packets, and connections
PACKETS_EACH = (4, 6)  # packets of buffer for each connection, in Figure 7
FEW = {100: (3, 4, 5, 6, 8, 10, 12, 16, 20), 300: (10, 15, 20, 25, 30, 35, 40, 50)}  # counts by W_c: Figures 13 and 21
AMOUNTS = (0.0, 0.02, 0.1, 0.3)  # longest processing times of Figure 16, in round trips with a full buffer
STARTS = {"all start at once": "0 s", "all start within a second": "1 s"}
MODERN_CAPACITIES = (100, 300, 500)  # W_c of the runs with the TCP of ns-2.35


def curve(link: Bottleneck, capacity: int) -> str:
    return f"{link.name}, W_c {capacity}"


# the curves of the grid, by the link
CURVES = {name: Named(name, [curve(link, capacity) for capacity in CAPACITIES]) for name, link in LINKS.items()}


def capacity_of(name: str) -> int:
    return int(name.rpartition(" ")[2])


def is_tabled(name: str, flows: int) -> bool:
    """Check whether the hyperbola of a curve is fitted to its point with `flows` connections."""
    return flows in TABLED and flows >= capacity_of(name) / 3


def printed(processing: str, name: str, connections: ArrayLike) -> NDArray[np.float64]:
    """Return the loss that the paper's hyperbola gives for numbers of connections."""
    a, b = PAPER[processing][name]
    x = np.asarray(connections, dtype=np.float64)
    return np.asarray(b * x / (x + a))


def _curves(points: Iterable[tuple[Bottleneck, int, int]], where: Mapping[str, Scalar], **setting: Any) -> list[Cell]:
    """Make points from link, W_c and connections; all share the coordinates `where` and the arguments `setting`."""
    return [
        (
            {**where, "curve": curve(link, capacity), "connections": flows},
            grid_setting(link, capacity, flows, **setting),
        )
        for link, capacity, flows in points
    ]


def _grid(reading: Reading, processing: str) -> list[Cell]:
    """Return all points of the grid for losses after a warm-up, otherwise only the points of the tables."""
    return [
        cell
        for link in LINKS.values()
        for cell in _curves(
            [
                (link, capacity, flows)
                for capacity in CAPACITIES
                for flows in FLOWS
                if reading.steady or is_tabled(curve(link, capacity), flows)
            ],
            {"counting": reading.title, "processing": processing},
            fraction=PROCESSING[processing],
            span=reading.span(link),
            spread=reading.spread,
            max_rto=reading.max_rto,
        )
    ]


PARTS: Mapping[str, list[Cell]] = {
    "grid": [cell for reading in READINGS for processing in PROCESSING for cell in _grid(reading, processing)],
    # Figure 7: the buffer grows with the connections
    "predicted": [
        ({"curve": f"B = {each} n", "connections": flows}, grid_setting(T1, each * flows + T1.pipe, flows))
        for each in PACKETS_EACH
        for flows in (10, 20, 40, *TABLED[:5])
    ],
    # Figures 11 (a) and 19
    "far": [
        (
            {"processing": processing, "buffer": buffer, "connections": flows},
            grid_setting(FAR_PIPE, buffer + FAR_PIPE.pipe, flows, fraction=fraction, span=(100, 250), delay=200),
        )
        for processing, fraction in PROCESSING.items()
        for buffer in BUFFERS
        for flows in FAR
    ],
    # Figures 13 and 21
    "few": [
        cell
        for processing, fraction in PROCESSING.items()
        for cell in _curves(
            [(T1, capacity, flows) for capacity, counts in FEW.items() for flows in counts],
            {"processing": processing},
            fraction=fraction,
        )
    ],
    # Figure 16: four packets of buffer for each connection
    "amounts": [
        (
            {"amount": f"{100 * fraction:g} %", "connections": flows},
            grid_setting(T1, 4 * flows + T1.pipe, flows, fraction=fraction),
        )
        for fraction in AMOUNTS
        for flows in (20, 60, 100, 150)
    ],
    # connections shut off in the interval that the paper shows, with more connections than W_c
    "starts": [
        cell
        for start, spread in STARTS.items()
        for processing, fraction in PROCESSING.items()
        for cell in _curves(
            [*((T1, 100, flows) for flows in (150, 200, 300, 450, 600)), (T1, 200, 300)],
            {"start": start, "processing": processing},
            fraction=fraction,
            span=WINDOWS["T1"],
            spread=spread,
        )
    ],
    "modern": _curves(
        [
            (link, capacity, flows)
            for link in (T1, ISDN)
            for capacity in MODERN_CAPACITIES
            for flows in (20, 100, 300, 600)
        ],
        {},
        profile=MODERN,
    ),
}


def from_ns2() -> Runs:
    kept = ns2_runs("manyflows")
    looks = {name: kept.part(name) for name in ("looks", "padhye", "figure23")}
    return Runs({**{name: _known(cells) for name, cells in PARTS.items()}, **looks})


def setting_of(where: Mapping[str, Scalar], *, profile: str = PROFILE) -> Setting:
    """Return the setting of a run of ns-2; without processing times, our link is detuned."""
    delay = int(where["delay"])
    return grid_setting(
        LINKS[str(where["link"])] if delay == 50 else FAR_PIPE,
        int(where["capacity"]),
        int(where["connections"]),
        fraction=float(where["overhead"]) / 100,
        span=(int(where["begin"]), int(where["end"])),
        spread=f"{where['spread']} s",
        max_rto=f"{where['max_rto']} s",
        delay=delay,
        profile=profile,
    )


def _known(cells: Sequence[Cell]) -> list[Run]:
    """Return ns-2's run of each setting, without the settings that it did not run.

    Points that ns-2 measured over a longer interval count as the same points.
    """
    found: dict[Setting, dict[str, Any]] = {}
    for part, profile in (("grid", PROFILE), ("whole", PROFILE), ("special", PROFILE), ("modern", MODERN)):
        for row in ns2_runs("manyflows").part(part):
            found.setdefault(_key(setting_of(row.where, profile=profile)), {}).update(row.values)
    known = [(where, found.get(_key(setting))) for where, setting in cells]
    return [Run(where=where, seed=1, values=values) for where, values in known if values]


def _key(setting: Setting) -> Setting:
    """Remove the fields that do not distinguish points: the measured interval and the breaking of ties."""
    shown = (setting.warm, setting.duration) == WINDOWS[setting.link.name.partition(",")[0]]
    return replace(
        setting, duration=0, warm=2 if shown else min(setting.warm, 1), detuned=0, overhead=round(setting.overhead, 6)
    )
