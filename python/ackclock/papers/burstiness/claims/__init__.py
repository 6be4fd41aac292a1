"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

What the paper defines, sets up or reports from other work is no claim here; a claim made in several places stands once,
with all of them named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims import (
    conclusions,
    general,
    heavy,
    load,
    mechanisms,
    red,
    reno,
    timeouts,
    vegas,
)
from ackclock.papers.burstiness.claims.topics import TOPICS

if TYPE_CHECKING:
    from ackclock.papers.burstiness.evidence import Evidence
    from ackclock.papers.claims import Judgeable

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS: tuple[Judgeable[Evidence], ...] = (
    *general.CLAIMS,
    *load.CLAIMS,
    *heavy.CLAIMS,
    *reno.CLAIMS,
    *mechanisms.OF_RENO,
    *vegas.CLAIMS,
    *red.CLAIMS,
    *timeouts.CLAIMS,
    *mechanisms.OF_RED,
    *conclusions.CLAIMS,
)
"""In the order of the paper; keys are its sections."""
