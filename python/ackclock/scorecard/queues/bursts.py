"""Web pages, speech and video frames beside downloads: bursts that should pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Clients, Connections, Fixed, Frames, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import group, share
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import CUBIC, PATH, flows
from ackclock.scorecard.rules import Beside
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_WEB = "mean completion of web transfers"


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for count in (1,) if scope.fast else (1, 4):
        yield _cell(count)


def _cell(count: int) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        groups = [
            flows(count, "bulk"),
            # Ten segments at once, at a tenth of the rate.
            Clients(name="web", transport=CUBIC, source=Connections(load=0.1, size=Fixed(mean="14480 B"))),
            Clients(name="video", packet_size=1200, transport=Udp(), spread="1 s", source=Frames(rate=25, packets=5)),
            Clients(name="speech", packet_size=120, transport=Udp(), spread="1 s", source=Frames(rate=50)),
        ]
        return dumbbell(PATH, *groups, queue=queue(PATH.buffer(1)), duration=100, since=20)

    return Cell(
        place=f"web, video and speech beside {counted(count, 'download')}, {PATH}",
        scenario=scenario,
        rules=[
            Beside(measure=group("web", "completion_mean", words=_WEB, unit="ms", factor=1e3), worse="higher"),
            Beside(
                measure=group("speech", "delay_p95", words="p95 delay of speech", unit="ms", factor=1e3), worse="higher"
            ),
            Beside(measure=group("speech", "lost", words="speech lost", unit="%", factor=100), worse="higher", by=1),
            Beside(measure=group("video", "lost", words="frames lost", unit="%", factor=100), worse="higher", by=2),
            no_less(share("bulk", of=PATH.rate * 1e6, words="goodput of the downloads")),
        ],
    )


EXPERIMENT = Experiment(
    key="bursts",
    title="Bursts",
    question="Do short transfers, frames and speech get through sooner, without more losses?",
    source="RFC 7928, section 7",
    advice="Losses of small bursts come from drops that look at the moment and not at the standing queue.",
    headline=_WEB,
    cells=_cells,
)
