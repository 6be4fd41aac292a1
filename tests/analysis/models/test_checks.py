"""Checks of the models' arguments: each bound, with the values on both sides of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ackclock.analysis.models._checks import reals, refuse_below, refuse_unless_positive, refuse_unless_together


@pytest.mark.parametrize(
    ("bounds", "good", "bad", "allowed"),
    [
        ({}, [-1e300, 0, 1e300], [math.inf, -math.inf, math.nan], "must be finite"),
        ({"above": 0}, [5e-324, 1e300], [0, -1, math.inf, math.nan], "must be above 0"),
        ({"low": 1}, [1, 1.5], [0.999, math.inf, math.nan], "must be at least 1"),
        ({"low": 1, "endless": True}, [1, math.inf], [0.999, -math.inf, math.nan], "must be at least 1"),
        ({"below": 1}, [-5, 0.999], [1, math.inf, -math.inf, math.nan], "must be below 1"),
        ({"above": 0, "below": 1}, [0.5], [0, 1], "must be above 0 and below 1"),
        ({"low": 0, "below": 1}, [0, 0.5], [-0.1, 1], "must be at least 0 and below 1"),
    ],
)
def test_bounds(bounds: dict[str, Any], good: list[float], bad: list[float], allowed: str) -> None:
    assert reals("p", good, **bounds).tolist() == good
    for value in bad:
        with pytest.raises(ValueError, match=f"^p: {float(value)} is not allowed: {allowed}$"):
            reals("p", [good[0], value], **bounds)
    with pytest.raises(ValueError, match="p: 'x' is not allowed: must be numbers"):
        reals("p", "x", **bounds)


def test_numbers() -> None:
    refuse_below(1, some=1, other=1.5)
    refuse_unless_positive(some=5e-324)
    for wrong in (0.99, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"other: {wrong} is not allowed: must be at least 1"):
            refuse_below(1, some=1, other=wrong)
    for wrong in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"other: {wrong} is not allowed: must be above 0"):
            refuse_unless_positive(some=1, other=wrong)


def test_shapes() -> None:
    refuse_unless_together(a=np.zeros((2, 1)), b=np.zeros(3), c=np.zeros(()))
    with pytest.raises(ValueError, match=r"shapes cannot be broadcast together: a \(2,\), b \(3,\)$"):
        refuse_unless_together(a=np.zeros(2), b=np.zeros(3), c=np.zeros(()))
