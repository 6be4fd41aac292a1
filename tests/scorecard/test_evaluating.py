"""An evaluation: cells, rules, verdicts, and the page."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ackclock as ac
from ackclock.scorecard.evaluating import evaluate, queue_named, transport
from ackclock.scorecard.experiment import Setting
from ackclock.scorecard.experiments import EXPERIMENTS
from ackclock.scorecard.measures import LOSS
from ackclock.scorecard.rules import Beside, Limit, Verdict, combined

KEYS = ["real_time", "extremes"]


@pytest.fixture(scope="module")
def card() -> ac.Scorecard:
    return evaluate("vegas", fast=True, seeds=3, only=KEYS)


def test_a_law_in_its_own_place_is_as_good() -> None:
    """Both have the same runs, so that no rule beside the yardstick can fail."""
    own = evaluate("reno", against="reno", fast=True, seeds=3, only=KEYS)
    assert set(own.verdicts.values()) == {Verdict.PASS}
    for result in own.results.values():
        assert all(seen.own == seen.yardstick for cell in result.cells for seen in cell.seen.values())


@given(st.lists(st.floats(0, 100), min_size=3, max_size=8), st.floats(0, 10), st.floats(0, 1))
def test_a_wider_limit_never_turns_a_pass(values: list[float], by: float, part: float) -> None:
    yardstick = [10.0] * len(values)
    verdicts = [
        Beside(measure=LOSS, worse="higher", by=factor * by, part=factor * part).judge(values, yardstick)
        for factor in (1, 2, 4)
    ]
    order = [Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS]
    assert sorted(verdicts, key=order.index) == verdicts


def test_a_number_that_only_the_yardstick_has_fails() -> None:
    rule = Beside(measure=LOSS, worse="higher")
    assert rule.judge([None, 1, 1], [1, 1, 1]) == "fail"
    assert rule.judge([1, 1, 1], [None, 1, 1]) == "undecided"
    assert Limit(measure=LOSS, worse="higher", than=1).judge([None, 0, 0], ()) == "undecided"


def test_an_experiment_fails_with_any_rule_and_passes_with_all() -> None:
    assert combined([]) == "pass"
    assert combined([Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED]) == "fail"


def test_the_queue_of_the_measured_link_can_be_chosen() -> None:
    setting = Setting(against=transport("against", "cubic"), fast=True, queue=queue_named("queue", "codel"))
    chosen = next(each for each in EXPERIMENTS if each.key == "itself")
    for cell in chosen.cells(setting):
        dumbbell = cell.scenario(ac.Tcp("reno")).dumbbell
        assert dumbbell is not None
        assert dumbbell.bottleneck.queue is not None
        assert dumbbell.bottleneck.queue.kind == "codel"


@pytest.mark.parametrize("fast", [True, False])
def test_all_experiments_have_valid_networks_with_different_names(*, fast: bool) -> None:
    setting = Setting(against=transport("against", "cubic"), fast=fast, queue=queue_named("queue", "droptail"))
    assert len({each.key for each in EXPERIMENTS}) == len(EXPERIMENTS) == 22
    for experiment in EXPERIMENTS:
        cells = list(experiment.cells(setting))
        assert len({cell.place for cell in cells}) == len(cells) > 0
        for cell in cells:
            assert cell.rules
            assert experiment.headline in {measure.name for measure in cell.measures}
            assert cell.scenario(ac.Tcp("bbr")).profile == "linux"


def test_every_network_of_a_fast_evaluation_is_in_the_whole_one() -> None:
    for experiment in EXPERIMENTS:
        whole, fast = (
            {
                cell.place
                for cell in experiment.cells(
                    Setting(against=ac.Tcp("cubic"), fast=fast, queue=queue_named("queue", "droptail"))
                )
            }
            for fast in (False, True)
        )
        assert fast <= whole, experiment.key


def test_the_page_has_every_number_and_its_rule(card: ac.Scorecard) -> None:
    page = card.page("ackclock evaluate vegas").replace("\N{NO-BREAK SPACE}", " ")
    assert card.answer() in page
    for result in card.results.values():
        assert result.experiment.question in page
        for cell in result.cells:
            assert cell.cell.place in page
    assert card.page("ackclock evaluate vegas") == card.page("ackclock evaluate vegas")
    assert "fail" in card._repr_html_()


def test_json_has_the_values_of_each_seed(card: ac.Scorecard) -> None:
    found = json.loads(json.dumps(card.to_dict(), allow_nan=False))
    assert [each["key"] for each in found["experiments"]] == KEYS
    assert found["seeds"] == [1, 2, 3]
    for experiment in found["experiments"]:
        for cell in experiment["cells"]:
            assert cell["verdict"] in {"pass", "fail", "undecided"}
            assert all(len(each["own"]) == len(each["against"]) == 3 for each in cell["measures"].values())


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"law": "cubik"}, r"law: 'cubik' is not allowed; did you mean 'cubic'\? must be one of bbr, .*"),
        ({"law": "cubic", "against": "x"}, r"against: 'x' is not allowed"),
        ({"law": "cubic", "queue": "priority"}, r"queue: 'priority' is not allowed; must be one of cake"),
        ({"law": "cubic", "only": ["x"]}, r"only: 'x' is not allowed; must be one of alone"),
        ({"law": "cubic", "seeds": 2}, r"seeds: 2 is not allowed; must be an integer from 3 to 1000"),
        ({"law": "nofile.py:Law"}, r"nofile\.py"),
    ],
)
def test_bad_input_names_the_field(given_: dict[str, object], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        evaluate(**given_)  # type: ignore[arg-type]
