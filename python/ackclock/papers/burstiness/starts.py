"""How a client starts: what its source generates, what TCP lets out, and in what bursts.

A source draws from a stream of its own, whatever the transport does: the packets that it generates are those that the
same client sends over UDP with the same seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.core.evidence import Run as Observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row
    from ackclock.running.run import Run

BURST = 0.02
"""Seconds within which packets of a client count as one burst: a fifth of a round trip."""


def start(run: Run) -> Mapping[str, Any]:
    """Take when clients sent packets for the first time, and when they sent any, client after client."""
    packets = run.table("packets").to_pandas()
    sent = packets[(packets["event"] == "enqueue") & (packets["kind"] == "data")]
    taken: dict[str, Any] = {}
    for name, rows in (("first", sent[~sent["retransmission"]]), ("sent", sent)):
        ordered = rows.sort_values(["flow", "time"], kind="stable")
        taken |= {f"{name}_flow": ordered["flow"].to_numpy(), f"{name}_time": ordered["time"].to_numpy()}
    return taken


def starts(rows: Sequence[Row]) -> list[Row]:
    """Hold the packets that Reno sends against those that UDP sends with the same seed: the source generates these.

    Gives `backlog`, the most packets that wait in a client to be sent for the first time, and `burst`, the most packets
    that a client sends within `BURST`, both on average over the clients.
    """
    generated = {row.seed: _by_client(row, "first") for row in rows if row.where["variant"] == "UDP"}
    return [
        Observed(
            where=row.where,
            seed=row.seed,
            values={
                "backlog": _mean_over_clients(_backlog, generated[row.seed], _by_client(row, "first")),
                "burst": _mean_over_clients(_burst, _by_client(row, "sent")),
            },
        )
        for row in rows
        if row.where["variant"] != "UDP"
    ]


def _by_client(row: Row, name: str) -> list[NDArray[np.float64]]:
    flows, times = row.values[f"{name}_flow"], row.values[f"{name}_time"]
    return [times[flows == flow] for flow in range(int(row.where["clients"]))]


def _mean_over_clients(measure: Callable[..., float], *columns: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([measure(*client) for client in zip(*columns, strict=True)]))


def _backlog(generated: NDArray[np.float64], sent: NDArray[np.float64]) -> float:
    """Give the most packets that wait at any moment: it is one at which a packet is generated."""
    gone = np.searchsorted(sent, generated, side="right")
    return float((np.arange(1, generated.size + 1) - gone).max(initial=0))


def _burst(sent: NDArray[np.float64]) -> float:
    return float((np.searchsorted(sent, sent + BURST, side="right") - np.arange(sent.size)).max(initial=0))
