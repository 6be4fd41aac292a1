"""Compare the profile `linux` with a Linux kernel, and write `docs/agreement_linux.md`: ``python -m linux``.

Exits with status 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from linux import cells
from linux.data import traces
from linux.page import bars, page
from linux.picture import captions, pictures
from linux.replay import replay_all
from linux.trace import compared, replayable

if TYPE_CHECKING:
    from collections.abc import Sequence

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all comparisons, write the page and its images, and print whether the bars are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, help="number of parallel runs (default: one per CPU)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the numbers of all cells to this file")
    given = parser.parse_args(arguments)
    found = cells.compare([*cells.grid(), *cells.random_loss(), *cells.competition()], jobs=given.jobs)
    if given.csv:
        write(found, given.csv)
    replays = {made.trace.name: made for made in replay_all([traces()[name] for name in replayable()], jobs=given.jobs)}
    orders = {name: compared(made) for name, made in replays.items()}
    for name, image in pictures(replays).items():
        (DOCS / "images" / name).write_bytes(image)
    (DOCS / "agreement_linux.md").write_text(page(found, orders, captions()), encoding="utf-8")
    results = bars(found, orders)
    for bar in results:
        sys.stdout.write(f"{', '.join(bar.row)}\n")
    return 0 if all(bar.met for bar in results) else 1


def write(found: Sequence[cells.Compared], file: Path) -> None:
    """Write the numbers of all cells as CSV, one row per measure."""
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["part", "cell", "measure", "kernel", "ours", "ratio", "agrees", "judged"])
        for one in found:
            kernel = " ".join(map(str, one.kernel))
            rows.writerow(
                [
                    one.cell.part,
                    one.cell.name,
                    one.tolerance.title,
                    kernel,
                    one.ours,
                    one.ratio,
                    one.agrees,
                    not one.cell.small,
                ]
            )


if __name__ == "__main__":
    sys.exit(main())
