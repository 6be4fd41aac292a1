"""Flows of the law beside flows of CUBIC and Reno."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Tcp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_longer_queue, no_more_loss
from ackclock.scorecard.measures import group, share
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Setting

_STANDARD: Final = ("cubic", "reno")
"""The congestion controls that are Internet standards."""
_SHARE = "others' part of their fair share"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for path in [Path(10, 40), Path(100, 40)]:
        for own, others in ((1, 1), (2, 2)) if setting.fast else ((1, 1), (1, 16), (16, 1), (2, 2)):
            for part in (0.25, 1, 4) if setting.fast else (0.25, 1, 4, 16, 64):
                for kind in _STANDARD:
                    yield _cell(setting, path, own, others, part, kind)


def _cell(setting: Setting, path: Path, own: int, others: int, part: float, kind: str) -> Cell[Tcp]:  # noqa: PLR0917
    def scenario(law: Tcp) -> Scenario:
        groups = bulk("law", law, count=own), bulk("others", Tcp(kind), count=others)
        return dumbbell(path, *groups, queue=setting.queue(path.buffer(part)), duration=120, since=30)

    total = path.rate * 1e6
    loss = group("others", "loss", words="others' loss", unit="%", factor=100)
    delay = group("others", "sojourn_p95", words="others' p95 queueing delay", unit="ms", factor=1e3)
    return Cell(
        place=f"{own} beside {others} of {kind}, {path}, buffer {part:g} BDP",
        scenario=scenario,
        rules=[
            Beside(measure=share("others", of=total * others / (own + others), words=_SHARE), worse="lower", by=10),
            no_longer_queue(path, part, delay),
            no_more_loss(loss),
        ],
        shown=[share("law", of=total * own / (own + others), words="own part of the fair share")],
    )


EXPERIMENT = Experiment(
    key="mixed",
    title="Beside general-purpose flows",
    question="Do flows of CUBIC and Reno lose more to the law than they lose to the yardstick?",
    source="RFC 9743, section 5.2.1; harm, with the yardstick as its bound: Ware et al., HotNets 2019",
    advice="The yardstick's flows in its place are the measure. A law that takes more grows faster after a loss, "
    "reduces less, or reacts to other signals than the losses by which the others are controlled.",
    headline=_SHARE,
    cells=_cells,
)
