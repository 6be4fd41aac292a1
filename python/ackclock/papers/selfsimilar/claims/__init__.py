"""The claims on Table 2 and Figures 3 to 7."""

from __future__ import annotations

from ackclock.papers.selfsimilar.claims import courses, table2

CLAIMS = (*table2.CLAIMS, *courses.CLAIMS)
