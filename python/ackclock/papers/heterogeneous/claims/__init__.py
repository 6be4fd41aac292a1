"""Every claim of the paper with the rule that judges it.

Claims on clients of one kind that the burstiness paper also makes have the rules of that study, which `claims.toml`
names.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import CLAIMS as ALONE
from ackclock.papers.heterogeneous.claims import model, sharing
from ackclock.papers.heterogeneous.experiment import DEFINITION

CLAIMS = DEFINITION.ordered([*DEFINITION.repeated("burstiness", ALONE), *sharing.CLAIMS, *model.CLAIMS])
