"""The tests for a hump of energy and for spectral lines, computed by hand: each comparison at its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ackclock.analysis.scaling import disguises

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL = [0.01] * 5
UNEVEN = [0.01, 0.01, 0.3, 0.32**0.5, 0.32**0.5]
"""The error of the fall is 0.5, the root of 0.3² + 0.4², with 0.4² = 1 / (2 / 0.32)."""
WEIGHTED = [0.01, 0.01, 0.01, 0.1, 0.2]
"""The last but one octave has four times the weight of the last one."""


@pytest.mark.parametrize(
    ("energies", "errors", "length"),
    [
        ([0, 1, 3, 1.9, 1.9], SMALL, 8),
        ([0, 1, 3, 2, 2], SMALL, None),  # it must fall by more than a half: 1 in logarithms to base 2
        ([2, 2.5, 3, 1, 1], SMALL, None),  # it must also rise by more than that
        ([1.9, 2.5, 3, 1, 1], SMALL, 8),
        ([2.5, 1.9, 3, 1, 1], SMALL, 8),  # from the lowest octave before it
        ([2.5, 2.9, 3, 1, 1], SMALL, None),
        ([0, 1, 3, 2.9, 2.9], SMALL, None),
        ([0, 1, 3, 1, 1], UNEVEN, None),  # the fall must exceed four errors
        ([0, 1, 3, 0.99, 0.99], UNEVEN, 8),
        ([0, 1, 3, 1.8, 2.75], WEIGHTED, 8),  # 1.99 on average
        ([0, 1, 3, 1.8, 2.85], WEIGHTED, None),  # 2.01
        ([0, 3, 1.5, 1.5, 1.5], SMALL, 4),
        ([3, 1, 1, 1, 1], SMALL, None),  # no octave before the maximum
        ([0, 1, 2, 3, 5], SMALL, None),  # no octave beyond the maximum
        ([0, 1, 2, 5, 3], SMALL, 16),
    ],
)
def test_a_hump_rises_and_falls(
    monkeypatch: pytest.MonkeyPatch, energies: Sequence[float], errors: Sequence[float], length: float | None
) -> None:
    diagram = np.arange(1, 6), np.array(energies, dtype=float), np.array(errors), None
    monkeypatch.setattr(disguises, "log_scale_diagram", lambda _: diagram)
    series = np.modf(np.sqrt(2) * np.arange(1, 200) ** 2)[0]  # no line in its spectrum
    assert disguises.cycle(series) == length


@pytest.mark.parametrize(("periods", "length"), [(15, None), (16, 64), (40, 25.6)])
def test_a_line_needs_sixteen_periods(monkeypatch: pytest.MonkeyPatch, periods: int, length: float | None) -> None:
    flat = np.arange(1, 6), np.zeros(5), np.ones(5), None
    monkeypatch.setattr(disguises, "log_scale_diagram", lambda _: flat)
    noise = np.modf(np.sqrt(2) * np.arange(1, 1025) ** 2)[0]
    assert disguises.cycle(noise + np.sin(2 * np.pi * periods * np.arange(1024) / 1024)) == length
