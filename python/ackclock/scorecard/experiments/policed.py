"""A link that polices the traffic to half of its rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import Policer
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import LOSS, share
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(10, 40)
_RATE: Final = 5
"""Policed rate in Mb/s."""
_GOODPUT = "goodput, of the policed rate"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for burst in (10, 100):
        yield _cell(setting, burst)


def _cell(setting: Setting, burst: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        policer = Policer(rate=f"{_RATE} Mbps", burst=round(_RATE * 1e6 * burst * 1e-3 / 8))
        return dumbbell(_PATH, bulk("law", law), queue=setting.queue(_PATH.buffer(1)), link={"policer": policer})

    return Cell(
        place=f"{_PATH}, policed at {_RATE} Mb/s with bursts of {burst:g} ms",
        scenario=scenario,
        rules=[
            no_less(share("law", of=_RATE * 1e6, words=_GOODPUT)),
            Beside(measure=LOSS, worse="higher", by=5),
        ],
    )


EXPERIMENT = Experiment(
    key="policed",
    title="A policer",
    question="Does the law find the policed rate without many losses?",
    source="RFC 9743, section 5.1.3; Flach et al., SIGCOMM 2016",
    advice="A policer has no queue, so delays say nothing: only losses tell the rate, and probing above it costs "
    "the excess.",
    headline=_GOODPUT,
    cells=_cells,
)
