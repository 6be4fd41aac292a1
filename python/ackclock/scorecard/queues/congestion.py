"""From one flow to thirty: levels of congestion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import PATH, flows, rules
from ackclock.scorecard.rules import Beside
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    # With tail drop, 2, 7 and 11 flows of CUBIC lose about 0.1, 0.5 and 1 %: mild, medium and heavy congestion.
    for count in (2, 11) if scope.fast else (1, 2, 7, 11, 30):
        yield _cell(count)


def _cell(count: int) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        return dumbbell(PATH, flows(count), queue=queue(PATH.buffer(1)), duration=100, since=20)

    words = f"{counted(count, 'flow')}, {PATH}, buffer 1 BDP"
    return Cell(place=words, scenario=scenario, rules=rules(Beside(measure=P99, worse="higher", part=-0.5)))


EXPERIMENT = Experiment(
    key="congestion",
    title="Levels of congestion",
    question="Does the queue stay short and the link used, from mild to heavy congestion?",
    source="RFC 7928, section 8.2",
    advice="A delay that grows with the number of flows calls for a signal that grows with the load.",
    headline=QUEUE.name,
    cells=_cells,
)
