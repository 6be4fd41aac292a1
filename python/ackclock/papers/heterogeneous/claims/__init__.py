"""Every claim of the paper with the rule that judges it.

A claim on clients of one kind that the burstiness paper makes too has that study's rule (`repeated`).
"""

from __future__ import annotations

from ackclock.papers.heterogeneous.claims import model, repeated, sharing
from ackclock.papers.heterogeneous.experiment import DEFINITION

CLAIMS = DEFINITION.ordered([*repeated.REPEATED, *sharing.CLAIMS, *model.CLAIMS])
