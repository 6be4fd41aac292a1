"""The rule of agreement with ns-3, fixed before the first comparison."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """A measure, and the allowed difference between the mean of our runs and the mean of ns-3's.

    Parameters
    ----------
    title, unit, digits
        Name and unit of the measure, and the number of decimal places in tables.
    relative
        Allowed difference, as a share of ns-3's mean.
    spread
        Whether a mean between the smallest and the largest run of the other side agrees as well.
    """

    title: str
    unit: str
    digits: int
    relative: float
    spread: bool

    def agrees(self, ours: Sequence[float], theirs: Sequence[float]) -> bool:
        """Check whether our runs agree with ns-3's."""
        mine, mean = fmean(ours), fmean(theirs)
        if abs(mine - mean) <= self.relative * mean:
            return True
        return self.spread and (min(ours) <= mean <= max(ours) or min(theirs) <= mine <= max(theirs))


GOODPUT: Final = Tolerance(title="goodput", unit="Mb/s", digits=2, relative=0.03, spread=False)
WAITING: Final = Tolerance(title="mean queueing delay", unit="ms", digits=1, relative=0.15, spread=True)

BAR: Final = 0.85
"""Required share of cells in which both measures agree."""
SEEDS: Final = (1, 2, 3, 4, 5)
"""Seeds of our runs."""
JITTER_MS: Final = 20
"""Our flows start at a random time within this time after ns-3's, in ms."""
