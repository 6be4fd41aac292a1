"""The study as one value: the heterogeneous study with only the scenes and the claims of this paper."""

from __future__ import annotations

from ackclock.papers.characterization.claims import CLAIMS, DEFINITION
from ackclock.papers.heterogeneous.experiment import SCENES
from ackclock.papers.heterogeneous.study import paper

PAPER = paper(DEFINITION, scenes=SCENES[:2], claims=CLAIMS, has_model=False)
