"""The congestion windows of three clients during a run, which Figures 5 to 12 draw, and summary numbers.

The effective window is the smaller of the congestion window and the advertised window; above the advertised window,
Reno's congestion window grows without effect. A run has the arrays `units`, its times in units of `UNIT`, and
`client_1` and so on, the congestion windows in packets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DROPS, DURATION
from ackclock.papers.core.evidence import Row, Scalar
from ackclock.papers.core.evidence import Run as Observed
from ackclock.running.run import Run

Windows = Mapping[str, Any]

CLIENTS_SHOWN = (1, 10, 20)  # the clients whose windows the paper draws, counted from 1
NAMES = tuple(f"client_{client}" for client in CLIENTS_SHOWN)

UNIT = 0.1  # seconds between two samples: the time unit of the paper's figures, one round-trip propagation delay

SEEDS = range(1, 21)  # the seeds that each figure is run with
SEED = SEEDS[0]  # seed of the run that is drawn
QUANTILES = (0.1, 0.5, 0.9)  # lower end, middle line and upper end of a figure's band

RECORDS = (f"windows@{','.join(str(client - 1) for client in CLIENTS_SHOWN)}/{UNIT:g}s", DROPS)

_FALL = 0.5  # packets: a larger or equal decrease from one sample to the next is a fall


def effective(window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the effective windows: congestion windows limited by the advertised window."""
    return np.minimum(window, ADVERTISED_WINDOW)


def course(run: Run) -> Windows:
    """Return the windows of a run with their summary numbers."""
    table = run.table("windows")
    flows, windows = table["flow"].to_numpy(), table["cwnd"].to_numpy()
    each = {name: windows[flows == client - 1] for name, client in zip(NAMES, CLIENTS_SHOWN, strict=True)}
    return followed({"units": np.arange(each[NAMES[0]].size), **each}, run.table("drops")["time"].to_numpy())


def followed(windows: Windows, losses: NDArray[np.float64]) -> Windows:
    """Add the summary numbers to the windows of a run; `losses` are the times of all drops at the gateway."""
    return {**numbers(windows, losses), **windows}


def numbers(run: Windows, losses: NDArray[np.float64]) -> dict[str, float | None]:
    """Compute the summary numbers of one run.

    A window *falls* if the effective window is at least half a packet smaller than in the previous sample. Only the
    samples from 0.1 s to 199.9 s count, which both simulators take.

    Parameters
    ----------
    run
        The windows.
    losses
        Times at which the gateway dropped a packet of any client, in seconds, ascending.

    Returns
    -------
    dict
        ``first_loss``, ``last_loss``
            Times of the first and the last loss in seconds; None without a loss.
        ``first_fall``, ``last_fall``
            Times of the first and the last fall of any of the three windows, in seconds; None without a fall.
        ``falls``
            Total number of falls of the three windows.
        ``together``
            Number of simultaneous falls of all three windows: in the same sample or in two neighbouring samples. No
            fall counts twice.
        ``last_together``
            Time of the last simultaneous fall in seconds; None without one.
        ``before_first_fall``, ``lowest``
            Largest of the three effective windows before the first fall, and smallest from then on, in packets; None
            without a fall.
        ``highest``, ``mean``
            Maximum and mean of the three effective windows, in packets.

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
    """Return the later index of each pair of neighbouring samples in which all rows fall; pairs do not overlap."""
    ends: list[int] = []
    for first in np.flatnonzero((fell[:, :-1] | fell[:, 1:]).all(axis=0)).tolist():
        if not ends or first > ends[-1]:
            ends.append(first + 1)
    return ends


def bands(rows: Sequence[Row]) -> list[Row]:
    """Compute the quantiles of the effective windows at each point, over seeds and clients."""
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
    """Remove the windows from all runs except the drawn one."""
    return [row if row.seed == SEED else _numbers_alone(row) for row in rows]


def _numbers_alone(row: Row) -> Row:
    values = {name: value for name, value in row.values.items() if not isinstance(value, np.ndarray)}
    return Observed(where=row.where, seed=row.seed, values=values)
