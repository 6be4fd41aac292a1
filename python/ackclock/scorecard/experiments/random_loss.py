"""Losses that no queue causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Link, RandomLoss
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import LOSS, share
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(100, 100)
_GOODPUT = "goodput, of the link"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for loss in (0.001, 0.01) if setting.fast else (1e-4, 1e-3, 1e-2, 2e-2, 5e-2, 0.15):
        yield _cell(setting, f"loss {100 * loss:g} %", {"loss": RandomLoss(probability=loss)})
    back = Link(rate=f"{_PATH.rate:g} Mbps", delay=f"{_PATH.rtt / 2:g} ms", loss=RandomLoss(probability=0.1))
    yield _cell(setting, "10 % of the ACKs lost", {}, back)


def _cell(setting: Setting, words: str, fields: dict[str, RandomLoss], back: Link | None = None) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        queue = setting.queue(_PATH.buffer(1))
        made = dumbbell(_PATH, bulk("law", law), queue=queue, duration=70, link=fields)
        return made if back is None else made.changed({"dumbbell.reverse": back})

    goodput = share("law", of=_PATH.rate * 1e6, words=_GOODPUT)
    return Cell(place=f"{_PATH}, {words}", scenario=scenario, rules=[no_less(goodput)], shown=[LOSS])


EXPERIMENT = Experiment(
    key="random_loss",
    title="Random loss",
    question="Does the law carry at least as much where losses are not congestion?",
    source="RFC 9743, section 6.4; RFC 5166, section 2.4",
    advice="A law that reads each loss as congestion has a rate of c / (RTT sqrt(p)). Less than that means that "
    "it reduces too far, grows too slowly, or falls into timeouts.",
    headline=_GOODPUT,
    cells=_cells,
)
