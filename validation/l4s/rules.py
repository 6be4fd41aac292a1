"""Rules of the comparison."""

from __future__ import annotations

from typing import Final

ALLOWED: Final = 0.05
"""Largest difference of two shares that agree."""
BAR: Final = 125
"""Required number of the 144 shares that agree."""
SEEDS: Final = (1, 2, 3)
SPREAD_MS: Final = 100
"""The flows start at random times within this time."""
