"""The Hurst parameter of the background with respect to load: at the bottleneck, and behind its ten packets of buffer.

The paper names this as an aim of its simulations and prints nothing of it.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import cov
from ackclock.papers.observation import Observation, observations_wanted
from ackclock.papers.selfsimilar.experiment import BOTTLENECK, DURATION, SETTLED, SOURCES, background, binned
from ackclock.papers.selfsimilar.traffic import BINS, SHAPE, STEP, hursts
from ackclock.scenario import Clients, DropTail, Dumbbell, Link, OnOff, Pareto, Scenario, Tcp
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.running.run import Run
    from ackclock.study import Batch

__all__ = ["CARRIED", "LOADS", "OTHERS", "SMALL", "USUAL", "gather_loads", "ns2_loads"]

LOADS: Final = (5, 10, 20, 30, 40, 50, 60, 80, 95)
"""On/off sources: in the long run each takes a hundredth of the bottleneck."""

USUAL, SMALL, CARRIED = "UDP", "210 bytes", "TCP"

OTHERS: Final[Mapping[str, int]] = {SMALL: 25, CARRIED: SOURCES}
"""What the paper leaves open, and how many sources: packets of ns-2's usual size, and TCP to carry them."""

_SIZES: Final[Mapping[str, int]] = {USUAL: 1000, SMALL: 210, CARRIED: 1040}
"""Bytes of a packet, header included."""

_BITS: Final = 1_000_000
"""Of a source while it is on, per second."""


def gather_loads(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], list[Observation]]:
    """Ask for the background alone: `USUAL` at every number of `LOADS`, and `OTHERS`.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.

    Returns
    -------
    Callable
        Gives observations once the batch has run. ``load`` is the part of the link's rate that comes to it, ``loss``
        the part of its packets that is dropped. What `hursts` finds in the arrivals at the bottleneck has its names;
        ``cov <bin>`` is their coefficient of variation. Names that begin with ``out`` tell the same of the packets
        that leave the bottleneck, except for TCP.

    """
    graph = [*((USUAL, sources) for sources in LOADS), (SMALL, OTHERS[SMALL])]
    parts = [
        _asked(batch, graph, {"": "A->B", "out ": "B->y"}, seeds),
        _asked(batch, [(CARRIED, OTHERS[CARRIED])], {"": "bottleneck"}, seeds),
    ]
    return lambda: [run for part in parts for run in part()]


def _asked(
    batch: Batch, cells: Sequence[tuple[str, int]], links: Mapping[str, str], seeds: Sequence[int]
) -> Callable[[], list[Observation]]:
    return batch.add(
        observations_wanted(
            cells,
            where=lambda cell: cell,
            point=_point,
            seeds=seeds,
            take=lambda run: _take(run, links),
            record=(f"arrivals@{','.join(links.values())}/{1000 * STEP:g}ms",),
        )
    )


def _point(cell: tuple[str, int]) -> Point:
    variant, sources = cell
    if variant == CARRIED:
        scenario = _by_tcp(sources)
    else:
        size = _SIZES[variant]
        # on to y, over a link that is twice as fast: what comes to it has left the bottleneck
        scenario = background(sources).changed(
            {"flows.0.to": "y", "flows.0.packet_size": size, "flows.0.source.rate": _BITS / (8 * size)}
        )
    return Point(name=f"background, {variant}, {sources} sources", scenario=scenario, work=sources / _SIZES[variant])


def _by_tcp(sources: int) -> Scenario:
    """Give the network in which Tahoe with a window of 20 carries each source, over an access link of its own."""
    period = Pareto(mean="500 ms", shape=SHAPE)
    return Scenario(
        profile="ns2-2.35",
        duration=f"{DURATION} s",
        dumbbell=Dumbbell(
            access=Link(rate="100 Mbps", delay="10 ms"),
            bottleneck=Link(rate=f"{BOTTLENECK} bps", delay="27.5 ms", queue=DropTail(packets=10, ties="arrival")),
        ),
        clients=[
            Clients(
                count=sources,
                packet_size=_SIZES[CARRIED],
                spread="1 s",
                transport=Tcp("tahoe", max_window=20, clock="1 ms"),
                source=OnOff(rate=_BITS / 8000, on=period, off=period),
            )
        ],
    )


def _take(run: Run, links: Mapping[str, str]) -> dict[str, float | None]:
    table, size = run.table("arrivals"), (run.scenario.flows or run.scenario.clients)[0].packet_size or 0
    link, packets = np.asarray(table["link"].to_pylist()), table["packets"].to_numpy()
    found: dict[str, float | None] = {
        "load": run.summary.arrivals * size * 8 / (BOTTLENECK * DURATION),
        "loss": run.summary.loss,
    }
    for prefix, name in links.items():
        counts = np.asarray(packets[link == name][round(SETTLED / STEP) :], dtype=np.int64)
        found |= hursts(counts, prefix=prefix)
        found |= {f"{prefix}cov {scale:g}": cov(binned(counts, round(scale / STEP))) for scale in BINS}
    return found


def ns2_loads() -> list[Observation]:
    """Read what ns-2 measured of the same, of arrivals at the bottleneck; `data/README.md` tells how."""
    text = files("ackclock.papers.selfsimilar").joinpath("data", "loads.csv").read_text(encoding="utf-8")
    return [
        Observation(
            variant=row.pop("variant"),
            clients=int(row.pop("sources")),
            seed=int(row.pop("seed")),
            values={name: float(value) if value else None for name, value in row.items()},
        )
        for row in csv.DictReader(text.splitlines())
    ]
