"""Every claim with the rule that judges it, and which of them sum the paper up."""

from __future__ import annotations

from ackclock.papers.manyflows.claims import distances, formulas, internet, same_delay, with_overhead
from ackclock.papers.manyflows.claims.topics import TOPICS

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS = tuple(
    sorted(
        (
            *same_delay.CLAIMS,
            *with_overhead.CLAIMS,
            *internet.INTERNET,
            *formulas.FORMULAS,
            *distances.DISTANCES,
        ),
        key=lambda claim: claim.key.split(".")[:2],
    )
)
"""In the order of the paper; keys are its sections."""
