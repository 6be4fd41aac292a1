"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

A claim on clients of one kind that the burstiness paper makes too has that study's rule (`repeated`).
"""

from __future__ import annotations

from ackclock.papers.heterogeneous.claims import model, repeated, sharing
from ackclock.papers.heterogeneous.claims.topics import TOPICS

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS = (
    *repeated.ABSTRACT[:3],
    *sharing.HEADLINE,
    *repeated.ABSTRACT[3:],
    *repeated.HOMOGENEOUS,
    *sharing.HALF,
    *repeated.RED,
    *sharing.RED_BESIDE,
    *sharing.FULL_LINK,
    *sharing.DISCUSSION,
    *model.CLAIMS,
    *repeated.CONCLUSIONS,
)
