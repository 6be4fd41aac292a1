"""The congestion windows of three clients through one run: what Figures 5 to 12 draw, and numbers that sum it up.

The window that counts is the smaller of the congestion window and the advertised one: beyond that, Reno's
congestion window goes on growing without effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DURATION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

CLIENTS_SHOWN = (1, 10, 20)
"""The clients whose windows the paper draws, counted from 1."""

UNIT = 0.1
"""Seconds between two samples: the time unit of the paper's figures, one round-trip propagation delay."""

_FALL = 0.5
"""Packets within one unit from which on the effective window has fallen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """The windows of `CLIENTS_SHOWN` through one run.

    Parameters
    ----------
    units
        When the windows were sampled, in units of `UNIT`, ascending without a gap.
    windows
        The congestion window in packets at each of them, by client.

    """

    units: NDArray[np.int64]
    windows: Mapping[int, NDArray[np.float64]]


def effective(window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut congestion windows off at the advertised one."""
    return np.minimum(window, ADVERTISED_WINDOW)


def numbers(trace: Trace, losses: NDArray[np.float64]) -> dict[str, float | None]:
    """Sum one run up.

    A window *falls* where the effective one is smaller by half a packet or more than at the sample before. Only the
    samples from 0.1 s to 199.9 s count: those are the ones that both simulators take.

    Parameters
    ----------
    trace
        The windows.
    losses
        When the gateway dropped a packet of any client, in seconds, ascending.

    Returns
    -------
    dict
        ``first_loss``, ``last_loss``
            Seconds; None without a loss.
        ``first_fall``, ``last_fall``
            Seconds at which the window of any of the three clients first and last fell; None if none did.
        ``falls``
            How often the three did, added up.
        ``together``
            How often all three did within `UNIT` of each other, as far as samples tell: at the same sample or at two
            neighbouring ones. No fall counts twice.
        ``last_together``
            Seconds at which they last did; None if they never did.
        ``before_first_fall``, ``lowest``
            Packets: the largest effective window of the three before the first fall, and the smallest from then on;
            None without a fall.
        ``highest``, ``mean``
            Packets, of the effective windows of the three.

    """
    shared = (trace.units > 0) & (trace.units < round(DURATION / UNIT))
    units = trace.units[shared]
    windows = np.stack([effective(trace.windows[client][shared]) for client in CLIENTS_SHOWN])
    fell = np.diff(windows, axis=1, prepend=windows[:, :1]) <= -_FALL
    falls, common = np.flatnonzero(fell.any(axis=0)), _together(fell)
    return {
        "first_loss": float(losses[0]) if losses.size else None,
        "last_loss": float(losses[-1]) if losses.size else None,
        "first_fall": float(units[falls[0]] * UNIT) if falls.size else None,
        "last_fall": float(units[falls[-1]] * UNIT) if falls.size else None,
        "falls": float(fell.sum()),
        "together": float(len(common)),
        "last_together": float(units[common[-1]] * UNIT) if common else None,
        "before_first_fall": float(windows[:, : falls[0]].max()) if falls.size else None,
        "lowest": float(windows[:, falls[0] :].min()) if falls.size else None,
        "highest": float(windows.max()),
        "mean": float(windows.mean()),
    }


def _together(fell: NDArray[np.bool_]) -> list[int]:
    """Find the pairs of neighbouring samples at which every row has a fall, by their second; no two overlap."""
    ends: list[int] = []
    for first in np.flatnonzero((fell[:, :-1] | fell[:, 1:]).all(axis=0)).tolist():
        if not ends or first > ends[-1]:
            ends.append(first + 1)
    return ends
