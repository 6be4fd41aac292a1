"""Senders with ECN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.engine.catalogue import catalogue
from ackclock.scenario import Tcp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import LOSS, UTILIZATION, Measure
from ackclock.scorecard.networks import dumbbell
from ackclock.scorecard.queues.networks import PATH, SHORTER, flows
from ackclock.scorecard.rules import Beside, Limit
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_ECN = "dumbbell.bottleneck.queue.ecn"


def _dropped(run: Run) -> float | None:
    signals = run.summary.drops + run.summary.marks
    return 100 * run.summary.drops / signals if signals else None


_DROPS = Measure(name="drops, of drops and marks", unit="%", of=_dropped)


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for count in (7,) if scope.fast else (1, 7, 30):
        yield _cell(count)


def _cell(count: int) -> Cell[Queues]:
    def scenario(queue: Queues) -> Scenario:
        made = queue(PATH.buffer(1))
        law = Tcp("cubic", ecn="classic")
        whole = dumbbell(PATH, flows(count, law=law), queue=made, duration=100, since=20)
        known = catalogue().queues.get(made.kind)
        # A discipline that can mark does, whatever the default of its kind.
        return whole.changed({_ECN: True}) if known and "ecn" in known.parameters else whole

    return Cell(
        place=f"{counted(count, 'flow')} with ECN, {PATH}",
        scenario=scenario,
        rules=[
            SHORTER,
            Beside(measure=UTILIZATION, worse="lower", by=5),
            Limit(measure=_DROPS, worse="higher", than=10),
        ],
        shown=[LOSS],
    )


EXPERIMENT = Experiment(
    key="marks",
    title="Senders with ECN",
    question="Does the discipline mark instead of dropping, with a queue as short and a link as used?",
    source="RFC 7928, section 4.5; RFC 3168",
    advice="A discipline that cannot mark drops as without ECN, and one that marks without limit lets the queue fill.",
    headline=_DROPS.name,
    cells=_cells,
)
