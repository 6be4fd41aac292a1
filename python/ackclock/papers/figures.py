"""Styles of series in figures: pens, our means with intervals, and ns-2's points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.report.chart import Dash, Marker, Series
from ackclock.report.style import COLOURS
from ackclock.scenario.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Pen:
    """Style of a variant in all figures."""

    colour: str
    marker: Marker
    dash: Dash = "solid"

    def __post_init__(self) -> None:
        """Refuse a colour that no figure has."""
        if self.colour not in COLOURS:
            raise refuse("colour", self.colour, f"must be one of {', '.join(COLOURS)}")


def own(variant: str, points: Mapping[int, Interval] | Mapping[float, Interval], pen: Pen) -> Series:
    """Draw our means of a variant over the x axis, with intervals."""
    return Series(
        name=variant,
        x=list(points),
        y=[interval.mean for interval in points.values()],
        colour=pen.colour,
        marker=pen.marker,
        dash=pen.dash,
        error=[interval.half_width for interval in points.values()],
    )


def theirs(variant: str, points: Mapping[int, Interval] | Mapping[float, Interval], pen: Pen) -> Series:
    """Draw ns-2's means of a variant as hollow markers, shown and hidden together with our curve."""
    return Series(
        name=f"{variant}, ns-2.35",
        x=list(points),
        y=[interval.mean for interval in points.values()],
        colour=pen.colour,
        marker=pen.marker,
        dash="none",
        filled=False,
        size=7.5,
        listed=False,
        group=variant,
    )


HOLLOW = Series(
    name="hollow: ns-2.35", x=[np.nan], y=[np.nan], colour="ink", marker="circle", dash="none", filled=False, size=7.5
)
"""Legend entry of ns-2's markers."""
