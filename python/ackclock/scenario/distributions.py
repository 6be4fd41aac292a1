"""What sources draw: the lengths of periods and the sizes of transfers."""

import itertools
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario import errors
from ackclock.scenario.fields import LONGEST_WAIT
from ackclock.scenario.kinds import Kind, either, measured, number, points, word
from ackclock.scenario.model import Part
from ackclock.scenario.quantity import SIZE, TIME
from ackclock.scenario.size_tables import TABLES

PERIOD: Final = measured(TIME, "1 us", LONGEST_WAIT)
TRANSFER: Final = measured(SIZE, "1 B", "1000000 GB")

Mean = Annotated[str, either(PERIOD, TRANSFER)]
Shape = Annotated[float, number(low=1.01, high=100)]
Sigma = Annotated[float, number(low=0.01, high=5)]
TableName = Annotated[str, word(TABLES, noun="table")]
Points = Annotated[Sequence[tuple[str, float]], points(measured(SIZE, "0 B", "1000000 GB"), SIZE, most=10_000)]

_SUMMED: Final = 10_000
"""Packets up to which the chances to need more are added up one by one."""


class _Drawn(Part):
    """A distribution, of which sizes in whole packets have a mean too."""

    @abstractmethod
    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""

    @abstractmethod
    def excess(self, bytes_: float) -> float:
        """Give the mean of what a size exceeds so many bytes by; nothing where it does not."""

    def for_engine(self, number: Callable[[str], float]) -> dict[str, Any]:
        """Give the distribution as the engine takes it; ``number`` turns a time or size into the engine's unit."""
        drawn = self.model_dump()
        return drawn | {"mean": number(drawn["mean"])}

    def mean_packets(self, payload: int) -> float:
        """Give the mean size in packets of so many bytes, rounded up to whole ones: the mean of the drawn sizes.

        It is the sum of the chances to exceed 0, 1, 2, ... packets, from `_SUMMED` on by Euler and Maclaurin's formula.
        """
        one_by_one = sum(self.above(packets * payload) for packets in range(1, _SUMMED))
        rest = _SUMMED * payload
        return 1 + one_by_one + self.excess(rest) / payload + self.above(rest) / 2


class Fixed(_Drawn):
    """Always the same."""

    kind: Literal["fixed"] = "fixed"
    """``fixed``."""

    mean: Mean
    """The time or size."""

    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""
        return float(SIZE.parse(self.mean) > bytes_)

    def excess(self, bytes_: float) -> float:
        """Give what the size exceeds so many bytes by."""
        return max(0.0, SIZE.parse(self.mean) - bytes_)

    def mean_packets(self, payload: int) -> float:
        """Give the size in whole packets of so many bytes."""
        return -(-SIZE.parse(self.mean) // payload)


class Exponential(_Drawn):
    """An exponential distribution."""

    kind: Literal["exponential"] = "exponential"
    """``exponential``."""

    mean: Mean
    """The mean, a time or a size."""

    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""
        return math.exp(-bytes_ / SIZE.parse(self.mean))

    def excess(self, bytes_: float) -> float:
        """Give the mean of what a size exceeds so many bytes by."""
        return SIZE.parse(self.mean) * self.above(bytes_)


class Pareto(_Drawn):
    """A Pareto distribution: the chance to exceed x falls with x as a power, above the least value.

    That value is ``mean * (shape - 1) / shape``. Up to a shape of 2 the variance is infinite: a few draws make up much
    of any sum, and means over a run converge to ``mean`` slowly.

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
    """The power: the smaller, the heavier the tail."""

    @property
    def _least(self) -> float:
        return SIZE.parse(self.mean) * (self.shape - 1) / self.shape

    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""
        return math.pow(self._least / max(bytes_, self._least), self.shape)

    def excess(self, bytes_: float) -> float:
        """Give the mean of what a size exceeds so many bytes by."""
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
        """Give the logarithm in standard deviations from its mean."""
        return math.log(bytes_ / SIZE.parse(self.mean)) / self.sigma + self.sigma / 2

    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""
        return NormalDist().cdf(-self._normal(bytes_))

    def excess(self, bytes_: float) -> float:
        """Give the mean of what a size exceeds so many bytes by (the formula of Black and Scholes)."""
        whole = SIZE.parse(self.mean) * NormalDist().cdf(self.sigma - self._normal(bytes_))
        return whole - bytes_ * self.above(bytes_)


class SizeTable(_Drawn):
    """Sizes by points of their distribution function, linear between them: given, or published ones by name.

    The first size comes as often as its share says: a share of 0 begins the first line. ``web-search`` is of Alizadeh
    et al., "Data Center TCP (DCTCP)" (SIGCOMM 2010), ``data-mining`` of Greenberg et al., "VL2" (SIGCOMM 2009).

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
    """A published table."""

    cdf: Points | None = None
    """Pairs of a size and the share of all sizes up to it, such as ``[["1 kB", 0.5], ["100 kB", 1]]``."""

    def for_engine(self, number: Callable[[str], float]) -> dict[str, Any]:
        """Give the table as the engine takes it; ``number`` turns a size into the engine's unit."""
        values, shares = zip(*self.points, strict=True)
        return {"kind": "table", "values": [number(value) for value in values], "shares": shares}

    @property
    def points(self) -> Sequence[tuple[str, float]]:
        """Sizes and the shares up to them."""
        if self.name is None:
            return self.cdf or ()
        return [(f"{size} B", share) for size, share in TABLES[self.name].points]

    @property
    def mean_bytes(self) -> float:
        """The mean size, before it is rounded up to whole packets."""
        return self.excess(0)

    def _lines(self) -> list[tuple[float, float, float]]:
        """Give the lines of the distribution function: from one size to another, and the share between."""
        given = [(float(SIZE.parse(size)), share) for size, share in self.points]
        lines = [(given[0][0], given[0][0], given[0][1])]
        for (low, before), (high, share) in itertools.pairwise(given):
            lines.append((low, high, share - before))
        return lines

    def above(self, bytes_: float) -> float:
        """Give the chance of a size above so many bytes."""
        return sum(
            share * (min(1.0, max(0.0, (high - bytes_) / (high - low))) if high > low else float(high > bytes_))
            for low, high, share in self._lines()
        )

    def excess(self, bytes_: float) -> float:
        """Give the mean of what a size exceeds so many bytes by."""
        total = 0.0
        for low, high, share in self._lines():
            if high > bytes_:
                least = max(low, bytes_)
                part = 1.0 if high == low else (high - least) / (high - low)
                total += share * part * ((least + high) / 2 - bytes_)
        return total

    def mean_packets(self, payload: int) -> float:
        """Give the mean size in packets of so many bytes, rounded up to whole ones.

        On a line that is the mean of ``ceil``, whose integral up to x is ``m (m + 1) / 2 + (m + 1) (x - m)``, with m
        whole packets in x.
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
        """Check that there is one table."""
        given = [name for name in ("name", "cdf") if data.get(name) is not None]
        if len(given) == 2:
            return [errors.wrong(("cdf",), data["cdf"], "must be absent where a published table is named")]
        if not given:
            return [errors.missing(("name",), f"must be one of {', '.join(TABLES)}, where there is no cdf")]
        if part is not None and part.cdf and SIZE.parse(part.cdf[-1][0]) == 0:
            return [errors.wrong(("cdf",), part.cdf[-1][0], "must end with a size above 0 B")]
        return []


Distribution = Annotated[Exponential | Pareto | Lognormal | Fixed, Field(discriminator="kind")]
Sizes = Annotated[Exponential | Pareto | Lognormal | Fixed | SizeTable, Field(discriminator="kind")]


def misfits(part: Part | None, allowed: Mapping[str, Kind]) -> list[InitErrorDetails]:
    """Find the distributions of a source whose mean is not of the kind that it needs there.

    Parameters
    ----------
    part
        The source, if every field of it is right by itself.
    allowed
        What the mean of each distribution can be, by field: `PERIOD` or `TRANSFER`.
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
