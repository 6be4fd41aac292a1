"""Every claim of sections 5.1 and 5.2 with the rule that judges it, and which of them sum the paper up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.manyflows.claims import same_delay, with_overhead
from ackclock.papers.manyflows.claims.topics import TOPICS

if TYPE_CHECKING:
    from ackclock.papers.claims import Claim
    from ackclock.papers.manyflows.evidence import Evidence

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS: tuple[Claim[Evidence], ...] = (*same_delay.CLAIMS, *with_overhead.CLAIMS)
"""In the order of the paper; keys are its sections."""
