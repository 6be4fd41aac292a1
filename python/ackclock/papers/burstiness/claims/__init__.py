"""Every claim of the paper with its rule.

Definitions, the setup and results of other work are not claims. A claim that the paper makes in several places is
listed once, with all places.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import red, reno, traffic, vegas

CLAIMS = (*traffic.CLAIMS, *reno.CLAIMS, *vegas.CLAIMS, *red.CLAIMS, *traffic.CONCLUSIONS)
"""The claims in the order of the paper, with its sections as keys."""
