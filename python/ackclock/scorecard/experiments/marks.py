"""Queues that mark instead of dropping (ECN)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import CoDel, DropTail, DualPi2, Pie, Tcp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_longer_queue, no_more_loss
from ackclock.scorecard.measures import P99, UTILIZATION, share
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Queue, Scenario
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(50, 40)
_OTHERS = "others' part of their fair share"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    full = _PATH.buffer(4)
    queues: dict[str, Queue] = {
        "CoDel": CoDel(packets=full, ecn=True),
        "marks above 1 ms": DropTail(packets=full, mark_above=_PATH.buffer(1 / _PATH.rtt)),
    }
    if not setting.fast:
        queues |= {"PIE": Pie(packets=full, ecn=True), "DualPI2": DualPi2(packets=full)}
    for words, queue in queues.items():
        yield _cell(setting, words, queue, beside=False)
    yield _cell(setting, "CoDel", queues["CoDel"], beside=True)


def _has_ecn(made: Scenario) -> bool:
    """Return whether the law's transport has ECN by itself, or by the defaults of its law."""
    law = made.effective().clients[0].transport
    return isinstance(law, Tcp) and law.ecn != "off"


def _cell(setting: Setting, words: str, queue: Queue, *, beside: bool) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        groups = [bulk("law", law, count=2)]
        if beside:
            groups.append(bulk("others", setting.against, count=2))
        made = dumbbell(_PATH, *groups, queue=queue)
        ecn = {} if _has_ecn(made) else {"clients.0.transport.ecn": "classic"}
        return made.changed(ecn | ({"clients.1.transport.ecn": "off"} if beside else {}))

    others = share("others", of=_PATH.rate * 1e6 / 2, words=_OTHERS)
    return Cell(
        place=f"{_PATH}, {words}{', beside flows without ECN' if beside else ''}",
        scenario=scenario,
        rules=[Beside(measure=others, worse="lower", by=10)]
        if beside
        else [no_more_loss(by=0.1), no_longer_queue(_PATH, 1), Beside(measure=UTILIZATION, worse="lower", by=10)],
        shown=[P99, UTILIZATION],
    )


EXPERIMENT = Experiment(
    key="marks",
    title="Marks instead of losses",
    question="Does the law respond to ECN marks as to losses, or as L4S asks?",
    source="RFC 9743, section 7.1; RFC 3168, section 5; RFC 9331, section 4",
    advice="A mark is a signal of congestion: reduce for it. Queues that mark drop only when that does not help.",
    headline=P99.name,
    cells=_cells,
)
