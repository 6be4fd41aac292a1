"""A link whose rate changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_more_loss, no_slower
from ackclock.scorecard.measures import P99, QUEUE, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell, with_rates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(10, 40)
_STEP: Final = 30
"""Seconds until the step."""
_WAVE: Final = [(f"{50 * place} ms", f"{10 + 8 * math.sin(2 * math.pi * place / 20):.3f} Mbps") for place in range(20)]
"""A sine of 1 Hz from 2 to 18 Mb/s, in steps of 50 ms."""


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    yield _step(setting, 1, 20)
    yield _step(setting, 100, 10)
    if not setting.fast:
        yield _wave(setting)


def _step(setting: Setting, rate: float, seconds: float) -> Cell[Tcp]:
    """Measure only what follows a step: a rate of a tenth carries a tenth of the packets, and would hide in a mean."""

    def scenario(law: Tcp) -> Scenario:
        queue = setting.queue(_PATH.buffer(2))
        made = dumbbell(_PATH, bulk("law", law), queue=queue, duration=_STEP + seconds, since=_STEP)
        return with_rates(made, ("0 s", f"{_PATH.rate:g} Mbps"), (f"{_STEP} s", f"{rate:g} Mbps"))

    up = rate > _PATH.rate
    return Cell(
        place=f"{_PATH.rate:g} Mb/s, then {rate:g} Mb/s, {_PATH.rtt:g} ms; the first {seconds:g} s",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_more_loss(by=2), *([] if up else [no_slower(QUEUE), no_slower(P99)])],
        shown=[QUEUE],
    )


def _wave(setting: Setting) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        made = dumbbell(_PATH, bulk("law", law), queue=setting.queue(_PATH.buffer(2)))
        return with_rates(made, *_WAVE, period="1 s")

    return Cell(
        place=f"2 to 18 Mb/s, a sine of 1 Hz, {_PATH.rtt:g} ms",
        scenario=scenario,
        rules=[no_less(UTILIZATION), no_more_loss(), no_slower(QUEUE)],
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
