"""Half of the flows stop: the rest should take the rate that is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for count in (1, 4) if setting.fast else (1, 4, 16):
        for path in (Path(100, 40),) if setting.fast else (Path(100, 40), Path(100, 100)):
            yield _cell(setting, count, path)


def _cell(setting: Setting, count: int, path: Path) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        stay = bulk("stay", law, count=count)
        leave = bulk("leave", law, count=count, stop="40 s", unfinished="dropped")
        return dumbbell(path, stay, leave, queue=setting.queue(path.buffer(0.5)), duration=50, since=40)

    place = f"{path}, {2 * count} flows, then {count}"
    return Cell(place=place, scenario=scenario, rules=[no_less(UTILIZATION, 0.25)])


EXPERIMENT = Experiment(
    key="freed_rate",
    title="Freed rate",
    question="Do the flows that stay take the rate of those that stop, within 10 s?",
    source="RFC 9743, section 7.8; draft-irtf-iccrg-tcpeval (release of bandwidth)",
    advice="Growth after the last reduction decides: a packet per round trip takes long on a fast, long path.",
    headline=UTILIZATION.name,
    cells=_cells,
)
