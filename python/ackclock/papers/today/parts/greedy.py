"""Runs of one connection over self-similar background traffic, after Salleh and Abu Bakar.

The network is that of the study `selfsimilar`: a link of 50 Mb/s with a buffer of ten packets, of which on/off sources
with Pareto periods use 38 %. Runs of all senders with the same seed have the same background. No queue marks packets,
so DCTCP is left out, as in `many`. `Reno of 2000` is the sender that the paper recommends, ns-2's NewReno, whose
advertised window never limits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ackclock.analysis import cov, hurst
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.selfsimilar.experiment import (
    BOTTLENECK,
    CONSTANT,
    DURATION,
    ENDS,
    GREEDY,
    Reading,
    efficiency,
    flow_counts,
)
from ackclock.papers.selfsimilar.experiment import Setting as Before
from ackclock.papers.selfsimilar.experiment import scenario as before
from ackclock.papers.today.parts.many import BITS
from ackclock.papers.today.senders import SENDERS, THEN, UNMARKED
from ackclock.running.run import Run
from ackclock.scenario import Scenario

NONE: Final = "as it is"
"""The change of runs in which no setting is changed."""

SETTINGS: Final = ("buffer", "ACK frequency")
"""Settings that other runs change: a buffer of a bandwidth-delay product; an ACK for each packet."""

LONG: Final = 2000
"""Seconds of the runs for Hurst parameters, which are counted in bins of 1 s."""

FLAT: Final = 0.01
"""C.o.v. of the packets in a second below which a rate counts as constant, without any dependence."""

AGREE: Final = 0.1
"""Largest difference of two estimates of a Hurst parameter that agree."""

INDEPENDENT: Final = 0.5
"""The Hurst parameter of independent numbers."""

_PIPE: Final = 469  # packets of 1000 bytes: 50 Mb/s for 75 ms
_PACKET: Final = 1040  # bytes on the wire
_SETTLED: Final = 5  # seconds at the start that Hurst parameters leave out
_CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    NONE: {},
    "buffer": {"links.1.queue.packets": _PIPE},
    "ACK frequency": {"flows.1.transport.delayed_ack": False},
}


def scenario(sender: str, reading: Reading, change: str = NONE) -> Scenario:
    """Make the paper's network with a connection of one sender."""
    made = before(Before(reading=reading, variant="newreno"))
    if sender == THEN.name:
        return made.changed(_CHANGES[change])
    chosen = SENDERS[sender]
    changes = {"profile": chosen.profile, "flows.1.transport": chosen.transport, **_CHANGES[change]}
    return made.changed(changes)


def counts(run: Run) -> Taken:
    """Return the throughput in bit/s, the paper's efficiency, and the connection's loss."""
    found, flow = flow_counts(run), run.summary.groups["flow"]
    return {
        "throughput_bps": found["arrivals"] * 8 * _PACKET / DURATION,
        "efficiency": efficiency(found),
        "loss": flow.loss or 0.0,
    }


def memory(run: Run) -> Taken:
    """Estimate the Hurst parameter of the packets that the receiver's link gets in each second.

    It is 0.5, that of independent numbers, if the c.o.v. is below `FLAT`: the rate arrives unchanged.
    """
    packets = run.table("arrivals")["packets"].to_numpy()[_SETTLED:]
    if cov(packets) < FLAT:
        return {"wavelets": None, "whittle": None, "hurst": INDEPENDENT, "cov_of_seconds": cov(packets)}
    found = {each.method: each.h for each in hurst(packets).estimates}
    wavelets, whittle = (found.get(method) for method in ("abry_veitch", "local_whittle"))
    return {
        "wavelets": wavelets,
        "whittle": whittle,
        "hurst": agreed(wavelets, whittle),
        "cov_of_seconds": cov(packets),
    }


def agreed(wavelets: float | None, whittle: float | None) -> float | None:
    """Return the mean of two estimates that agree and are possible (above 0 and at most 1), or else None.

    Examples
    --------
    >>> agreed(0.75, 0.85)
    0.8
    >>> agreed(0.6, 0.9), agreed(1.1, 1.05), agreed(-0.5, -0.5), agreed(None, 0.8)
    (None, None, None, None)

    """
    if wavelets is None or whittle is None or abs(wavelets - whittle) > AGREE + 1e-9:
        return None
    mean = float(np.mean((wavelets, whittle)))
    return mean if 0 < mean <= 1 else None


def parts() -> list[Part]:
    """Return the parts."""
    return [
        Part(
            name="self-similar",
            spots=[
                Spot(where={"sender": each, "change": change}, scenario=scenario(each, GREEDY, change))
                for each in UNMARKED
                for change in (NONE, *SETTINGS)
            ],
            take=counts,
            record=(ENDS,),
            work=lambda _: DURATION * BOTTLENECK / BITS,
        ),
        Part(
            name="memory",
            spots=[
                Spot(
                    where={"sender": each, "application": reading.name},
                    scenario=scenario(each, reading).changed({"duration": f"{LONG} s"}),
                )
                for each in UNMARKED
                for reading in (CONSTANT, GREEDY)
            ],
            take=memory,
            record=("arrivals@B->y/1s",),
            work=lambda _: LONG * BOTTLENECK / BITS,
        ),
    ]
