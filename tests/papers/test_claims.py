"""The rules of all claims: over generated runs each claim can pass, can fail and can stay open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as some
from tests.papers.aqm import aqm_world
from tests.papers.buffers import buffers_world
from tests.papers.burstiness import burstiness_world
from tests.papers.coexistence import coexistence_world
from tests.papers.heterogeneous import heterogeneous_world
from tests.papers.manyflows import manyflows_world
from tests.papers.selfsimilar import selfsimilar_world
from tests.papers.today import today_world
from tests.papers.vegas import vegas_world
from tests.support.papers import PAPERS
from tests.support.single_seed import single_seed
from tests.support.worlds import World, noisy

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.summary import summary
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.worlds import Change

WORLDS: dict[str, World] = {
    "aqm": aqm_world.WORLD,
    "buffers": buffers_world.WORLD,
    "burstiness": burstiness_world.WORLD,
    "characterization": heterogeneous_world.SHORT_WORLD,
    "coexistence": coexistence_world.WORLD,
    "heterogeneous": heterogeneous_world.WORLD,
    "manyflows": manyflows_world.WORLD,
    "selfsimilar": selfsimilar_world.WORLD,
    "today": today_world.WORLD,
    "vegas": vegas_world.WORLD,
}
ROWS = [
    pytest.param(world, key, verdict, changes, id=f"{name}: {key} is {verdict}")
    for name, world in WORLDS.items()
    for key, verdict, changes in world.worse
]
UNDECIDED = Verdict.UNDECIDED
NO_NUMBER = re.compile(r"\b(?:nan|inf)\b")


@pytest.mark.parametrize("name", WORLDS)
@settings(max_examples=2, deadline=None, phases=[Phase.generate], report_multiple_bugs=False)
@given(noise=some.floats(0, 1e-6), seed=some.integers(0, 1000))
def test_claims_hold_in_their_world_and_stay_open_with_one_seed(name: str, noise: float, seed: int) -> None:
    """The runs differ by noise that is drawn once for each run. There are no runs of ns-2, which never decide."""
    world, claims = WORLDS[name], WORLDS[name].paper.claims
    runs = noisy(world.runs, by=noise, seed=seed)

    found = judge(claims, Both(ours=world.derived(runs), ns2=Runs()))
    others = {one.claim.key for one in found if one.verdict is not Verdict.REPRODUCED}
    assert others == world.best.keys()

    single = judge(claims, Both(ours=world.derived(single_seed(runs)), ns2=Runs()))
    assert {one.claim.key for one in single if one.verdict is not UNDECIDED} == world.single.keys()
    assert not any(NO_NUMBER.search(cell) for one in (*found, *single) for cell in one.cells.values())


@pytest.mark.parametrize(("world", "key", "verdict", "changes"), ROWS)
def test_a_claim_turns_with_its_runs(world: World, key: str, verdict: Verdict, changes: Sequence[Change]) -> None:
    (claim,) = (claim for claim in world.paper.claims if claim.key == key)
    judged = claim.judge(world.evidence(*changes))
    assert judged.verdict is verdict, judged.why
    assert bool(judged.setting) is (verdict is Verdict.DEPENDS)


def test_each_rule_can_hold_and_can_fail() -> None:
    """A rule that several studies share is tested in one of them."""
    holds, fails = set(), set()
    for world in WORLDS.values():
        rules = {claim.key: claim.rule for claim in world.paper.claims}
        seen = [(key, world.best.get(key, Verdict.REPRODUCED)) for key in rules]
        seen += [(key, verdict) for key, verdict, _ in world.worse]
        holds |= {rules[key] for key, verdict in seen if verdict in {Verdict.REPRODUCED, Verdict.PARTLY}}
        fails |= {rules[key] for key, verdict in seen if verdict in {Verdict.NOT, Verdict.REVERSED, Verdict.DEPENDS}}
    every = {claim.rule: f"{name} {claim.key}" for name, paper in PAPERS.items() for claim in paper.claims}
    capture = {"selfsimilar 5-1"}  # its own tests have both verdicts
    assert {every[rule] for rule in every.keys() - holds} == capture
    assert {every[rule] for rule in every.keys() - fails} == capture


@pytest.mark.parametrize("name", WORLDS)
def test_the_summary_has_a_sentence_for_each_topic(name: str) -> None:
    world = WORLDS[name]
    said = summary(judge(world.paper.claims, world.evidence()), world.paper.definition.topics)
    assert len(said) == 1 + len(world.paper.definition.topics)
    assert all(one.lead for one in said)


@pytest.mark.parametrize("name", PAPERS)
def test_keys_of_claims_are_unique_and_texts_are_sentences(name: str) -> None:
    claims = PAPERS[name].claims
    assert len({claim.key for claim in claims}) == len(claims)
    assert all(claim.where and claim.text.endswith(".") and claim.rule.endswith(".") for claim in claims)
