"""The background alone at different loads, as it arrives at the bottleneck and as it leaves it.

The paper names the Hurst parameter with respect to load as an aim of its simulations, but prints no result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import cov
from ackclock.papers.core.measures import Profile
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.selfsimilar.experiment import (
    BOTTLENECK,
    DEFINITION,
    DURATION,
    SETTLED,
    SOURCES,
    background,
    binned,
)
from ackclock.papers.selfsimilar.traffic import BINS, SHAPE, STEP, hurst, hursts
from ackclock.scenario import OnOff, Pareto, Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run

LOADS: Final = (5, 10, 20, 30, 40, 50, 60, 80, 95)
"""Numbers of on/off sources; each uses 1 % of the bottleneck on average."""

USUAL, SMALL, CARRIED = "UDP", "210 bytes", "TCP"
OTHERS: Final[Mapping[str, int]] = {SMALL: 25, CARRIED: SOURCES}
"""Other backgrounds with their numbers of sources: packets of ns-2's default size, and sources over TCP."""

_SIZES: Final[Mapping[str, int]] = {USUAL: 1000, SMALL: 210, CARRIED: 1040}  # bytes of a packet, header included
_BITS: Final = 1_000_000  # bit/s of a source while it is on


def load_parts() -> list[Part]:
    """Return the runs of the background alone: `USUAL` at each of `LOADS`, and `OTHERS`."""
    places = [*((USUAL, count) for count in LOADS), *OTHERS.items()]
    spots = [
        Spot(where={"background": name, "sources": count}, scenario=load_scenario(name, count))
        for name, count in places
    ]
    return [
        Part(name="loads", spots=some, take=of_background, record=(f"arrivals@{links}/{1000 * STEP:g}ms",))
        for some, links in ((spots[:-1], "A->B,B->y"), (spots[-1:], "bottleneck"))
    ]


def load_scenario(name: str, sources: int) -> Scenario:
    """Return the network with one kind of background."""
    if name == CARRIED:
        return _by_tcp(sources)
    size = _SIZES[name]
    # The sources send to y: arrivals at the faster link B->y are the packets that leave the bottleneck.
    return background(sources).changed(
        {"flows.0.to": "y", "flows.0.packet_size": size, "flows.0.source.rate": _BITS / (8 * size)}
    )


def _by_tcp(sources: int) -> Scenario:
    """Return the network in which each source uses Tahoe with a window of 20 packets and has its own access link."""
    period = Pareto(mean="500 ms", shape=SHAPE)
    source = OnOff(rate=_BITS / 8000, on=period, off=period)
    return Scenario.from_dict(DEFINITION.table("by_tcp")).changed(
        {"clients.0.count": sources, "clients.0.source": source}
    )


def of_background(run: Run) -> Taken:
    """Take the offered ``load`` as a share of the link's rate, the ``loss``, and `hursts` and ``cov`` of the arrivals.

    Names that begin with ``out`` are for the packets that leave the bottleneck, which are not measured for TCP.
    """
    table, size = run.table("arrivals"), (run.scenario.flows or run.scenario.clients)[0].packet_size or 0
    link, packets = np.asarray(table["link"].to_pylist()), table["packets"].to_numpy()
    found: dict[str, float | None] = {
        "load": run.summary.arrivals * size * 8 / (BOTTLENECK * DURATION),
        "loss": run.summary.loss,
    }
    for prefix, name in ({"": "A->B", "out ": "B->y"} if run.scenario.flows else {"": "bottleneck"}).items():
        counts = np.asarray(packets[link == name][round(SETTLED / STEP) :], dtype=np.int64)
        found |= hursts(counts, prefix=prefix)
        found |= {f"{prefix}cov {scale:g}": cov(binned(counts, round(scale / STEP))) for scale in BINS}
    return found


def _cov(name: str, prefix: str) -> Profile:
    return Profile(
        name=name,
        label="c.o.v.",
        digits=3,
        axes={"bin": BINS},
        of=lambda row: [row.values.get(f"{prefix}cov {scale:g}") for scale in BINS],
    )


LOSS = DEFINITION.measure("loss_percent", of=lambda run: None if (loss := run.values["loss"]) is None else 100 * loss)
H_OUT = hurst("h_out", "H after the bottleneck", "out ")
COV_IN, COV_OUT = _cov("cov", ""), _cov("cov_out", "out ")
