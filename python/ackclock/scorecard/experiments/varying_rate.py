"""A link whose rate changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ackclock.scenario import RateTrace
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_more_loss
from ackclock.scorecard.measures import P99, QUEUE, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(10, 40)
_STEPS: Final = [(f"{20 * place} s", rate) for place, rate in enumerate(("10 Mbps", "1 Mbps", "10 Mbps", "100 Mbps"))]
_WAVE: Final = [(f"{50 * place} ms", f"{10 + 8 * math.sin(2 * math.pi * place / 20):.3f} Mbps") for place in range(20)]
"""A sine of 1 Hz from 2 to 18 Mb/s, in steps of 50 ms."""


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    yield _cell(setting, "10, 1, 10, 100 Mb/s every 20 s", RateTrace(steps=_STEPS, period="80 s"), 160)
    if not setting.fast:
        yield _cell(setting, "2 to 18 Mb/s, a sine of 1 Hz", RateTrace(steps=_WAVE, period="1 s"), 60)


def _cell(setting: Setting, words: str, trace: RateTrace, duration: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        made = dumbbell(_PATH, bulk("law", law), queue=setting.queue(_PATH.buffer(2)), duration=duration)
        return made.changed({"dumbbell.bottleneck.rate": None, "dumbbell.bottleneck.rate_trace": trace})

    return Cell(
        place=f"{words}, 40 ms",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_more_loss(), Beside(measure=QUEUE, worse="higher", part=0.25)],
        shown=[P99],
    )


EXPERIMENT = Experiment(
    key="varying_rate",
    title="A rate that changes",
    question="Does the law follow the rate of the link, up and down?",
    source="RFC 9743, sections 6.4 and 7.9; RFC 7928, section 8.2",
    advice="Look at the first seconds after each step: how long the queue stays full after a step down, and how "
    "long the link is idle after a step up.",
    headline=UTILIZATION.name,
    cells=_cells,
)
