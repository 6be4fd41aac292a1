"""Packets that are overtaken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Reorder
from ackclock.scorecard.experiment import Experiment
from ackclock.scorecard.experiments.impaired import GOODPUT, impaired
from ackclock.scorecard.measures import USEFUL
from ackclock.scorecard.networks import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Cell, Setting

_PATH: Final = Path(100, 40)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for probability in (0.01,) if setting.fast else (0.01, 0.1):
        for delay in (1, 20) if setting.fast else (1, 5, 20):
            held = Reorder(probability=probability, delay=f"{delay} ms")
            words = f"{100 * probability:g} % held for {delay} ms"
            yield impaired(setting, _PATH, words, shown=USEFUL, duration=40, reorder=held)


EXPERIMENT = Experiment(
    key="reordering",
    title="Reordering",
    question="Does the law carry at least as much where packets overtake each other?",
    source="RFC 9743, section 7.7",
    advice="Loss detection decides first (RACK's reordering window, undo of spurious reductions); the law only "
    "should not reduce for what is undone.",
    headline=GOODPUT,
    cells=_cells,
)
