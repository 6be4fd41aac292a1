"""What sources draw: the lengths of periods and the sizes of transfers, each told by its mean."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock import errors
from ackclock.kinds import Kind, either, measured, number
from ackclock.quantity import SIZE, TIME
from ackclock.scenario.fields import LONGEST_WAIT
from ackclock.scenario.model import Part

PERIOD: Final = measured(TIME, "1 us", LONGEST_WAIT)
TRANSFER: Final = measured(SIZE, "1 B", "1000000 GB")

Mean = Annotated[str, either(PERIOD, TRANSFER)]
Shape = Annotated[float, number(low=1.01, high=100)]


class Fixed(Part):
    """Always the same."""

    kind: Literal["fixed"] = "fixed"
    """``fixed``."""

    mean: Mean
    """The time or size."""


class Exponential(Part):
    """An exponential distribution."""

    kind: Literal["exponential"] = "exponential"
    """``exponential``."""

    mean: Mean
    """The mean, a time or a size."""


class Pareto(Part):
    """A Pareto distribution: the chance to exceed x falls with x as a power, above the least value.

    That value is ``mean * (shape - 1) / shape``. Up to a shape of 2 the variance is infinite: a few draws make up much
    of any sum, and means over a run come to ``mean`` slowly.

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


Distribution = Annotated[Exponential | Pareto | Fixed, Field(discriminator="kind")]


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
        mean = getattr(part, name).mean
        try:
            kind.check(mean)
        except ValueError as error:
            problems.append(errors.wrong((name, "mean"), mean, str(error)))
    return problems
