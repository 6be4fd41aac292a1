"""Recommendations survive more seeds and fewer users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.long import long_only

from advice import LINKS, tried

if TYPE_CHECKING:
    from pathlib import Path


@long_only
@pytest.mark.slow
def test_the_first_link(tmp_path: Path) -> None:
    """Validates: the recommendation for the first of ten links stays among the best with other seeds and fewer users.

    Source: twice the seeds, and half the users; `validation/advice.py` does the same for all ten links.
    Tolerance: the same contender, or one that is as good.
    """
    _, found = tried(LINKS[0], tmp_path / "store")
    assert set(found) <= {"same", "as good"}
