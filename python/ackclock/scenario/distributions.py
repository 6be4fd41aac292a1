"""Distributions from which sources draw the lengths of periods and the sizes of transfers."""

import itertools
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario.fields import LONGEST_WAIT
from ackclock.scenario.model import Part
from ackclock.scenario.size_tables import TABLES
from ackclock.values import errors
from ackclock.values.kinds import Kind, either, measured, number, points, word
from ackclock.values.quantity import SIZE, TIME

PERIOD: Final = measured(TIME, "1 us", LONGEST_WAIT)
TRANSFER: Final = measured(SIZE, "1 B", "1000000 GB")

Mean = Annotated[str, either(PERIOD, TRANSFER)]
Shape = Annotated[float, number(low=1.01, high=100)]
Sigma = Annotated[float, number(low=0.01, high=5)]
TableName = Annotated[str, word(TABLES, noun="table")]
Points = Annotated[Sequence[tuple[str, float]], points(measured(SIZE, "0 B", "1000000 GB"), SIZE, most=10_000)]

_SUMMED: Final = 10_000
"""Number of packets up to which the tail probabilities are summed term by term."""


class _Drawn(Part):
    """Base class of the distributions of times or sizes. Sizes can also be rounded up to whole packets."""

    @abstractmethod
    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""

    @abstractmethod
    def excess(self, bytes_: float) -> float:
        """Compute the mean of ``max(size - bytes_, 0)``."""

    def for_engine(self, number: Callable[[str], float]) -> dict[str, Any]:
        """Convert the distribution into the engine's form; ``number`` converts times or sizes to its unit."""
        drawn = self.model_dump()
        return drawn | {"mean": number(drawn["mean"])}

    def mean_packets(self, payload: int) -> float:
        """Compute the mean size in packets of ``payload`` bytes, each size rounded up to whole packets.

        The mean is the sum of the probabilities that a size exceeds 0, 1, 2, ... packets. From `_SUMMED` packets on,
        the sum is computed by the Euler-Maclaurin formula.
        """
        one_by_one = sum(self.above(packets * payload) for packets in range(1, _SUMMED))
        rest = _SUMMED * payload
        return 1 + one_by_one + self.excess(rest) / payload + self.above(rest) / 2


class Fixed(_Drawn):
    """The same value at every draw."""

    kind: Literal["fixed"] = "fixed"
    """``fixed``."""

    mean: Mean
    """The time or size."""

    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""
        return float(SIZE.parse(self.mean) > bytes_)

    def excess(self, bytes_: float) -> float:
        """Compute the excess of the size over ``bytes_``."""
        return max(0.0, SIZE.parse(self.mean) - bytes_)

    def mean_packets(self, payload: int) -> float:
        """Compute the size in packets of ``payload`` bytes, rounded up."""
        return -(-SIZE.parse(self.mean) // payload)


class Exponential(_Drawn):
    """An exponential distribution."""

    kind: Literal["exponential"] = "exponential"
    """``exponential``."""

    mean: Mean
    """The mean, a time or a size."""

    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""
        return math.exp(-bytes_ / SIZE.parse(self.mean))

    def excess(self, bytes_: float) -> float:
        """Compute the mean of ``max(size - bytes_, 0)``."""
        return SIZE.parse(self.mean) * self.above(bytes_)


class Pareto(_Drawn):
    """A Pareto distribution: above the least value, the probability to exceed x is a power of x.

    The least value is ``mean * (shape - 1) / shape``. For a shape of up to 2 the variance is infinite: a few draws
    dominate any sum, and means over a run converge slowly to ``mean``.

    Examples
    --------
    >>> Pareto(mean="0.5 s", shape=1.2)
    Pareto(kind='pareto', mean='500 ms', shape=1.2)
    """

    kind: Literal["pareto"] = "pareto"
    """``pareto``."""

    mean: Mean
    """The mean, a time or a size."""

    shape: Shape
    """Tail index: smaller values give a heavier tail."""

    @property
    def _least(self) -> float:
        return SIZE.parse(self.mean) * (self.shape - 1) / self.shape

    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""
        return math.pow(self._least / max(bytes_, self._least), self.shape)

    def excess(self, bytes_: float) -> float:
        """Compute the mean of ``max(size - bytes_, 0)``."""
        if bytes_ < self._least:
            return SIZE.parse(self.mean) - bytes_
        return self.above(bytes_) * bytes_ / (self.shape - 1)


class Lognormal(_Drawn):
    """A lognormal distribution: the logarithm is normal.

    The median is ``mean * exp(-sigma**2 / 2)``.

    Examples
    --------
    >>> Lognormal(mean="100 kB", sigma=1.5)
    Lognormal(kind='lognormal', mean='100 kB', sigma=1.5)
    """

    kind: Literal["lognormal"] = "lognormal"
    """``lognormal``."""

    mean: Mean
    """The mean, a time or a size."""

    sigma: Sigma
    """The standard deviation of the natural logarithm."""

    def _normal(self, bytes_: float) -> float:
        """Convert a size to the standard score of its logarithm."""
        return math.log(bytes_ / SIZE.parse(self.mean)) / self.sigma + self.sigma / 2

    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""
        return NormalDist().cdf(-self._normal(bytes_))

    def excess(self, bytes_: float) -> float:
        """Compute the mean excess of a size over ``bytes_`` (the formula of Black and Scholes)."""
        whole = SIZE.parse(self.mean) * NormalDist().cdf(self.sigma - self._normal(bytes_))
        return whole - bytes_ * self.above(bytes_)


class SizeTable(_Drawn):
    """Sizes drawn from a piecewise linear distribution function, given as points or as the name of a published table.

    The first size itself is drawn with the probability of its share. If this share is 0, the first size is only the
    lower end of the first segment. ``web-search`` is from Alizadeh et al., "Data Center TCP (DCTCP)" (SIGCOMM 2010),
    ``data-mining`` from Greenberg et al., "VL2" (SIGCOMM 2009).

    Examples
    --------
    >>> round(SizeTable("data-mining").mean_bytes)
    7470236
    >>> SizeTable(cdf=[["1 kB", 0.5], ["100 kB", 1]]).mean_bytes
    25750.0
    """

    subject: ClassVar[str | None] = "name"

    if TYPE_CHECKING:

        def __init__(self, name: str | None = ..., *, cdf: Sequence[Sequence[str | float]] | None = ...) -> None: ...

    kind: Literal["table"] = "table"
    """``table``."""

    name: TableName | None = None
    """Name of a published table."""

    cdf: Points | None = None
    """Pairs of a size and the share of all sizes up to this size, such as ``[["1 kB", 0.5], ["100 kB", 1]]``."""

    def for_engine(self, number: Callable[[str], float]) -> dict[str, Any]:
        """Convert the table into the engine's form; ``number`` converts a size into the engine's unit."""
        values, shares = zip(*self.points, strict=True)
        return {"kind": "table", "values": [number(value) for value in values], "shares": shares}

    @property
    def points(self) -> Sequence[tuple[str, float]]:
        """Pairs of a size and the share of all sizes up to it."""
        if self.name is None:
            return self.cdf or ()
        return [(f"{size} B", share) for size, share in TABLES[self.name].points]

    @property
    def mean_bytes(self) -> float:
        """The mean size, before it is rounded up to whole packets."""
        return self.excess(0)

    def _lines(self) -> list[tuple[float, float, float]]:
        """List the segments of the distribution function: lower size, upper size, share of sizes."""
        given = [(float(SIZE.parse(size)), share) for size, share in self.points]
        lines = [(given[0][0], given[0][0], given[0][1])]
        for (low, before), (high, share) in itertools.pairwise(given):
            lines.append((low, high, share - before))
        return lines

    def above(self, bytes_: float) -> float:
        """Compute the probability that a size exceeds ``bytes_``."""
        return sum(
            share * (min(1.0, max(0.0, (high - bytes_) / (high - low))) if high > low else float(high > bytes_))
            for low, high, share in self._lines()
        )

    def excess(self, bytes_: float) -> float:
        """Compute the mean of ``max(size - bytes_, 0)``."""
        total = 0.0
        for low, high, share in self._lines():
            if high > bytes_:
                least = max(low, bytes_)
                part = 1.0 if high == low else (high - least) / (high - low)
                total += share * part * ((least + high) / 2 - bytes_)
        return total

    def mean_packets(self, payload: int) -> float:
        """Compute the mean size in packets of ``payload`` bytes, each size rounded up to whole packets.

        Within a segment sizes are uniform, so the result is the mean of ``ceil`` over the segment. The integral of
        ``ceil`` up to x is ``m (m + 1) / 2 + (m + 1) (x - m)``, where m is the number of whole packets in x.
        """

        def integral(packets: float) -> float:
            whole = math.floor(packets)
            return whole * (whole + 1) / 2 + (whole + 1) * (packets - whole)

        total = 0.0
        for low, high, share in self._lines():
            least, most = low / payload, high / payload
            mean = math.ceil(least) if most == least else (integral(most) - integral(least)) / (most - least)
            total += share * max(1.0, mean)
        return total

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that a name or points are given, but not both."""
        given = [name for name in ("name", "cdf") if data.get(name) is not None]
        if len(given) == 2:
            return [errors.wrong(("cdf",), data["cdf"], "must be absent when name selects a published table")]
        if not given:
            return [errors.missing(("name",), f"must be one of {', '.join(TABLES)}, or cdf must be given")]
        if part is not None and part.cdf and SIZE.parse(part.cdf[-1][0]) == 0:
            return [errors.wrong(("cdf",), part.cdf[-1][0], "must end with a size above 0 B")]
        return []


Distribution = Annotated[Exponential | Pareto | Lognormal | Fixed, Field(discriminator="kind")]
Sizes = Annotated[Exponential | Pareto | Lognormal | Fixed | SizeTable, Field(discriminator="kind")]


def misfits(part: Part | None, allowed: Mapping[str, Kind]) -> list[InitErrorDetails]:
    """Find the distributions of a source whose mean has the wrong kind: a size for a time, or a time for a size.

    Parameters
    ----------
    part
        The source; ``None`` if one of its fields is wrong.
    allowed
        Kind of the mean of each distribution, by field: `PERIOD` or `TRANSFER`.
    """
    problems = []
    for name, kind in allowed.items() if part is not None else ():
        distribution = getattr(part, name)
        if isinstance(distribution, SizeTable):
            continue
        try:
            kind.check(distribution.mean)
        except ValueError as error:
            problems.append(errors.wrong((name, "mean"), distribution.mean, str(error)))
    return problems
