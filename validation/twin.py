"""Grade the twins of `ackclock twin`.

``python validation/twin.py TRACES [FOLDER] [--develop | --held]`` makes the captures of the graded set
(`twin_captures.py`) in FOLDER (default: out/validation-twin), with the kernel's traces in TRACES, twins each, and
prints a row per capture, the number of twins that fit, and how well rate, base delay and buffer of our networks are
recovered. The rule and the set were fixed before any graded capture was made: means of goodput and round-trip time over
five seeds within 10 % of the capture's. With ``--develop`` the captures are those with which the estimators were
developed, and with ``--held`` a third set, for what was changed after the first grade.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from ackclock.capture.twin.answering import unloaded
from ackclock.capture.twin.reading import read_twin
from ackclock.capture.twin.running import fits, measured, settled
from ackclock.values.errors import ScenarioError
from twin_captures import DEVELOPED, GRADED, HELD, Truth, kernel, networks, own, traces


def grade(file: Path, truth: Truth | None) -> tuple[bool, list[float]]:
    """Twin a capture, print its row, and return whether the twin fits, and the errors of what was recovered."""
    try:
        twin = read_twin(file)
    except ScenarioError as error:
        print(f"| {file.stem} | refused: {error} |", flush=True)
        return False, []
    with tempfile.TemporaryDirectory() as folder:
        twin.write(Path(folder))
        twin = settled(twin, Path(folder))
        found = measured(twin.write(Path(folder)), unloaded(twin))
    seen, path, good = twin.seen, twin.path, fits(twin, found)
    cells = [
        file.stem,
        "yes" if good else "no",
        f"{seen.goodput / 1e6:.2f}",
        f"{100 * (found.goodput.mean / seen.goodput - 1):+.1f} %",
        f"{1e3 * seen.mean_trip:.1f}",
        f"{100 * (found.trip.mean / seen.mean_trip - 1):+.1f} %",
        f"{twin.law.name}{'' if twin.law.is_identified else ' (assumed)'}",
        twin.pattern.kind,
        f"{twin.beside.known} {twin.beside.mean / 1e6:.2f}",
        f"{path.rate.value / 1e6:.2f}{'?' if path.rate.is_bound else ''}",
        f"{1e3 * path.base:.1f}",
        f"{path.buffer}{'' if path.is_filled else '?'}",
    ]
    errors = []
    if truth is not None:
        cells.append(f"{truth.rate}, {truth.rtt}, {truth.buffer}, {truth.loss}, {truth.law}")
        base = 1e3 * path.base / truth.rtt - 1
        errors = [
            path.rate.value / 1e6 / truth.rate - 1,
            base,
            path.buffer / truth.buffer - 1 if path.is_filled else np.nan,
        ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return good, errors


def main() -> None:
    """Print the grades."""
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    seed = DEVELOPED if "--develop" in sys.argv else HELD if "--held" in sys.argv else GRADED
    folder = Path(arguments[1] if len(arguments) > 1 else "out/validation-twin")
    folder.mkdir(parents=True, exist_ok=True)
    ours = [grade(own(truth, folder), truth) for truth in networks(seed)]
    theirs = [grade(kernel(path, folder), None) for path in traces(Path(arguments[0]), seed)]
    for name, found in (("own", ours), ("kernel", theirs), ("all", ours + theirs)):
        print(f"{name}: {sum(good for good, _ in found)} of {len(found)} fit")
    errors = np.array([each for _, each in ours if each])
    for place, name in enumerate(("rate", "base delay", "buffer")):
        column = np.abs(errors[:, place])
        known = column[np.isfinite(column)]
        quantiles = ", ".join(f"{100 * np.quantile(known, q):.1f} %" for q in (0.5, 0.9, 1.0))
        print(f"{name}: error of {known.size} of {column.size}: median, 90th percentile and largest {quantiles}")


if __name__ == "__main__":
    main()
