"""Many flows, and buffers by the rule of the square root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import LOSS, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(100, 80)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for count in (10, 100) if setting.fast else (1, 10, 100, 400):
        for factor in (1,) if setting.fast else (0.5, 1, 2):
            yield _cell(setting, count, factor)


def _cell(setting: Setting, count: int, factor: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        queue = setting.queue(_PATH.buffer(factor / count**0.5))
        return dumbbell(_PATH, bulk("law", law, count=count, spread="5 s"), queue=queue, duration=40)

    return Cell(
        place=f"{count} flows, {_PATH}, buffer {factor:g} BDP / sqrt(n)",
        scenario=scenario,
        rules=[Beside(measure=UTILIZATION, worse="lower", by=5)],
        shown=[LOSS],
    )


EXPERIMENT = Experiment(
    key="buffers",
    title="Small buffers and many flows",
    question="Do many flows use a link whose buffer is a bandwidth-delay product over the square root of their number?",
    source="Appenzeller, Keslassy and McKeown, SIGCOMM 2004; RFC 9743, section 6.1",
    advice="The rule holds for flows that do not move in step, and reduce by a moderate factor.",
    headline=UTILIZATION.name,
    cells=_cells,
)
