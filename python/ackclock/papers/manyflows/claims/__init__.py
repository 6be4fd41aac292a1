"""Every claim with the rule that judges it."""

from __future__ import annotations

from ackclock.papers.manyflows.claims import distances, formulas, internet, same_delay, with_overhead

__all__ = ["CLAIMS"]

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
)  # in the order of the paper; keys are its sections
