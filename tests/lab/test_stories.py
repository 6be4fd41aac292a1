"""The stories of the lab are true: what each says is judged by a rule, for several seeds and two durations."""

from __future__ import annotations

import tomllib

import pytest

from ackclock import Scenario, simulate
from lab_claims import LONGER, SEEDS, Claim, Condition, claims, simulated
from lab_parts import stories


@pytest.mark.parametrize("longer", [1, LONGER], ids=["own duration", "longer"])
@pytest.mark.parametrize("claim", claims(), ids=lambda claim: f"{claim.story}: {claim.says}")
def test_a_story_is_true(claim: Claim, longer: int) -> None:
    scenarios = claim.scenarios(longer)
    runs = [simulated(scenarios, seed) for seed in SEEDS]
    found = [claim.condition.sides(each) for each in runs]
    assert all(claim.condition.holds(each) for each in runs), f"{claim.condition}: measure and bound by seed: {found}"


def test_each_story_has_claims() -> None:
    assert {each.story for each in claims()} == {each["name"] for each in stories()}


def test_the_first_story_has_no_notice() -> None:
    first = stories()[0]
    assert simulate(Scenario.from_dict(tomllib.loads(first["toml"])), seed=int(first["seed"])).notices == ()


def test_a_false_claim_fails() -> None:
    story = next(each for each in stories() if each["name"] == "sawtooth")
    runs = simulated({"A": Scenario.from_dict(tomllib.loads(story["toml"]))}, seed=1)
    table = {"measure": "A.utilization", "is": "at most", "value": 0.9}
    assert not Condition.read(table).holds(runs)
    assert Condition.read(table | {"is": "at least"}).holds(runs)
    with pytest.raises(ValueError, match="not a condition"):
        Condition.read({"measure": "A.utilization", "is": "at most"})
