"""Words of the studies: every rule says what its code does, in terms that cannot be read two ways."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ackclock.experiments.burstiness.claims import CLAIMS as BURSTINESS
from ackclock.experiments.heterogeneous.claims import CLAIMS as HETEROGENEOUS
from ackclock.experiments.manyflows.claims import CLAIMS as MANYFLOWS
from ackclock.experiments.manyflows.flow_studies import FLOW_CLAIMS
from ackclock.experiments.selfsimilar.claims import CLAIMS as SELFSIMILAR
from ackclock.experiments.selfsimilar.claims.future import FUTURE_CLAIMS
from ackclock.experiments.selfsimilar.claims.scales import SCALES_CLAIMS
from ackclock.experiments.vegas.claims import CLAIMS as VEGAS

if TYPE_CHECKING:
    from ackclock.experiments.claims import Claim

_THEIRS = {claim.rule for claim in BURSTINESS}

RULES: list[Claim[Any]] = [
    *(claim for claim in HETEROGENEOUS if claim.rule not in _THEIRS),
    *MANYFLOWS,
    *FLOW_CLAIMS,
    *SELFSIMILAR,
    *FUTURE_CLAIMS,
    *SCALES_CLAIMS,
    *VEGAS,
]

AMBIGUOUS = re.compile(r"\b(?:if at all|at most;|if at most(?! points)|else not|left to chance)")
"""*If at all* means "if even once" where "at every point" is meant; *partly if at most* says nothing."""


@pytest.mark.parametrize("claim", RULES, ids=lambda claim: claim.key)
def test_a_rule_cannot_be_read_two_ways(claim: Claim[Any]) -> None:
    assert not AMBIGUOUS.search(claim.rule), claim.rule


EXACT = {claim for claim in SELFSIMILAR if claim.key in {"4-1", "5-1"}}
"""Judged by a hundred paths of noise, and by printed numbers or one capture: there is nothing to leave open."""


@pytest.mark.parametrize("claim", [claim for claim in RULES if claim not in EXACT], ids=lambda claim: claim.key)
def test_a_rule_says_what_is_undecided(claim: Claim[Any]) -> None:
    assert claim.rule.startswith("As ") or "ndecided" in claim.rule, claim.rule
