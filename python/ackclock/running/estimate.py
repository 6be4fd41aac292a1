"""A mean over independent runs, with its confidence interval."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.running.summary import UNITS

if TYPE_CHECKING:
    from ackclock.analysis import Interval


@dataclass(frozen=True)
class Estimate:
    """A mean over independent runs, with its 95 % confidence interval.

    Examples
    --------
    >>> estimate = Estimate.of([0.125, 0.127, 0.126])
    >>> print(estimate)
    0.1260 ± 0.0025
    >>> estimate
    Estimate(0.1260 ± 0.0025; 3 runs)
    """

    values: tuple[float | None, ...]
    """One value per run, in the order of seeds; ``None`` if undefined."""
    mean: float | None
    """The mean; ``None`` if no run has a value."""
    half_width: float | None
    """Half-width of the 95 % confidence interval of the mean: Student's t, or for 30 values and more the bootstrap.
    ``None`` for fewer than two values."""
    interval: "Interval | None" = field(compare=False)
    """The interval with its ends and its method; ``None`` if no run has a value."""
    measure: str = field(default="", compare=False)
    """Name of the measure, such as ``goodput_bps``; a rate in bit/s is shown in Mbps."""

    @classmethod
    def of(cls, values: Iterable[float | None], *, measure: str = "") -> "Estimate":
        """Estimate the mean of the distribution of the values."""
        from ackclock.analysis import mean_interval  # noqa: PLC0415  # it loads NumPy

        values = tuple(values)
        there = [value for value in values if value is not None]
        if not there:
            return cls(values, None, None, None, measure)
        interval = mean_interval(there)
        return cls(values, interval.mean, None if interval.count == 1 else interval.half_width, interval, measure)

    @property
    def warning(self) -> str:
        """Why the estimate is unreliable: too few runs, or too wide an interval. Empty if it is reliable."""
        return "undefined in every run" if self.interval is None else self.interval.warning

    def __repr__(self) -> str:
        return f"Estimate({self}; {len(self.values)} run{'' if len(self.values) == 1 else 's'})"

    def _repr_html_(self) -> str:
        """Return the mean and its interval, and why it is unreliable if it is, for notebooks."""
        from ackclock.running.showing import estimate_html  # noqa: PLC0415  # only notebooks need it

        return estimate_html(self)

    def __str__(self) -> str:
        if self.interval is None:
            return "undefined"
        if not self.measure.endswith("_bps"):
            return str(self.interval)
        unit, factor = UNITS[self.measure]
        return f"{self.interval.scaled(factor)} {unit}"
