"""The congestion windows of three clients through a run: what Figures 5 to 12 draw, and numbers that sum it up.

The window that counts is the smaller of the congestion window and the advertised one: beyond that, Reno's
congestion window goes on growing without effect. A run has `units`, its times in units of `UNIT`, and the congestion
windows in packets as `client_1` and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DROPS, DURATION
from ackclock.papers.core.evidence import Run as Observed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row, Scalar
    from ackclock.running.run import Run

    Windows = Mapping[str, Any]

CLIENTS_SHOWN = (1, 10, 20)  # the clients whose windows the paper draws, counted from 1
NAMES = tuple(f"client_{client}" for client in CLIENTS_SHOWN)

UNIT = 0.1  # seconds between two samples: the time unit of the paper's figures, one round-trip propagation delay

SEEDS = range(1, 21)  # the seeds that each figure is run with
SEED = SEEDS[0]  # the one run that is drawn line by line
QUANTILES = (0.1, 0.5, 0.9)  # where the band of a figure begins, its middle line, and where it ends

RECORDS = (f"windows@{','.join(str(client - 1) for client in CLIENTS_SHOWN)}/{UNIT:g}s", DROPS)

_FALL = 0.5  # packets within one unit from which on the effective window has fallen


def effective(window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut congestion windows off at the advertised one."""
    return np.minimum(window, ADVERTISED_WINDOW)


def course(run: Run) -> Windows:
    """Take the windows of a run, and the numbers that sum them up."""
    table = run.table("windows")
    flows, windows = table["flow"].to_numpy(), table["cwnd"].to_numpy()
    each = {name: windows[flows == client - 1] for name, client in zip(NAMES, CLIENTS_SHOWN, strict=True)}
    return followed({"units": np.arange(each[NAMES[0]].size), **each}, run.table("drops")["time"].to_numpy())


def followed(windows: Windows, losses: NDArray[np.float64]) -> Windows:
    """Add the numbers of a run to its windows; `losses` are the times of all drops at the gateway."""
    return {**numbers(windows, losses), **windows}


def numbers(run: Windows, losses: NDArray[np.float64]) -> dict[str, float | None]:
    """Sum one run up.

    A window *falls* where the effective one is smaller by half a packet or more than at the sample before. Only the
    samples from 0.1 s to 199.9 s count: those are the ones that both simulators take.

    Parameters
    ----------
    run
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
            Number of times that all three did within `UNIT` of each other, judged by samples: at the same sample or at
            two neighbouring ones. No fall counts twice.
        ``last_together``
            Seconds at which they last did; None if they never did.
        ``before_first_fall``, ``lowest``
            Packets: the largest effective window of the three before the first fall, and the smallest from then on;
            None without a fall.
        ``highest``, ``mean``
            Packets, of the effective windows of the three.

    """
    shared = (run["units"] > 0) & (run["units"] < round(DURATION / UNIT))
    units = run["units"][shared]
    windows = np.stack([effective(run[name][shared]) for name in NAMES])
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


def bands(rows: Sequence[Row]) -> list[Row]:
    """Give the quantiles of the effective windows of all runs at each point, over seeds and clients."""
    points: dict[tuple[tuple[str, Scalar], ...], list[Row]] = {}
    for row in rows:
        points.setdefault(tuple(row.where.items()), []).append(row)
    return [_band(runs) for runs in points.values()]


def _band(runs: Sequence[Row]) -> Row:
    windows = np.stack([effective(run.values[name]) for run in runs for name in NAMES])
    lines = zip(QUANTILES, np.quantile(windows, QUANTILES, axis=0), strict=True)
    values = {"units": runs[0].values["units"], **{f"quantile_{share:g}": line for share, line in lines}}
    return Observed(where=runs[0].where, seed=SEED, values=values)


def drawn_alone(rows: Sequence[Row]) -> list[Row]:
    """Leave the windows of all runs out except the one that is drawn."""
    return [row if row.seed == SEED else _numbers_alone(row) for row in rows]


def _numbers_alone(row: Row) -> Row:
    values = {name: value for name, value in row.values.items() if not isinstance(value, np.ndarray)}
    return Observed(where=row.where, seed=row.seed, values=values)
