"""A link whose rate changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import RateTrace
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import P99, QUEUE
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import PATH, flows, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_STEPS: Final = [("0 s", "10 Mbps"), ("20 s", "1 Mbps"), ("40 s", "10 Mbps"), ("60 s", "50 Mbps")]


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for count in (4,) if scope.fast else (1, 4, 16):
        yield _cell(count)


def _cell(count: int) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        made = dumbbell(PATH, flows(count), queue=queue(PATH.buffer(1)), duration=160, since=20)
        trace = RateTrace(steps=_STEPS, period="80 s")
        return made.changed({"dumbbell.bottleneck.rate": None, "dumbbell.bottleneck.rate_trace": trace})

    words = f"{count} flow{'s' * (count > 1)}, 10, 1, 10, 50 Mb/s every 20 s, {PATH.rtt:g} ms"
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
