"""The paper's stochastic model of Reno, which Figure 13 compares with simulated Reno."""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.analysis.models import stochastic_reno
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, BOTTLENECK_RATE, CLIENTS, PACKET_SIZE, RATE
from ackclock.papers.core.evidence import Run

SMALL, OPEN = "Model, W = 1", "Model, W = 20"
"""Names of the model with two initial windows, as after a timeout and fully open; the paper prints none."""

_START = {SMALL: 1.0, OPEN: 20.0}
_BUFFER = 50
_REPLICATIONS = 10


def model_runs(counts: Sequence[int] = CLIENTS, *, replications: int = _REPLICATIONS) -> list[Run]:
    """Run the model with the paper's parameters and omit its first 20 s; replications are numbered as seeds."""
    interval = ARRIVALS_PER_RTT / RATE
    return [
        Run(where={"variant": name, "clients": clients}, seed=place, values={"cov": float(value)})
        for name, window in _START.items()
        for clients in counts
        for place, value in enumerate(
            stochastic_reno(
                clients=clients,
                rate=RATE,
                interval=interval,
                capacity=BOTTLENECK_RATE / (8 * PACKET_SIZE),
                buffer=_BUFFER,
                initial_window=window,
                replications=replications,
            ).cov,
            start=1,
        )
    ]
