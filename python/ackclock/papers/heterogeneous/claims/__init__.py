"""Every claim of the paper with the rule that judges it.

Claims on clients of one kind that the burstiness paper also makes have the rules of that study (`repeated`).
"""

from __future__ import annotations

from ackclock.papers.heterogeneous.claims import model, repeated, sharing
from ackclock.papers.heterogeneous.experiment import DEFINITION

CLAIMS = DEFINITION.ordered([*repeated.REPEATED, *sharing.CLAIMS, *model.CLAIMS])
