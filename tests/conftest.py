"""Settings that every test shares: the same inputs, the same width of terminal, no display."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything draws or prints: both are read once, when the libraries are first loaded.
os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "100"
os.environ["NO_COLOR"] = "1"

# No deadline, for machines differ; the same examples each time, for a failure must be there again tomorrow.
settings.register_profile("ackclock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ackclock")


@pytest.fixture(scope="session")
def root() -> Path:
    """Give the checkout."""
    return Path(__file__).resolve().parent.parent
