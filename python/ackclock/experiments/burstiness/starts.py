"""How a client starts: what its source generates, what TCP lets out, and in what bursts.

A source draws from a stream of its own, whatever the transport does: the packets that it generates are those that the
same client sends over UDP with the same seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.experiment import BY_NAME, Observation, scenario
from ackclock.sweep import Point, run_grid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.run import Run

__all__ = ["BURST", "observe_starts"]

_SECONDS = 1
_CLIENTS = 20

BURST = 0.02
"""Seconds within which packets of a client count as one burst: a fifth of a round trip."""


def observe_starts(*, seeds: Sequence[int], jobs: int | None = None) -> list[Observation]:
    """Watch the first second of 20 Reno clients.

    Parameters
    ----------
    seeds
        The seeds that it is run with.
    jobs
        How many runs at once; one for each processor by default.

    Returns
    -------
    list of Observation
        With `backlog`, the packets that wait in a client to be sent for the first time, at most, on average over the
        clients; and `burst`, the packets that a client sends within `BURST`, at most, likewise.

    """
    udp, reno = BY_NAME["UDP"], BY_NAME["Reno"]
    short = {"duration": f"{_SECONDS} s"}
    points = [
        Point(name=f"the start of {variant.name}", scenario=scenario(variant, _CLIENTS).changed(short))
        for variant in (udp, reno)
    ]
    record = [f"packets@{','.join(f'access.{client}' for client in range(_CLIENTS))}"]
    runs = run_grid(points, seeds=seeds, take=_take, record=record, jobs=jobs, label="the start")
    return [
        Observation(
            variant=reno.name,
            clients=_CLIENTS,
            seed=sent.seed,
            values={
                "backlog": _mean_over_clients(_backlog, generated.value[0], sent.value[0]),
                "burst": _mean_over_clients(_burst, sent.value[1]),
            },
        )
        for generated, sent in zip(runs[: len(seeds)], runs[len(seeds) :], strict=True)
    ]


def _take(run: Run) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
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
