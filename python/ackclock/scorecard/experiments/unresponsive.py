"""Traffic that does not respond takes a part of the link, or more than all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Clients, Constant, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_more_loss
from ackclock.scorecard.measures import Measure, group
from ackclock.scorecard.networks import PACKET, Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(10, 40)
_DURATION, _SINCE = 60, 10


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for part in (0.5, 1.5) if setting.fast else (0.5, 1, 1.5):
        for count in (4,) if setting.fast else (1, 4):
            yield _cell(setting, part, count)


def _cell(setting: Setting, part: float, count: int) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        rate = part * _PATH.rate * 1e6 / (8 * PACKET)
        stream = Clients(name="stream", transport=Udp(), spread="1 s", source=Constant(rate=rate))
        return dumbbell(
            _PATH,
            bulk("law", law, count=count),
            stream,
            queue=setting.queue(_PATH.buffer(1)),
            duration=_DURATION,
            since=_SINCE,
        )

    return Cell(
        place=f"{_PATH}, stream of {part:.0%} of the rate, {counted(count, 'flow')}",
        scenario=scenario,
        rules=[
            Beside(measure=_SENT, worse="higher", by=5),
            no_more_loss(group("law", "loss", words="own loss", unit="%", factor=100), by=5),
        ],
        shown=[group("law", "goodput_bps", words="goodput", unit="Mb/s", factor=1e-6)],
    )


_SENT: Final = Measure(
    name="sent, of the link",
    unit="%",
    of=lambda run: 100 * run.groups["law"].arrivals * 8 * PACKET / (_DURATION - _SINCE) / (_PATH.rate * 1e6),
)

EXPERIMENT = Experiment(
    key="unresponsive",
    title="Beside traffic that does not respond",
    question="Does the law give way to a stream that takes the whole link?",
    source="RFC 9743, section 5.1.1; RFC 3714; RFC 7928, section 5.3",
    advice="At a persistent loss of a third and more, a flow should fall to a segment per round trip and then "
    "back off.",
    headline=_SENT.name,
    cells=_cells,
)
