"""Create the reference data of `burstiness` for Figures 5 to 12: 160 runs of ns-2.35, one at a time.

``python validation/windows.py`` runs `validation/ns2/windows.tcl` with every seed (four minutes) and puts two parts
into the study's `data/ns2.parquet`, as the README.md there says: `windows`, with the numbers of each run and the
windows of the run in the figure, and `bands`, computed from all runs of a figure.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.window_figures import WINDOWS
from ackclock.papers.burstiness.windows import NAMES, SEEDS, bands, drawn_alone, followed
from ackclock.papers.core.evidence import Run
from ns2_parts import keep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "validation" / "ns2" / "windows.tcl"

WINDOW_TOLERANCE = 0.1
BAND_TOLERANCE = 0.5
"""Tolerance of the stored lines, in packets; larger for the bands, which vary more between runs."""


def watch(variant: str, clients: int, seed: int, folder: Path) -> Run:
    """Run ns-2 once."""
    losses = folder / "losses"
    command = ["ns", str(SCRIPT), variant, str(clients), str(seed), str(losses)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    samples = np.array([line.split()[2:] for line in printed.splitlines() if line.startswith("w ")], dtype=float)
    windows = {"units": np.arange(1, len(samples) + 1), **dict(zip(NAMES, samples.T, strict=True))}
    times = np.array([line.split()[1] for line in losses.read_text(encoding="utf-8").splitlines()], dtype=float)
    return Run(where={"variant": variant, "clients": clients}, seed=seed, values=followed(windows, times))


def straight(row: Row, tolerance: float) -> Run:
    """Replace the lines of a row by straight segments."""
    lines = {name: _straight(value, tolerance) if np.ndim(value) else value for name, value in row.values.items()}
    return Run(where=row.where, seed=row.seed, values=lines)


def _straight(samples: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
    """Replace samples by straight segments that pass near every sample.

    Each segment is as long as possible. Its ends are rounded to a tenth, and the segments join the rounded points.
    """
    rounded = np.round(samples, 1)
    kept = [0]
    while kept[-1] < len(samples) - 1:
        start = kept[-1]
        end = furthest = start + 1
        # A segment to a farther sample may fit although a nearer one did not, but rarely much farther.
        while end < min(len(samples) - 1, furthest + 20):
            end += 1
            line = np.interp(np.arange(start, end + 1), [start, end], rounded[[start, end]])
            if np.all(np.abs(line - samples[start : end + 1]) <= tolerance):
                furthest = end
        kept.append(furthest)
    return np.interp(np.arange(len(samples)), kept, rounded[kept])


def main() -> None:
    """Run ns-2 for every figure and seed."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [watch(*cell, seed, Path(folder)) for cell in WINDOWS for seed in SEEDS]
    parts = {
        "windows": [straight(row, WINDOW_TOLERANCE) for row in drawn_alone(runs)],
        "bands": [straight(row, BAND_TOLERANCE) for row in bands(runs)],
    }
    keep("burstiness", parts)


if __name__ == "__main__":
    main()
