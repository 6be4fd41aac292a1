"""Packets that are overtaken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Reorder
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import USEFUL, share
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(100, 40)
_GOODPUT = "goodput, of the link"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for probability in (0.01,) if setting.fast else (0.01, 0.1):
        for delay in (1, 20) if setting.fast else (1, 5, 20):
            yield _cell(setting, probability, delay)


def _cell(setting: Setting, probability: float, delay: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        held = Reorder(probability=probability, delay=f"{delay:g} ms")
        queue = setting.queue(_PATH.buffer(1))
        return dumbbell(_PATH, bulk("law", law), queue=queue, duration=40, link={"reorder": held})

    goodput = share("law", of=_PATH.rate * 1e6, words=_GOODPUT)
    place = f"{_PATH}, {100 * probability:g} % held for {delay:g} ms"
    return Cell(place=place, scenario=scenario, rules=[no_less(goodput)], shown=[USEFUL])


EXPERIMENT = Experiment(
    key="reordering",
    title="Reordering",
    question="Does the law carry at least as much where packets overtake each other?",
    source="RFC 9743, section 7.7",
    advice="Loss detection decides first (RACK's reordering window, undo of spurious reductions); the law only "
    "should not reduce for what is undone.",
    headline=_GOODPUT,
    cells=_cells,
)
