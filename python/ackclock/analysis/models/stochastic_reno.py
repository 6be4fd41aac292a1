"""The stochastic model of TCP Reno of the heterogeneous-cluster paper: a step a round trip, all windows cut at once."""

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
    """What the model sent to the gateway, one value for each replication.

    Parameters
    ----------
    gamma
        The most packets of one interval that meet no congestion.
    cov
        Coefficient of variation of the packets per interval.
    mean
        Mean packets per interval.
    cuts
        Share of the intervals whose packets exceeded `gamma`, so that all windows were halved.
    poisson_cov
        Coefficient of variation of the packets that the applications make in an interval.

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
        How many clients there are.
    rate
        Packets per second that the application of each makes (λ).
    interval
        Length of a step, in seconds: the two-way propagation delay (τ).
    capacity
        Packets per second that the bottleneck carries (μ / 8P).
    buffer
        Packets that the gateway's buffer holds (B).
    initial_window
        Every client's congestion window at the start, in packets.
    max_window
        What a window may not grow beyond, in packets: the advertised window. The paper has no such bound.
    intervals
        Steps that are looked at.
    warmup
        Steps before these.
    replications
        Independent repetitions.
    seed
        Of the random numbers.

    Returns
    -------
    StochasticReno
        Its values for each replication.

    Raises
    ------
    ValueError
        If a number is out of its range; the message names it.

    Notes
    -----
    Feng and Tinnakornsrisuphap, "The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing
    Systems" (ICPP 2000), equations (1) to (4). With X Poisson of mean λτ, in each interval client i sends
    Y = min(X + V, W) and keeps V' = X + V - Y (1, 2). Its window grows to W + Y/W as long as all together
    send at most gamma (3), and is halved, with everybody else's, where they send more (4).

    The paper prints gamma = (μ / 8P + B) τ. That adds packets per second to packets: B cannot stand within the bracket.
    What gamma is compared with are packets in an interval; the bottleneck carries (μ / 8P) τ of these and the buffer
    takes B more, so gamma = μτ / 8P + B here.

    Once congested, the model stays so while the load exceeds the mean of its sawtooth, three quarters of gamma. Whether
    it gets there depends on `initial_window`, since small windows leave a backlog V at the start.

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
