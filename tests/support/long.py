"""Number of repetitions in a test: few in ``make test``, many in ``make long``."""

from __future__ import annotations

import os
from typing import Final

import pytest

__all__ = ["LONG", "long_only", "often"]

LONG: Final = bool(os.environ.get("ACKCLOCK_LONG"))
"""Whether tests run in their long form. ``make long`` and ``make validation`` set ``ACKCLOCK_LONG=1``."""


long_only: Final = pytest.mark.skipif(not LONG, reason="`make long` runs it")
"""Marks a test that only runs in the long form."""


def often(usual: int, *, long: int) -> int:
    """Return the number of repetitions: ``usual``, or ``long`` in the long form."""
    return long if LONG else usual
