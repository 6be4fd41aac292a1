"""Nine more flows for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import bulk, dumbbell
from ackclock.scorecard.queues.networks import CUBIC, PATH, flows, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    del scope  # it has one network

    def scenario(queue: Queues) -> Scenario:
        more = bulk("crowd", CUBIC, count=9, start="40 s", stop="70 s", spread="1 s", unfinished="dropped")
        return dumbbell(PATH, flows(2), more, queue=queue(PATH.buffer(1)), duration=100, since=20)

    yield Cell(place=f"2 flows, 11 from 40 s to 70 s, {PATH}", scenario=scenario, rules=rules(), shown=[P99])


EXPERIMENT = Experiment(
    key="crowd",
    title="Flows that come and go",
    question="Does the queue stay short while the load changes?",
    source="RFC 7928, section 8.2.5",
    advice="Look at the delay in the first seconds after the change: how soon the discipline follows.",
    headline=QUEUE.name,
    cells=_cells,
)
