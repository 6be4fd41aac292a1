"""Make the data that Figures 5 to 12 are compared with: 160 runs of ns-2.35, one at a time.

``python bench/windows.py`` runs `bench/ns2/windows.tcl` with every seed (four minutes) and writes three things into the
study's `data` folder, as the README.md there tells: the numbers of each run, the windows of the one that is drawn, and
the bands over all of them.
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.courses import SEEDS, bands, courses_of, followed
from ackclock.papers.burstiness.window_figures import WINDOWS
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, Trace
from ackclock.papers.core.evidence import Run, Runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "bench" / "ns2" / "windows.tcl"
DATA = ROOT / "python" / "ackclock" / "papers" / "burstiness" / "data"

WINDOW_TOLERANCE = 0.1
BAND_TOLERANCE = 0.5
"""Packets by which a kept line may miss a sample: more for the bands, which chance alone moves by more than that."""


def watch(variant: str, clients: int, seed: int, folder: Path) -> Run:
    """Run ns-2 once."""
    losses = folder / "losses"
    command = ["ns", str(SCRIPT), variant, str(clients), str(seed), str(losses)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    samples = np.array([line.split()[2:] for line in printed.splitlines() if line.startswith("w ")], dtype=float)
    trace = Trace(units=np.arange(1, len(samples) + 1), windows=dict(zip(CLIENTS_SHOWN, samples.T, strict=True)))
    times = np.array([line.split()[1] for line in losses.read_text(encoding="utf-8").splitlines()], dtype=float)
    return Run(where={"variant": variant, "clients": clients}, seed=seed, values=followed(trace, times))


def corners(samples: NDArray[np.float64], tolerance: float) -> list[int]:
    """Choose the samples to keep, so that straight lines between them pass near every other one.

    From each that is kept, the next one is as far away as it can be. Kept samples are rounded to a tenth, and the lines
    are those between the rounded ones.
    """
    rounded = np.round(samples, 1)
    kept = [0]
    while kept[-1] < len(samples) - 1:
        start = kept[-1]
        end = furthest = start + 1
        # A line to a farther sample may fit again where one to a nearer did not, but hardly ever much farther.
        while end < min(len(samples) - 1, furthest + 20):
            end += 1
            line = np.interp(np.arange(start, end + 1), [start, end], rounded[[start, end]])
            if np.all(np.abs(line - samples[start : end + 1]) <= tolerance):
                furthest = end
        kept.append(furthest)
    return kept


def write_lines(
    path: Path, key: str, units: NDArray[np.int64], lines: Mapping[str, NDArray[np.float64]], tolerance: float
) -> None:
    """Write the corners of several lines over the same samples, one after the other."""
    rows = [
        [name, int(units[place]), f"{round(samples[place], 1):g}"]
        for name, samples in lines.items()
        for place in corners(samples, tolerance)
    ]
    write_rows(path, [key, "unit", "window"], rows)


def write_rows(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a CSV file."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def write(side: Runs) -> None:
    """Write all that is kept."""
    figures = [courses_of(side, *cell) for cell in WINDOWS]
    runs = [run for figure in figures for run in figure.runs]
    drawn_only = {"units", *(f"client_{client}" for client in CLIENTS_SHOWN)}
    names = [name for name in runs[0].values if name not in drawn_only]
    write_rows(
        DATA / "courses.csv",
        ["variant", "clients", "seed", *names],
        [[run.variant, run.clients, run.seed, *(_cell(run.values.get(name)) for name in names)] for run in runs],
    )
    for (variant, clients), figure in zip(WINDOWS, figures, strict=True):
        drawn, band = figure.drawn, figure.band
        name = f"{variant.lower()}-{clients}.csv"
        windows = {str(client): drawn.windows[client] for client in CLIENTS_SHOWN}
        write_lines(DATA / "windows" / name, "client", drawn.units, windows, WINDOW_TOLERANCE)
        edges = {"10": band.low, "50": band.middle, "90": band.high}
        write_lines(DATA / "bands" / name, "percent", band.units, edges, BAND_TOLERANCE)


def main() -> None:
    """Run ns-2 for every figure and seed."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [watch(*cell, seed, Path(folder)) for cell in WINDOWS for seed in SEEDS]
    write(Runs({"windows": runs, "bands": bands(runs)}))


if __name__ == "__main__":
    main()
