"""Every claim on Table 2 and Figures 4 to 7 with the rule that judges it, and which of them sum the paper up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.selfsimilar.claims import courses, memory, table2
from ackclock.papers.selfsimilar.claims.topics import TOPICS

if TYPE_CHECKING:
    from ackclock.papers.claims import Claim
    from ackclock.papers.selfsimilar.evidence import Evidence

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS: tuple[Claim[Evidence], ...] = (*memory.METHOD, *table2.CLAIMS, *memory.OWN, *courses.CLAIMS)
"""In the order of the paper; keys are its sections."""
