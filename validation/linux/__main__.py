"""Compare the profile `linux` with a Linux kernel, and write `docs/agreement_linux.md`: ``python -m linux``.

Exits with status 1 if a bar is missed.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from linux import cells
from linux.command import DOCS, parser
from linux.data import traces
from linux.more import compared as more
from linux.page import bars, page
from linux.picture import captions, pictures
from linux.replay import replay_all
from linux.trace import compared, replayable

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all comparisons, write the page and its images, and print whether the bars are met."""
    known = parser(__doc__)
    known.add_argument("--csv", type=Path, metavar="FILE", help="also write the numbers of all cells to this file")
    given = known.parse_args(arguments)
    found = cells.compare([*cells.grid(), *cells.random_loss(), *cells.competition()], jobs=given.jobs)
    measured = more.compare(more.kernel_cells(), jobs=given.jobs)
    if given.csv:
        write(found, measured, given.csv)
    replays = {made.trace.name: made for made in replay_all([traces()[name] for name in replayable()], jobs=given.jobs)}
    orders = {name: compared(made) for name, made in replays.items()}
    for name, image in pictures(replays).items():
        (DOCS / "images" / name).write_bytes(image)
    (DOCS / "agreement_linux.md").write_text(page(found, orders, measured, captions()), encoding="utf-8")
    results = bars(found, orders, measured)
    for bar in results:
        sys.stdout.write(f"{', '.join(bar.row)}\n")
    return 0 if all(bar.met for bar in results) else 1


def write(found: Sequence[cells.Compared], measured: Sequence[more.Measured], file: Path) -> None:
    """Write the numbers of all cells as CSV, one row per measure; of the second set, the means."""
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
        for each in measured:
            ours = each.ours.mean if each.ours else None
            ratio = ours / each.kernel.mean if ours is not None and each.kernel.mean else None
            row = [each.cell.part, each.cell.title, each.title, each.kernel.mean, ours, ratio, each.agrees, True]
            rows.writerow(row)


if __name__ == "__main__":
    sys.exit(main())
