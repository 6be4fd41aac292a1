"""What a study asks: the keys of its table, their errors, and where its store keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import study

import ackclock as ac
from ackclock.study.asking import Asking

if TYPE_CHECKING:
    from pathlib import Path

ASKED: dict[str, Any] = {
    "question": "Which law keeps the delay low?",
    "measures": ["goodput_bps", "clients-0.delay_mean"],
    "objective": {"measure": "clients-0.delay_mean", "better": "lower"},
}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"question": ""}, "question: '' is not allowed; must be a text of 1 to 500 printable characters"),
        ({"question": "a\nb"}, "question: 'a?b' is not allowed; must be a text"),
        ({"measures": "cov"}, "measures: 'cov' is not allowed; must be an array of 1 to 20 different measures"),
        ({"measures": ["cov", "cov"]}, "measures: an array is not allowed; must be an array of 1 to 20 different"),
        ({"measures": ["covv"]}, "measures.0: 'covv' is not allowed; did you mean 'cov'? must be one of"),
        ({"measures": ["completion_p95"]}, "a measure of a group is written as GROUP.completion_p95"),
        ({"measures": ["clients-0.delay_men"]}, "did you mean 'clients-0.delay_mean'?"),
        ({"measures": ["client-0.delay_mean"]}, "did you mean 'clients-0.delay_mean'? must be one of"),
        ({"objective": {"measure": "cov"}}, "objective.better: missing; must be one of lower, higher"),
        ({"objective": {"measure": "cov", "better": "big"}}, "objective.better: 'big' is not allowed"),
        ({"objective": {"measure": "web.cov", "better": "lower"}}, "objective.measure: 'web.cov' is not allowed"),
        ({"objective": "cov"}, "objective: 'cov' is not allowed; must be a table with measure, better"),
    ],
)
def test_what_is_not_allowed_has_one_error_with_its_path(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        study(**given)
    assert says in str(error.value)


def test_groups_that_only_points_make_are_not_judged() -> None:
    group = {"count": 1, "name": "calls", "transport": {"kind": "udp"}, "source": {"kind": "poisson", "rate": 10}}
    assert study(
        over=None,
        variants={"one": {"clients": [group]}},
        objective={"measure": "calls.delay_mean", "better": "lower"},
    ).objective


def test_a_store_keeps_what_the_last_study_asked(tmp_path: Path) -> None:
    plain = study(over=None, replications=3)
    with ac.sweep(plain, store=tmp_path / "store") as store:
        assert store.asked == {}
        before = (tmp_path / "store" / "store.json").read_bytes()
        assert b"asked" not in before
    asking = study(over=None, replications=3, **ASKED)
    assert Asking.model_validate(ac.sweep(asking, store=tmp_path / "store").asked).asked == ASKED
    assert ac.sweep(plain, store=tmp_path / "store").asked == ASKED
