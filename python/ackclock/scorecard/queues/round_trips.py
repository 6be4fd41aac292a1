"""Two flows with different round-trip times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import BIAS
from ackclock.scorecard.networks import Path, unequal
from ackclock.scorecard.queues.networks import CUBIC, PATH, rules
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Queues, Scope

_LINK: Final = Path(PATH.rate, 2)


def _cells(scope: Scope) -> Iterator[Cell[Queues]]:
    for other in (20,) if scope.fast else (5, 20, 50, 200, 560):
        yield _cell(other)


def _cell(other: float) -> Cell[Queues]:
    rtts = {"short": min(PATH.rtt, other), "long": max(PATH.rtt, other)}

    def scenario(queue: Queues) -> Scenario:
        return unequal(CUBIC, rtts, _LINK, queue=queue(PATH.buffer(1)), duration=220, since=20)

    return Cell(
        place=f"{rtts['short']:g} ms beside {rtts['long']:g} ms, {PATH.rate:g} Mb/s",
        scenario=scenario,
        rules=rules(Beside(measure=BIAS, worse="higher", part=0.25)),
    )


EXPERIMENT = Experiment(
    key="round_trips",
    title="Different round-trip times",
    question="Do flows with different round-trip times get their share, as with the yardstick or better?",
    source="RFC 7928, section 6",
    advice="A short queue makes the ratio of the round-trip times larger than a full buffer does: only scheduling "
    "makes rates equal.",
    headline=BIAS.name,
    cells=_cells,
)
