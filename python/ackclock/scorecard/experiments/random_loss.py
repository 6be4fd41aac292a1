"""Losses that no queue causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Link, RandomLoss
from ackclock.scorecard.experiment import Experiment
from ackclock.scorecard.experiments.impaired import GOODPUT, impaired
from ackclock.scorecard.measures import LOSS
from ackclock.scorecard.networks import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Cell, Setting

_PATH: Final = Path(100, 100)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for loss in (0.001, 0.01) if setting.fast else (1e-4, 1e-3, 1e-2, 2e-2, 5e-2, 0.15):
        yield impaired(setting, _PATH, f"loss {100 * loss:g} %", shown=LOSS, loss=RandomLoss(probability=loss))
    back = Link(rate=f"{_PATH.rate:g} Mbps", delay=f"{_PATH.rtt / 2:g} ms", loss=RandomLoss(probability=0.1))
    yield impaired(setting, _PATH, "10 % of the ACKs lost", shown=LOSS, back=back)


EXPERIMENT = Experiment(
    key="random_loss",
    title="Random loss",
    question="Does the law carry at least as much where losses are not congestion?",
    source="RFC 9743, section 6.4; RFC 5166, section 2.4",
    advice="A law that reads each loss as congestion has a rate of c / (RTT sqrt(p)). Less than that means that "
    "it reduces too far, grows too slowly, or falls into timeouts.",
    headline=GOODPUT,
    cells=_cells,
)
