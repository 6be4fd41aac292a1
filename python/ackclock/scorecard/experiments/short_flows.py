"""Short transfers, alone and beside a bulk flow of the law."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from ackclock.scenario import Clients, Connections, Fixed, Tcp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_slower
from ackclock.scorecard.measures import UTILIZATION, group, share
from ackclock.scorecard.networks import PACKET, Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario
    from ackclock.scorecard.experiment import Setting
    from ackclock.scorecard.rules import Rule

_HEADERS: Final = 52
"""Bytes of a full packet that are not data, in the profile ``linux``."""
_PATH: Final = Path(10, 40)


class _Kind(Enum):
    """Whose transfers they are, and beside what."""

    ALONE = "of the law"
    BULK = "of the law beside a bulk flow of it"
    OTHERS = "of CUBIC beside a bulk flow of the law"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for segments in (10, 100) if setting.fast else (10, 100, 1000):
        for load in (0.5,) if setting.fast else (0.1, 0.5, 0.9):
            for kind in _Kind:
                yield _cell(setting, segments, load, kind)


def _cell(setting: Setting, segments: int, load: float, kind: _Kind) -> Cell[Tcp]:
    size = segments * (PACKET - _HEADERS)

    def scenario(law: Tcp) -> Scenario:
        # Requests are a Poisson process, each on a new connection.
        source = Connections(load=load, size=Fixed(mean=f"{size} B"))
        short = Clients(name="short", transport=Tcp("cubic") if kind is _Kind.OTHERS else law, source=source)
        groups = [short] if kind is _Kind.ALONE else [short, bulk("bulk", law)]
        return dumbbell(_PATH, *groups, queue=setting.queue(_PATH.buffer(1)), duration=120)

    mean = group("short", "completion_mean", words="mean completion time", unit="ms", factor=1e3)
    p99 = group("short", "completion_p99", words="p99 completion time", unit="ms", factor=1e3)
    completed = group("short", "completed", words="transfers", unit="")
    rules: list[Rule] = [no_slower(mean), no_slower(p99, 0.5), no_less(completed)]
    if kind is not _Kind.ALONE:
        rules.append(no_less(share("bulk", of=_PATH.rate * 1e6, words="bulk flow's part of the link"), 0.25))
    return Cell(
        place=f"{segments} segments, load {load:.0%}, {kind.value}", scenario=scenario, rules=rules, shown=[UTILIZATION]
    )


EXPERIMENT = Experiment(
    key="short_flows",
    title="Short flows",
    question="Do short transfers take longer, alone and beside a long flow of the law, and what of that flow?",
    source="RFC 9743, sections 5.1.5 and 5.2.3",
    advice="Alone, slow start decides; beside a bulk flow, the queue that this flow keeps does.",
    headline="mean completion time",
    cells=_cells,
)
