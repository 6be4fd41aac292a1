"""Short transfers of the law, alone and beside a bulk flow of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Clients, Connections, Fixed
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_slower
from ackclock.scorecard.measures import UTILIZATION, group
from ackclock.scorecard.networks import PACKET, Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_HEADERS: Final = 52
"""Bytes of a full packet that are not data, in the profile ``linux``."""
_PATH: Final = Path(10, 40)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for segments in (10, 100) if setting.fast else (10, 100, 1000):
        for load in (0.5,) if setting.fast else (0.1, 0.5, 0.9):
            for beside in (False, True):
                yield _cell(setting, segments, load, beside=beside)


def _cell(setting: Setting, segments: int, load: float, *, beside: bool) -> Cell[Tcp]:
    size = segments * (PACKET - _HEADERS)

    def scenario(law: Tcp) -> Scenario:
        # Requests are a Poisson process, each on a new connection.
        source = Connections(load=load, size=Fixed(mean=f"{size} B"))
        short = Clients(name="short", transport=law, source=source)
        groups = [short, bulk("bulk", law)] if beside else [short]
        return dumbbell(_PATH, *groups, queue=setting.queue(_PATH.buffer(1)), duration=120)

    mean = group("short", "completion_mean", words="mean completion time", unit="ms", factor=1e3)
    p99 = group("short", "completion_p99", words="p99 completion time", unit="ms", factor=1e3)
    return Cell(
        place=f"{segments} segments, load {load:.0%}{', beside a bulk flow' if beside else ''}",
        scenario=scenario,
        rules=[no_slower(mean), no_slower(p99, 0.5)],
        shown=[group("short", "completed", words="transfers", unit=""), UTILIZATION],
    )


EXPERIMENT = Experiment(
    key="short_flows",
    title="Short flows",
    question="Do short transfers take longer, alone and beside a long flow of the law?",
    source="RFC 9743, sections 5.1.5 and 5.2.3",
    advice="Alone, slow start decides; beside a bulk flow, the queue that this flow keeps does.",
    headline="mean completion time",
    cells=_cells,
)
