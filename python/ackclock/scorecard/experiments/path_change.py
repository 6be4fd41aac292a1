"""A path whose delay changes suddenly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Change
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_longer_queue, no_storm
from ackclock.scorecard.measures import UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_SHORT, _LONG = 20, 200
"""Round-trip times in ms before and after a change."""
_RATES: Final = (10, 100)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for rate in _RATES[:1] if setting.fast else _RATES:
        yield _cell(setting, Path(rate, _SHORT), _LONG)
        yield _cell(setting, Path(rate, _LONG), _SHORT)


def _cell(setting: Setting, path: Path, after: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        change = Change(at="30 s", links=["bottleneck", "bottleneck.reverse"], delay=f"{after / 2:g} ms")
        queue = setting.queue(Path(path.rate, _LONG).buffer(1))
        return dumbbell(path, bulk("law", law), queue=queue, duration=60, since=30, changes=[change])

    return Cell(
        place=f"{path}, then {after:g} ms",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_longer_queue(Path(path.rate, _LONG), 1), no_storm()],
    )


EXPERIMENT = Experiment(
    key="path_change",
    title="A sudden change of the path",
    question="Does the law use the new path within 30 s after the delay has changed?",
    source="RFC 9743, sections 7.3 and 7.9",
    advice="A law that remembers the smallest round-trip time takes a longer path for a queue. The memory must end.",
    headline=UTILIZATION.name,
    cells=_cells,
)
