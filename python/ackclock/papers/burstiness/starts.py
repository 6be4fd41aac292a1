"""How a client starts: what its source generates, what TCP lets out, and in what bursts.

A source draws from a stream of its own, whatever the transport does: the packets that it generates are those that the
same client sends over UDP with the same seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.experiment import BY_NAME, client_packets, scenario
from ackclock.papers.observation import Observation
from ackclock.study import Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.running.run import Run
    from ackclock.study import Replication

    _Taken = tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]

__all__ = ["BURST", "starts_wanted"]

_VARIANT = "Reno"
_SECONDS = 1
_CLIENTS = 20

BURST = 0.02
"""Seconds within which packets of a client count as one burst: a fifth of a round trip."""


def starts_wanted(*, seeds: Sequence[int]) -> Wanted[_Taken, list[Observation]]:
    """Ask for the first second of 20 Reno clients.

    Parameters
    ----------
    seeds
        The seeds that it is run with.

    Returns
    -------
    Wanted
        For observations with `backlog`, the packets that wait in a client to be sent for the first time, at most, on
        average over the clients; and `burst`, the packets that a client sends within `BURST`, at most, likewise.

    """
    short = {"duration": f"{_SECONDS} s"}
    return Wanted(
        points=[
            Point(name=f"the start of {name}", scenario=scenario(BY_NAME[name], _CLIENTS).changed(short))
            for name in ("UDP", _VARIANT)
        ],
        seeds=seeds,
        take=_take,
        record=[client_packets(_CLIENTS)],
        make=_observations,
    )


def _observations(runs: Sequence[Replication[_Taken]]) -> list[Observation]:
    """Hold what Reno sends against what UDP sends with the same seed: that is what the sources generate."""
    seeds = len(runs) // 2
    return [
        Observation(
            variant=_VARIANT,
            clients=_CLIENTS,
            seed=sent.seed,
            values={
                "backlog": _mean_over_clients(_backlog, generated.value[0], sent.value[0]),
                "burst": _mean_over_clients(_burst, sent.value[1]),
            },
        )
        for generated, sent in zip(runs[:seeds], runs[seeds:], strict=True)
    ]


def _take(run: Run) -> _Taken:
    """Take when each client sent each packet for the first time, and when it sent any."""
    packets = run.table("packets").to_pandas()
    sent = packets[(packets["event"] == "enqueue") & (packets["kind"] == "data")]
    first = sent[~sent["retransmission"]]
    by_client = [
        [rows.loc[rows["flow"] == flow, "time"].to_numpy() for flow in range(_CLIENTS)] for rows in (first, sent)
    ]
    return by_client[0], by_client[1]


def _mean_over_clients(measure: Callable[..., float], *columns: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([measure(*client) for client in zip(*columns, strict=True)]))


def _backlog(generated: NDArray[np.float64], sent: NDArray[np.float64]) -> float:
    """Give the most packets that wait at any moment: it is one at which a packet is generated."""
    gone = np.searchsorted(sent, generated, side="right")
    return float((np.arange(1, generated.size + 1) - gone).max(initial=0))


def _burst(sent: NDArray[np.float64]) -> float:
    return float((np.searchsorted(sent, sent + BURST, side="right") - np.arange(sent.size)).max(initial=0))
