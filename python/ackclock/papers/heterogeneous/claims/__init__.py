"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

A claim on clients of one kind that the burstiness paper makes too has that study's rule (`repeated`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.heterogeneous.claims import model, repeated, sharing
from ackclock.papers.heterogeneous.claims.topics import TOPICS

if TYPE_CHECKING:
    from ackclock.papers.claims import Claim
    from ackclock.papers.heterogeneous.evidence import Evidence

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS: tuple[Claim[Evidence], ...] = (
    *repeated.ABSTRACT[:3],
    *sharing.HEADLINE,
    *repeated.ABSTRACT[3:],
    *repeated.HOMOGENEOUS,
    *sharing.HALF,
    *repeated.RED,
    *sharing.RED_BESIDE,
    *sharing.FULL,
    *sharing.DISCUSSION,
    *model.CLAIMS,
    *repeated.CONCLUSIONS,
)
"""In the order of the paper; keys are its sections."""
