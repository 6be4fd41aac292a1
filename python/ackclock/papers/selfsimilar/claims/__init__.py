"""The claims on Table 2 and Figures 3 to 7, and which of them sum the paper up."""

from __future__ import annotations

from ackclock.papers.selfsimilar.claims import courses, table2
from ackclock.papers.selfsimilar.experiment import DEFINITION

CLAIMS = (*table2.CLAIMS, *courses.CLAIMS)
TOPICS = tuple(DEFINITION.topics)
