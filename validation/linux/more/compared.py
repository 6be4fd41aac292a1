"""Runs the repetitions of all cells, and compares each measure with the kernel's.

The rule was fixed before the first comparison.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from ackclock.study import Batch, Point, Wanted
from linux.data import rows
from linux.more.cells import REPETITIONS, Cell, cell
from linux.more.measures import TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock import Run
    from linux.more.measures import Numbers

RELATIVE: Final = 0.05
"""Largest difference of the means that agrees, as a share of the kernel's."""
ABSOLUTE: Final = 0.02
"""Largest difference of the means that agrees, in units of the measure."""
BAR: Final = 0.875
"""Required share of measures that agree: 42 of 336 may differ."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """The smallest, the largest and the mean value of the repetitions."""

    minimum: float
    maximum: float
    mean: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarize values."""
        return cls(minimum=min(values), maximum=max(values), mean=fmean(values))

    def agrees(self, kernel: Spread) -> bool:
        """Check whether the ranges overlap, or the means are close."""
        overlap = self.minimum <= kernel.maximum and self.maximum >= kernel.minimum
        return overlap or abs(self.mean - kernel.mean) <= max(RELATIVE * abs(kernel.mean), ABSOLUTE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """One measure of a cell: the kernel's repetitions and ours. Ours are None if no run has the measure."""

    cell: Cell
    measure: str
    kernel: Spread
    ours: Spread | None

    @property
    def title(self) -> str:
        """Description of the measure on the page."""
        return TITLES[self.measure]

    @property
    def agrees(self) -> bool:
        """Whether the rule holds; a measure that we do not have never agrees."""
        return self.ours is not None and self.ours.agrees(self.kernel)

    @property
    def key(self) -> str:
        """Name of the comparison, as in `linux.explained`."""
        return f"{self.cell.part}: {self.cell.title}: {self.title}"


def kernel_cells(kernel_rows: Iterable[Mapping[str, str]] | None = None) -> dict[Cell, dict[str, Spread]]:
    """Return the kernel's measures by cell."""
    found: dict[Cell, dict[str, Spread]] = defaultdict(dict)
    for row in rows("more") if kernel_rows is None else kernel_rows:
        minimum, maximum, mean = (float(row[name]) for name in ("minimum", "maximum", "mean"))
        found[cell(row["cell"])][row["measure"]] = Spread(minimum=minimum, maximum=maximum, mean=mean)
    return dict(found)


def compare(kernel: Mapping[Cell, Mapping[str, Spread]], *, jobs: int | None = None) -> list[Measured]:
    """Simulate all repetitions, and compare each measure that the kernel has."""
    batch = Batch()
    with tempfile.TemporaryDirectory() as folder:
        made = {one: [batch.add(_wanted(one, each, Path(folder))) for each in REPETITIONS] for one in kernel}
        batch.run(jobs=jobs, label="further cells")
    numbers = {one: [give() for give in gives] for one, gives in made.items()}
    return [
        Measured(cell=one, measure=measure, kernel=theirs, ours=_spread(numbers[one], measure))
        for one, measured in kernel.items()
        for measure, theirs in measured.items()
    ]


def _wanted(one: Cell, repetition: int, folder: Path) -> Wanted[Numbers, Numbers]:
    measure: Callable[[Run], Numbers] = partial(one.measure, repetition=repetition)
    name = f"{one.part}: {one.title}, repetition {repetition}"
    return Wanted(
        points=[Point(name=name, scenario=one.scenario(repetition, folder))],
        seeds=[repetition],
        take=measure,
        record=one.record,
        make=lambda runs: runs[0].value,
    )


def _spread(numbers: Sequence[Numbers], measure: str) -> Spread | None:
    there = [each[measure] for each in numbers if measure in each]
    return Spread.of(there) if there else None
