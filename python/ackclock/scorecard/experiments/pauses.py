"""A sender that pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Clients, Constant, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_more_loss
from ackclock.scorecard.measures import P99, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_ON: Final = 5
"""Seconds of each period of sending and of each pause."""
_ROUNDS: Final = 6


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    paths = (Path(10, 40),) if setting.fast else (Path(10, 40), Path(100, 100))
    for path in paths:
        yield _paused(setting, path)


def _paused(setting: Setting, path: Path) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        times = [[f"{2 * _ON * place} s", f"{_ON * (2 * place + 1)} s"] for place in range(_ROUNDS)]
        flow = bulk("law", law, spread="100 ms", active=times)
        stream = Clients(name="stream", packet_size=500, transport=Udp(), spread="1 s", source=Constant(rate=75))
        return dumbbell(path, flow, stream, queue=setting.queue(path.buffer(1)), duration=2 * _ON * _ROUNDS, since=0)

    return Cell(
        place=f"{path}, {_ON} s on and {_ON} s off",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_more_loss()],
        shown=[P99],
    )


EXPERIMENT = Experiment(
    key="pauses",
    title="Pauses of the application",
    question="Does the law begin again after a pause without a burst of losses, and use the link?",
    source="RFC 7661",
    advice="After a pause the window is old: restart with the initial window or pace the first round trip.",
    headline=UTILIZATION.name,
    cells=_cells,
)
