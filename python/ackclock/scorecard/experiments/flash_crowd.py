"""Many short transfers that begin within a second, beside a bulk flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Clients, Fixed, Requests
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_slower
from ackclock.scorecard.measures import LOSS, group, share
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_CROWD = "crowd's p95 completion time"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for path in (Path(10, 40),) if setting.fast else (Path(10, 40), Path(100, 40)):
        yield _cell(setting, path)


def _cell(setting: Setting, path: Path) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        # Each of 100 users asks once for 20 segments: the next request is far beyond the end.
        once = Requests(size=Fixed(mean="28960 B"), every=Fixed(mean="1 h"))
        crowd = Clients(name="crowd", count=100, start="30 s", spread="1 s", transport=law, source=once)
        return dumbbell(path, bulk("bulk", law), crowd, queue=setting.queue(path.buffer(1)), duration=60, since=30)

    return Cell(
        place=f"{path}, 100 transfers of 20 segments in 1 s",
        scenario=scenario,
        rules=[
            no_slower(group("crowd", "completion_p95", words=_CROWD, unit="ms", factor=1e3)),
            no_less(group("crowd", "completed", words="transfers", unit="")),
            no_less(share("bulk", of=path.rate * 1e6, words="bulk flow's part of the link"), 0.25),
        ],
        shown=[LOSS],
    )


EXPERIMENT = Experiment(
    key="flash_crowd",
    title="A flash crowd",
    question="Does a crowd of short transfers get through, and does the bulk flow come back?",
    source="RFC 9743, section 7.8; draft-irtf-iccrg-tcpeval (flash crowds)",
    advice="The crowd's losses follow from the queue that the bulk flow keeps, and from the initial window of "
    "each transfer; the time to return from growth after a reduction.",
    headline=_CROWD,
    cells=_cells,
)
