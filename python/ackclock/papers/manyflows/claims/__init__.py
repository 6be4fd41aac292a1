"""Every claim with the rule that judges it."""

from __future__ import annotations

from ackclock.papers.manyflows.claims import flows, same_delay, with_overhead
from ackclock.papers.manyflows.places import DEFINITION

CLAIMS = DEFINITION.ordered(
    [*same_delay.CLAIMS, *with_overhead.CLAIMS, *flows.INTERNET, *flows.FORMULAS, *flows.DISTANCES]
)
