"""The stochastic TCP Reno model of the heterogeneous-cluster paper: in each round trip all or no windows are halved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import refuse_below, refuse_unless_positive

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StochasticReno", "stochastic_reno"]


@dataclass(frozen=True, kw_only=True, slots=True)
class StochasticReno:
    """Traffic of the model at the gateway, with one value per replication.

    Parameters
    ----------
    gamma
        Largest number of packets in an interval without congestion.
    cov
        Coefficient of variation of the packets per interval.
    mean
        Mean packets per interval.
    cuts
        Share of the intervals whose packets exceeded `gamma`, so that all windows were halved.
    poisson_cov
        Coefficient of variation of the packets that the applications generate per interval.

    """

    gamma: float
    cov: NDArray[np.float64]
    mean: NDArray[np.float64]
    cuts: NDArray[np.float64]
    poisson_cov: float


def stochastic_reno(
    *,
    clients: int,
    rate: float,
    interval: float,
    capacity: float,
    buffer: float,
    initial_window: float = 1.0,
    max_window: float | None = None,
    intervals: int = 2000,
    warmup: int = 200,
    replications: int = 40,
    seed: int = 1,
) -> StochasticReno:
    r"""Run the paper's model of Reno clients with Poisson traffic that share a bottleneck.

    Parameters
    ----------
    clients
        Number of clients.
    rate
        Packets per second that each client's application generates (λ).
    interval
        Length of a step, in seconds: the round-trip propagation delay (τ).
    capacity
        Capacity of the bottleneck, packets per second (μ / 8P).
    buffer
        Capacity of the gateway's buffer, in packets (B).
    initial_window
        Initial congestion window of every client, in packets.
    max_window
        Largest window, in packets: the advertised window. The paper has no such bound.
    intervals
        Number of measured steps.
    warmup
        Number of steps before the measurement.
    replications
        Number of independent repetitions.
    seed
        Random seed.

    Returns
    -------
    StochasticReno
        The results of each replication.

    Raises
    ------
    ValueError
        A number is out of its range; the message names the argument.

    Notes
    -----
    Feng and Tinnakornsrisuphap, "The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing
    Systems" (ICPP 2000), equations (1) to (4). In each interval client i generates X packets, Poisson-distributed with
    mean λτ. It sends Y = min(X + V, W) and keeps the backlog V' = X + V - Y (1, 2). Its window grows to W + Y/W while
    all clients together send at most gamma (3). If they send more, all windows are halved (4).

    The paper prints gamma = (μ / 8P + B) τ, which adds packets per second to packets. Gamma is compared with the
    packets of an interval: the bottleneck carries (μ / 8P) τ packets and the buffer holds B more. Here gamma is
    therefore μτ / 8P + B.

    Once congested, the model stays congested while the load exceeds the mean of the sawtooth of its traffic, three
    quarters of gamma. Whether it becomes congested depends on `initial_window`, since small windows leave a backlog V
    at the start.

    Examples
    --------
    >>> result = stochastic_reno(clients=60, rate=100, interval=0.1, capacity=50e6 / 12000, buffer=50, replications=4)
    >>> round(result.gamma, 2), result.cov.mean().round(3), result.cuts.mean().round(3)
    (466.67, np.float64(0.236), np.float64(0.2))

    """
    refuse_below(1, clients=clients, intervals=intervals, replications=replications)
    refuse_below(0, warmup=warmup, buffer=buffer, seed=seed)
    refuse_unless_positive(rate=rate, interval=interval, capacity=capacity, initial_window=initial_window)
    if max_window is not None:
        refuse_unless_positive(max_window=max_window)

    random = np.random.default_rng(seed)
    gamma = capacity * interval + buffer
    widest = np.inf if max_window is None else max_window
    windows = np.full((replications, clients), min(float(initial_window), widest))
    backlog = np.zeros_like(windows)
    totals = np.empty((intervals, replications))
    for step in range(-warmup, intervals):
        waiting = backlog + random.poisson(rate * interval, windows.shape)
        sent = np.minimum(waiting, windows)
        backlog = waiting - sent
        total = sent.sum(axis=1)
        windows = np.where((total > gamma)[:, None], windows / 2, np.minimum(windows + sent / windows, widest))
        if step >= 0:
            totals[step] = total
    mean = totals.mean(axis=0)
    return StochasticReno(
        gamma=gamma,
        cov=totals.std(axis=0) / mean,
        mean=mean,
        cuts=(totals > gamma).mean(axis=0),
        poisson_cov=float((clients * rate * interval) ** -0.5),
    )
