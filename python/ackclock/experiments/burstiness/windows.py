"""The congestion windows of three clients through one run: the numbers behind Figures 5 to 12.

The window that counts is the smaller of the congestion window and the advertised one: beyond that, Reno's
congestion window goes on growing without effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.experiment import ADVERTISED_WINDOW, VARIANTS, scenario
from ackclock.sweep import Point, run_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.run import Run

__all__ = ["CLIENTS_SHOWN", "SEED", "UNIT", "Course", "Trace", "course", "effective", "observe_windows"]

CLIENTS_SHOWN = (1, 10, 20)
"""The clients whose windows the paper draws, counted from 1."""

SEED = 1
"""The one run that is drawn."""

UNIT = 0.1
"""Seconds between two samples: the time unit of the paper's figures."""

_FALL = 0.5
"""Packets within one unit from which on the effective window has fallen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """The windows of `CLIENTS_SHOWN` through one run.

    Parameters
    ----------
    variant
        Name of the variant.
    clients
        Number of clients in the run.
    units
        When the windows were sampled, in units of `UNIT`, ascending without a gap.
    windows
        The congestion window in packets at each of them, by client.

    """

    variant: str
    clients: int
    units: NDArray[np.int64]
    windows: Mapping[int, NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """How the effective window of one client went.

    Parameters
    ----------
    first_fall, last_fall
        Units at which it first and last was smaller than at the sample before by half a packet or more; None
        if it never was.
    falls
        How often it was.
    lowest
        The smallest from the first fall on; None if there was none.
    highest, mean
        Over the whole run.

    """

    first_fall: int | None
    last_fall: int | None
    falls: int
    lowest: float | None
    highest: float
    mean: float


def observe_windows(cells: Sequence[tuple[str, int]], *, jobs: int | None = None) -> list[Trace]:
    """Run each variant and number of clients once, with `SEED`, and keep the windows.

    Parameters
    ----------
    cells
        Name of the variant and number of clients, at least 20.
    jobs
        How many runs at once; one for each processor by default.

    Returns
    -------
    list of Trace
        In the order of the cells.

    """
    variants = {variant.name: variant for variant in VARIANTS}
    points = [
        Point(name=f"{name} with {clients} clients", scenario=scenario(variants[name], clients), work=clients)
        for name, clients in cells
    ]
    flows = ",".join(str(client - 1) for client in CLIENTS_SHOWN)
    runs = run_grid(
        points, seeds=[SEED], take=_windows, record=[f"windows@{flows}/{UNIT:g}s"], jobs=jobs, label="windows"
    )
    return [
        Trace(variant=name, clients=clients, units=np.arange(next(iter(run.value.values())).size), windows=run.value)
        for (name, clients), run in zip(cells, runs, strict=True)
    ]


def _windows(run: Run) -> dict[int, NDArray[np.float64]]:
    table = run.table("windows")
    flows, windows = table["flow"].to_numpy(), table["cwnd"].to_numpy()
    return {client: windows[flows == client - 1] for client in CLIENTS_SHOWN}


def effective(window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut congestion windows off at the advertised one."""
    return np.minimum(window, ADVERTISED_WINDOW)


def course(trace: Trace, client: int) -> Course:
    """Sum up how the effective window of one client went.

    Parameters
    ----------
    trace
        The run.
    client
        One of `CLIENTS_SHOWN`.

    """
    window = effective(trace.windows[client])
    falls = np.flatnonzero(np.diff(window) <= -_FALL) + 1
    return Course(
        first_fall=int(trace.units[falls[0]]) if falls.size else None,
        last_fall=int(trace.units[falls[-1]]) if falls.size else None,
        falls=falls.size,
        lowest=float(window[falls[0] :].min()) if falls.size else None,
        highest=float(window.max()),
        mean=float(window.mean()),
    )
