"""A very long path and a very short one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_more_loss
from ackclock.scorecard.measures import P99, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    yield _cell(setting, Path(10, 600), duration=180, since=60)
    yield _cell(setting, Path(10_000, 0.1), duration=0.5 if setting.fast else 1, since=0.1)


def _cell(setting: Setting, path: Path, *, duration: float, since: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        # Even the shortest path has a buffer of 100 packets, as switches do.
        queue = setting.queue(max(path.buffer(1), 100))
        return dumbbell(path, bulk("law", law, count=2, spread="10 ms"), queue=queue, duration=duration, since=since)

    return Cell(
        place=f"{path}, 2 flows",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_more_loss()],
        shown=[P99],
    )


EXPERIMENT = Experiment(
    key="extremes",
    title="Very long and very short paths",
    question="Does the law work with a round-trip time of 600 ms, and of 0.1 ms?",
    source="RFC 9743, sections 7.5 and 7.11",
    advice="Look for constants that are times: a target delay or a timer that suits 40 ms suits neither.",
    headline=UTILIZATION.name,
    cells=_cells,
)
