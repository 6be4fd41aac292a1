"""The scorecard of queue disciplines, beside what RFCs and papers say of them."""

from __future__ import annotations

import functools
import statistics

import pytest

import ackclock as ac
from ackclock.scorecard.card import Examined, examine
from ackclock.scorecard.evaluating import evaluate_queue, queue_named
from ackclock.scorecard.experiment import Scope
from ackclock.scorecard.queues import EXPERIMENTS


@functools.cache
def seen_in(queue: str, experiment: str, place: str) -> Examined:
    """Run a discipline in one network, beside drop-tail."""
    chosen = next(each for each in EXPERIMENTS if each.key == experiment)
    cell = next(each for each in chosen.cells(Scope(fast=False)) if each.place == place)
    return examine([cell], queue_named("queue", queue), queue_named("against", "droptail"), seeds=range(1, 4))[0]


def mean(queue: str, experiment: str, place: str, measure: str) -> float:
    values = seen_in(queue, experiment, place).seen[measure].own
    return statistics.fmean(value for value in values if value is not None)


MODERATE, HEAVY = (f"{count} flows, 10 Mb/s, 100 ms, buffer 1 BDP" for count in (2, 30))


@pytest.mark.slow
def test_codel_holds_its_target_under_moderate_load() -> None:
    """Nichols and Jacobson, ACM Queue 2012, figure 5: delays near the target of 5 ms, use above 90 %."""
    assert mean("codel", "congestion", MODERATE, "mean queueing delay") < 10
    assert mean("codel", "congestion", MODERATE, "utilization") > 90


@pytest.mark.slow
def test_pie_holds_its_target_with_many_flows_and_codel_does_not() -> None:
    """Pan et al., HPSR 2013, section V: PIE steers to its target (15 ms) for any load; CoDel's delay grows."""
    delay = "mean queueing delay"
    assert 10 < mean("pie", "congestion", HEAVY, delay) < 22.5
    assert mean("codel", "congestion", HEAVY, delay) > 2 * mean("codel", "congestion", MODERATE, delay)


@pytest.mark.slow
def test_fair_queues_give_equal_rates_whatever_the_round_trip_times() -> None:
    """RFC 8290, section 1.2: flow isolation."""
    place = "20 ms beside 100 ms, 10 Mb/s"
    assert mean("fq_codel", "round_trips", place, "larger rate over the smaller") < 1.25
    assert mean("codel", "round_trips", place, "larger rate over the smaller") > 2


@pytest.mark.parametrize("fast", [True, False])
def test_all_experiments_have_valid_networks_with_different_names(*, fast: bool) -> None:
    assert len({each.key for each in EXPERIMENTS}) == len(EXPERIMENTS) == 10
    for experiment in EXPERIMENTS:
        cells = list(experiment.cells(Scope(fast=fast)))
        whole = {cell.place for cell in experiment.cells(Scope(fast=False))}
        assert len({cell.place for cell in cells}) == len(cells) > 0
        assert {cell.place for cell in cells} <= whole
        for cell in cells:
            assert experiment.headline in {measure.name for measure in cell.measures}
            assert cell.scenario(queue_named("queue", "cake")).profile == "linux"


def test_a_discipline_in_python_is_evaluated_like_a_built_in_one(root: object) -> None:
    """`examples/droptail.py` is drop-tail, so that both have the same runs."""
    card = evaluate_queue(f"{root}/examples/droptail.py:DropTail", fast=True, seeds=3, only=["crowd"])
    assert card.name == "DropTail"
    assert set(card.verdicts.values()) == {"pass"}
    for result in card.results.values():
        assert all(seen.own == seen.yardstick for cell in result.cells for seen in cell.seen.values())


def test_bad_input_names_the_field() -> None:
    with pytest.raises(ac.ScenarioError, match=r"queue: 'codl' is not allowed; did you mean 'codel'\?"):
        evaluate_queue("codl")
    with pytest.raises(ac.ScenarioError, match=r"only: 'alone' is not allowed; must be one of congestion"):
        evaluate_queue("codel", only=["alone"])
