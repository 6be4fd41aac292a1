"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

What the paper defines, sets up or reports from other work is no claim here; a claim made in several places stands once,
with all of them named.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import red, reno, traffic, vegas
from ackclock.papers.burstiness.claims.topics import TOPICS

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS = (*traffic.CLAIMS, *reno.CLAIMS, *vegas.CLAIMS, *red.CLAIMS, *traffic.CONCLUSIONS)
"""In the order of the paper; keys are its sections."""
