"""The survey of a study, and interrupts while it runs."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest
from tests.study.small import scenario, study

import ackclock as ac
from ackclock.study import survey as surveying
from ackclock.study.interruption import Interruption
from ackclock.study.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_equal_points_are_refused_with_both_names() -> None:
    """The bin of 100 ms is the default, so the second and the third point are equal."""
    points = [{"measure.bin": "50 ms"}, {"duration": "2 s"}, {"measure.bin": "100 ms"}]
    with pytest.raises(ac.ScenarioError) as caught:
        Survey.of(study(over=None, points=points, scenario=scenario(measure=ac.Measure(bin="100 ms"))))
    assert "must differ from the scenario of the point duration = '2 s'" in str(caught.value)
    assert "points.2: measure.bin = '100 ms'" in str(caught.value)


def test_prepared_points_are_kept_up_to_a_limit_and_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveying, "_KEPT", 2)
    found = Survey.of(study(over={"clients.0.count": [2, 3, 4]}))
    places = list(found.study.places())
    first = found._sites[0]
    assert list(found._sites) == [0, 1]
    assert found.site(0, places[0]) is first
    assert found.site(0, places[0]) is not first
    assert [found.site(number, place).scenario_id for number, place in enumerate(places)] == found.scenario_ids


def test_the_runs_of_a_point_that_a_store_has() -> None:
    found = Survey.of(study(over={"clients.0.count": [2, 3]}, replications=(7, 9)))
    ids = {seed: found.site(1, place).job(seed).run_id for place in [*found.study.places()][1:] for seed in (7, 8, 9)}
    course = found.course(1, {ids[7]: 0.5, ids[8]: 0.25, "other": 1.0})
    assert (course.values, list(course.due)) == ({7: 0.5}, [9])
    assert list(found.course(0, {ids[7]: 0.5}).due) == [7, 9]
    rule = {"until": "5 %", "measure": "loss", "most": 6}
    sequential = Survey.of(study(over={"clients.0.count": [2]}, replications=rule))
    place = next(sequential.study.places())
    there = {sequential.site(0, place).job(seed).run_id: seed / 10 for seed in range(8)}
    assert sequential.course(0, there).values == {seed: seed / 10 for seed in range(1, 7)}


@pytest.fixture
def handler() -> Iterator[object]:
    before = signal.getsignal(signal.SIGINT)
    yield before
    assert signal.getsignal(signal.SIGINT) is before


def test_the_first_interrupt_is_recorded_and_the_second_one_raised(
    handler: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with Interruption() as interruption:
        assert signal.getsignal(signal.SIGINT) is not handler
        assert (interruption.goes_on(), interruption.asked) == (True, False)
        signal.raise_signal(signal.SIGINT)
        assert (interruption.asked, interruption.goes_on(), interruption.goes_on()) == (True, False, False)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err == "Finishing the running simulations; press Ctrl-C again to stop at once.\n"


def test_other_threads_leave_the_handling_of_interrupts_as_it_is(handler: object) -> None:
    found: list[object] = []

    def work() -> None:
        with Interruption() as interruption:
            found.extend([signal.getsignal(signal.SIGINT), interruption.goes_on()])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [handler, True]
