"""The hyperbolas of Tables 4 and 5: the paper's, and those through what was measured, way by way of counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import hyperbola
from ackclock.papers.curves import curves
from ackclock.papers.manyflows.experiment import CAPACITIES, LINKS
from ackclock.papers.manyflows.places import READINGS, curve, tabled
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.analysis import Interval
    from ackclock.analysis.models import Hyperbola
    from ackclock.papers.manyflows.evidence import Side
    from ackclock.papers.observation import Observation

__all__ = ["PAPER", "TABLES", "away", "fits", "losses", "printed", "table"]

PAPER: Mapping[float, Mapping[str, tuple[float, float]]] = {
    0.0: {
        "ISDN, W_c 100": (149.2537, 0.4646),
        "ISDN, W_c 200": (333.3333, 0.5262),
        "ISDN, W_c 300": (588.2352, 0.6059),
        "ISDN, W_c 400": (1250.000, 0.9170),
        "ISDN, W_c 500": (2000.000, 1.1852),
        "T1, W_c 100": (144.9275, 0.3237),
        "T1, W_c 200": (285.7143, 0.3429),
        "T1, W_c 300": (454.5454, 0.3682),
        "T1, W_c 400": (526.3158, 0.3517),
        "T1, W_c 500": (769.2308, 0.3948),
    },
    0.1: {
        "ISDN, W_c 100": (125.0000, 0.4930),
        "ISDN, W_c 200": (217.3913, 0.5257),
        "ISDN, W_c 300": (400.0000, 0.6071),
        "ISDN, W_c 400": (714.2857, 0.7536),
        "ISDN, W_c 500": (1428.5714, 1.1110),
        "T1, W_c 100": (125.0000, 0.4263),
        "T1, W_c 200": (227.2727, 0.4505),
        "T1, W_c 300": (333.3333, 0.4690),
        "T1, W_c 400": (500.0000, 0.5123),
        "T1, W_c 500": (666.6666, 0.5366),
    },
}
"""a and b of Table 4 (without processing time) and of Table 5 (where they are "k" and "Scale"), by the curve."""

TABLES = {0.0: "Table 4", 0.1: "Table 5"}
"""What the paper calls them."""


def printed(fraction: float, name: str, connections: ArrayLike) -> NDArray[np.float64]:
    """Give the loss by the paper's curve at numbers of connections."""
    a, b = PAPER[fraction][name]
    x = np.asarray(connections, dtype=np.float64)
    return np.asarray(b * x / (x + a))


def losses(runs: Sequence[Observation]) -> dict[str, dict[int, Interval]]:
    """Give the loss that hyperbolas are laid through, by the curve: from a third of W_c connections on."""
    allowed = {curve(link, capacity): tabled(capacity) for link in LINKS.values() for capacity in CAPACITIES}
    return {
        one.variant: {flows: point for flows, point in one.points.items() if flows in allowed[one.variant]}
        for one in curves(runs, lambda run: run.values["loss"])
        if one.variant in allowed
    }


def away(runs: Sequence[Observation], fraction: float) -> dict[str, dict[int, float]]:
    """Give the mean loss over that of the paper's curve, by the curve and the connections."""
    return {
        name: {flows: float(point.mean / printed(fraction, name, flows)) for flows, point in points.items()}
        for name, points in losses(runs).items()
    }


def fits(runs: Sequence[Observation]) -> dict[str, Hyperbola]:
    """Lay a hyperbola through the mean losses of each curve that has points enough."""
    return {
        name: hyperbola(connections=list(points), loss=[point.mean for point in points.values()])
        for name, points in losses(runs).items()
        if len(points) > 2
    }


def table(ours: Side, ns2: Side, fraction: float, *, start: str) -> Table:
    """Lay out a and b of the paper, and those of our points and ns-2's, for curves whose names start so."""
    rows = []
    for reading in READINGS:
        mine, theirs = (fits(side.counted(reading, fraction)) for side in (ours, ns2))
        beside = away(ours.counted(reading, fraction), fraction)
        for name, fit in ((name, fit) for name, fit in mine.items() if name.startswith(start)):
            a, b = PAPER[fraction][name]
            other = theirs.get(name)
            rms = np.sqrt(np.mean([(1 / ratio - 1) ** 2 for ratio in beside[name].values()]))
            rows.append(
                [
                    f"{name.removeprefix(start)}, {reading.title}",
                    f"{a:.1f}",
                    f"{b:.4f}",
                    _bounded(fit.a, fit.a_bounds, 1),
                    _bounded(fit.b, fit.b_bounds, 3),
                    f"{fit.rms:.3f}",
                    f"{rms:.3f}",
                    "–" if other is None else f"{_number(other.a, 1)}, {_number(other.b, 3)}",  # noqa: RUF001
                ]
            )
    return Table(
        caption=f"{TABLES[fraction]}: p = b x / (x + a) through the mean loss of x connections, with 95 % intervals of "
        "the fit; rms of the relative differences from the fit and from the paper's own curve",
        head=["", "paper: a", "b", "Ackclock: a", "b", "rms", "rms from the paper", "ns-2: a, b"],
        rows=rows,
    )


def _bounded(value: float, bounds: tuple[float, float], digits: int) -> str:
    low, high = (_number(bound, digits) for bound in bounds)
    return f"{_number(value, digits)} ({low} to {high})"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else "∞"
