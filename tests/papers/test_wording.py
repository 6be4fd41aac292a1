"""Texts of the studies: every rule describes its code unambiguously."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.papers import PAPERS

if TYPE_CHECKING:
    from ackclock.papers.core.claim import Claim

RULES = [(name, claim) for name, paper in PAPERS.items() for claim in paper.claims]

AMBIGUOUS = re.compile(r"\b(?:if at all|at most;|if at most(?! points)|else not|left to chance)")
"""Ambiguous phrases: *if at all* could mean "at one point" or "at every point"; *partly if at most* has no meaning."""

EXACT = {("selfsimilar", "4-1"), ("selfsimilar", "5-1")}
"""Claims that are never undecided: one is judged by a hundred paths of noise, one by printed numbers or a capture."""


@pytest.mark.parametrize(("study", "claim"), RULES, ids=lambda one: one if isinstance(one, str) else one.key)
def test_a_rule_cannot_be_read_two_ways(study: str, claim: Claim) -> None:
    assert not AMBIGUOUS.search(claim.rule), f"{study}: {claim.rule}"
    if (study, claim.key) not in EXACT:
        assert "ndecided" in claim.rule or re.match(r"(?:As|The same as) ", claim.rule), f"{study}: {claim.rule}"
