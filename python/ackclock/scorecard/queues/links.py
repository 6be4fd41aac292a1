"""Links of other rates and buffers of other sizes, without retuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import Path, dumbbell
from ackclock.scorecard.queues.networks import flows, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for rate in (1, 100):
        # One bandwidth-delay product of the slow link is 8 packets.
        for part in (2, 10) if scope.fast else (2, 4, 10):
            yield _cell(Path(rate, 100), part)


def _cell(path: Path, part: float) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        return dumbbell(path, flows(4), queue=queue(path.buffer(part)), duration=100, since=20)

    return Cell(place=f"4 flows, {path}, buffer {part:g} BDP", scenario=scenario, rules=rules(), shown=[P99])


EXPERIMENT = Experiment(
    key="links",
    title="Other links and buffers",
    question="Does the discipline work on slow and fast links and with small and large buffers, without tuning?",
    source="RFC 7928, section 8.3",
    advice="On slow links one packet takes longer than a target of some milliseconds: the target must allow for it.",
    headline=QUEUE.name,
    cells=_cells,
)
