"""Every claim with the rule that judges it."""

from __future__ import annotations

from ackclock.papers.manyflows.claims import flows, same_delay, with_overhead

CLAIMS = tuple(
    sorted(
        (*same_delay.CLAIMS, *with_overhead.CLAIMS, *flows.INTERNET, *flows.FORMULAS, *flows.DISTANCES),
        key=lambda claim: claim.key.split(".")[:2],
    )
)  # in the order of the paper; keys are its sections
