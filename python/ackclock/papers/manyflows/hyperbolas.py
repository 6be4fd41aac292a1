"""The hyperbolas of Tables 4 and 5: the paper's and ours, for each way of counting losses."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import Hyperbola, hyperbola
from ackclock.papers.core.words import DASH
from ackclock.papers.manyflows.experiment import LINKS
from ackclock.papers.manyflows.measures import LOST_PART, OVER_PAPER
from ackclock.papers.manyflows.places import CURVES, DEFINITION, NEAR, PAPER, READINGS, TABLES, Reading

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Evidence, Scalar, Side
    from ackclock.papers.core.measures import Measure
    from ackclock.report.html import Table


def _lines(of: Measure, side: Side, reading: Reading, processing: str, link: str) -> dict[str, dict[Scalar, float]]:
    with suppress(LookupError):
        found = of.at("grid", counting=reading.title, processing=processing, curve=CURVES[link]).points(side)
        lines = found.map(lambda point: point.mean).along("connections").cells
        return {str(name): line for (name,), line in lines.items()}
    return {}


def fits(side: Side, reading: Reading, processing: str, link: str) -> dict[str, Hyperbola]:
    """Fit a hyperbola to the mean losses of each curve with three points or more."""
    return {
        name: hyperbola(connections=list(line), loss=list(line.values()))
        for name, line in _lines(LOST_PART, side, reading, processing, link).items()
        if len(line) > 2
    }


def away(side: Side, reading: Reading, processing: str, link: str) -> dict[str, list[float]]:
    """Return the ratio of the mean loss to the paper's curve at each point, by the name of the curve."""
    return {name: list(line.values()) for name, line in _lines(OVER_PAPER, side, reading, processing, link).items()}


def table(evidence: Evidence, *, processing: str, link: str) -> Table:
    rows = []
    for reading in READINGS:
        mine, theirs = (fits(side, reading, processing, link) for side in (evidence.ours, evidence.ns2))
        ratios = away(evidence.ours, reading, processing, link)
        for name, fit in mine.items():
            a, b = PAPER[processing][name]
            rms = np.sqrt(np.mean([(1 / ratio - 1) ** 2 for ratio in ratios[name]]))
            other = f"{_number(theirs[name].a, 1)}, {_number(theirs[name].b, 3)}" if name in theirs else DASH
            bounds = (_bounded(fit.a, fit.a_bounds, 1), _bounded(fit.b, fit.b_bounds, 3))
            words = f"{name.removeprefix(f'{link}, ')}, {reading.title}"
            rows.append([words, f"{a:.1f}", f"{b:.4f}", *bounds, f"{fit.rms:.3f}", f"{rms:.3f}", other])
    return DEFINITION.laid_out("hyperbolas", rows, table=TABLES[processing])


def overview(evidence: Evidence) -> Table:
    """Make the table that compares each way of counting with the paper's tables, for both simulators."""
    columns = [(processing, link) for processing in TABLES for link in LINKS]
    rows = [
        [f"{name}, {reading.title}", *(_near(side, reading, *column) for column in columns)]
        for reading in READINGS
        for name, side in (("Ackclock", evidence.ours), ("ns-2.35", evidence.ns2))
    ]
    return DEFINITION.laid_out("overview", [row for row in rows if set(row[1:]) != {DASH}])


def _near(side: Side, reading: Reading, processing: str, link: str) -> str:
    found = [ratio for line in away(side, reading, processing, link).values() for ratio in line]
    return (
        f"{sum(abs(ratio - 1) <= NEAR for ratio in found)} of {len(found)}; {np.median(found):.2f}" if found else DASH
    )


def _bounded(value: float, bounds: tuple[float, float], digits: int) -> str:
    low, high = (_number(bound, digits) for bound in bounds)
    return f"{_number(value, digits)} ({low} to {high})"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else "∞"
