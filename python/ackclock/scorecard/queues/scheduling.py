"""One user with eight flows, one with a single flow, and a stream of small packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Clients, Frames, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import group, share
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import PATH, flows
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_ONE = "goodput of the single flow"


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    del scope  # it has one network

    def scenario(queue: Queues) -> Scenario:
        stream = Clients(name="stream", packet_size=200, transport=Udp(), spread="1 s", source=Frames(rate=50))
        groups = [flows(8, "eight"), flows(1, "one"), stream]
        return dumbbell(PATH, *groups, queue=queue(PATH.buffer(1)), duration=100, since=20)

    delay = group("stream", "delay_p95", words="p95 delay of the stream", unit="ms", factor=1e3)
    yield Cell(
        place=f"8 flows, 1 flow and a stream of 80 kb/s, {PATH}",
        scenario=scenario,
        rules=[
            no_less(share("one", of=PATH.rate * 1e6, words=_ONE), 0.25),
            Beside(measure=delay, worse="higher"),
            Beside(measure=group("stream", "lost", words="stream lost", unit="%", factor=100), worse="higher", by=1),
        ],
    )


EXPERIMENT = Experiment(
    key="scheduling",
    title="Few flows beside many",
    question="Do a single flow and a thin stream keep their part beside eight flows?",
    source="RFC 7928, section 4.6",
    advice="Only scheduling gives flows equal parts; without it, the number of flows decides.",
    headline=_ONE,
    cells=_cells,
)
