"""Texts of the studies: every rule describes its code unambiguously."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ackclock.papers.burstiness.claims import CLAIMS as BURSTINESS
from ackclock.papers.characterization.claims import CLAIMS as CHARACTERIZATION
from ackclock.papers.heterogeneous.claims import CLAIMS as HETEROGENEOUS
from ackclock.papers.manyflows.claims import CLAIMS as MANYFLOWS
from ackclock.papers.selfsimilar.claims import CLAIMS as SELFSIMILAR
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS
from ackclock.papers.vegas.claims import CLAIMS as VEGAS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.claim import Claim

STUDIES: dict[str, Sequence[Claim]] = {
    "burstiness": BURSTINESS,
    "characterization": CHARACTERIZATION,
    "heterogeneous": HETEROGENEOUS,
    "manyflows": MANYFLOWS,
    "selfsimilar": (*SELFSIMILAR, *LAST_HOP_CLAIMS, *TRAFFIC_CLAIMS),
    "vegas": VEGAS,
}
RULES = [(study, claim) for study, claims in STUDIES.items() for claim in claims]

AMBIGUOUS = re.compile(r"\b(?:if at all|at most;|if at most(?! points)|else not|left to chance)")
"""Ambiguous phrases: *if at all* could mean "at one point" or "at every point"; *partly if at most* has no meaning."""

EXACT = {("selfsimilar", "4-1"), ("selfsimilar", "5-1")}
"""Claims that are never undecided: one is judged by a hundred paths of noise, one by printed numbers or a capture."""


@pytest.mark.parametrize(("study", "claim"), RULES, ids=lambda one: one if isinstance(one, str) else one.key)
def test_a_rule_cannot_be_read_two_ways(study: str, claim: Claim) -> None:
    assert not AMBIGUOUS.search(claim.rule), f"{study}: {claim.rule}"
    if (study, claim.key) not in EXACT:
        assert "ndecided" in claim.rule or re.match(r"(?:As|The same as) ", claim.rule), f"{study}: {claim.rule}"
