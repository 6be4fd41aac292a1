"""Means over seeds with intervals, by number of clients."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = ["Curve", "curves"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """One measure of one variant against the number of clients.

    Parameters
    ----------
    variant
        Name of the variant.
    points
        Pairs of a number of clients and the measure's interval, in increasing order of clients.

    """

    variant: str
    points: dict[int, Interval]


def curves(observations: Iterable[Observation], measure: Callable[[Observation], float | None]) -> list[Curve]:
    """Average a measure over seeds for each variant and number of clients.

    Parameters
    ----------
    observations
        Runs of our engine or of ns-2.
    measure
        The measure in the unit of the figure; runs without this number are omitted.

    Returns
    -------
    list of Curve
        The curves, in the order of the variants, without variants that have no point.

    """
    samples: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for observation in observations:
        value = measure(observation)
        if value is not None:
            samples[observation.variant][observation.clients].append(value)
    return [
        Curve(
            variant=variant,
            points={clients: student_interval(sample) for clients, sample in sorted(counts.items())},
        )
        for variant, counts in samples.items()
    ]
