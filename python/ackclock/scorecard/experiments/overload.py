"""So many flows that each has at most a few segments per round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_more_loss
from ackclock.scorecard.measures import JAIN, LOSS, STARVED
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(10, 100)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for part in (1,) if setting.fast else (2, 1, 0.5, 0.25):
        yield _cell(setting, part)


def _cell(setting: Setting, part: float) -> Cell[Tcp]:
    count = round(_PATH.packets / part)

    def scenario(law: Tcp) -> Scenario:
        queue = setting.queue(_PATH.buffer(1))
        return dumbbell(_PATH, bulk("law", law, count=count, spread="5 s"), queue=queue, duration=90, since=30)

    return Cell(
        place=f"{count} flows, {_PATH}: {part:g} segments each in a round trip without queue",
        scenario=scenario,
        rules=[
            no_more_loss(by=5),
            Beside(measure=STARVED, worse="higher", by=10),
        ],
        shown=[JAIN],
    )


EXPERIMENT = Experiment(
    key="overload",
    title="Overload",
    question="Does the law give way when even a few segments per round trip are too many?",
    source="RFC 9743, section 5.1.1; RFC 2914, section 5",
    advice="Below a few segments the window cannot shrink further: the time between segments must grow, as the "
    "retransmission timer does. A least window above two segments collapses first.",
    headline=LOSS.name,
    cells=_cells,
)
