"""A stream that does not respond, beside four flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Clients, Constant, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import QUEUE, share
from ackclock.scorecard.networks import PACKET, dumbbell
from ackclock.scorecard.queues.networks import PATH, SHORTER, flows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for part in (0.5,) if scope.fast else (0.25, 0.5, 0.75, 1.5):
        yield _cell(part)


def _cell(part: float) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        rate = part * PATH.rate * 1e6 / (8 * PACKET)
        stream = Clients(name="stream", transport=Udp(), spread="1 s", source=Constant(rate=rate))
        return dumbbell(PATH, flows(4), stream, queue=queue(PATH.buffer(1)), duration=100, since=20)

    return Cell(
        place=f"4 flows and a stream of {part:.0%} of the rate, {PATH}",
        scenario=scenario,
        rules=[SHORTER, no_less(share("law", of=PATH.rate * 1e6, words="goodput of the flows"), 0.25)],
    )


EXPERIMENT = Experiment(
    key="unresponsive",
    title="Beside traffic that does not respond",
    question="Do flows that respond keep their part beside a stream that does not, and stays the queue short?",
    source="RFC 7928, section 5.3",
    advice="Losses meant for the flows do not slow the stream: only a queue for each flow separates them.",
    headline=QUEUE.name,
    cells=_cells,
)
