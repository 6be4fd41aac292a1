"""A link whose rate changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import dumbbell, with_rates
from ackclock.scorecard.queues.networks import PATH, flows, rules
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_STEP: Final = 30
"""Seconds until the step."""


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for count in (4,) if scope.fast else (1, 4, 16):
        for rate in (1, 50):
            yield _cell(count, rate)


def _cell(count: int, rate: float) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        made = dumbbell(PATH, flows(count), queue=queue(PATH.buffer(1)), duration=_STEP + 20, since=_STEP)
        return with_rates(made, ("0 s", f"{PATH.rate:g} Mbps"), (f"{_STEP} s", f"{rate:g} Mbps"))

    words = f"{counted(count, 'flow')}, {PATH.rate:g} Mb/s, then {rate:g} Mb/s, {PATH.rtt:g} ms; the first 20 s"
    return Cell(place=words, scenario=scenario, rules=rules(), shown=[P99])


EXPERIMENT = Experiment(
    key="varying_rate",
    title="A rate that changes",
    question="Does the queue stay short and the link used while the rate changes?",
    source="RFC 7928, section 8.2.6",
    advice="A limit in packets is ten times the delay at a tenth of the rate: a target in time follows the rate.",
    headline=QUEUE.name,
    cells=_cells,
)
