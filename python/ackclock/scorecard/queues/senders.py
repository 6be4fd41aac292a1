"""Senders that are alike, more aggressive, or yield."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Tcp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import PATH, flows, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for law in ("reno", "bbr") if scope.fast else ("reno", "scalable", "bbr", "bbr3", "ledbat"):
        yield _cell(law)


def _cell(law: str) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        return dumbbell(PATH, flows(4, law=Tcp(law)), queue=queue(PATH.buffer(1)), duration=100, since=20)

    return Cell(place=f"4 flows of {law}, {PATH}", scenario=scenario, rules=rules(), shown=[P99])


EXPERIMENT = Experiment(
    key="senders",
    title="Other senders",
    question="Does the discipline work with senders that are not CUBIC: aggressive ones, and those that yield?",
    source="RFC 7928, sections 5.1, 5.2 and 5.4",
    advice="A sender that does not slow down for single losses needs more of them, up to tail drop at the limit.",
    headline=QUEUE.name,
    cells=_cells,
)
