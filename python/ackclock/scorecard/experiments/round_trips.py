"""Two flows with different round-trip times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import BIAS, UTILIZATION, share
from ackclock.scorecard.networks import Path, unequal
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_FIRST: Final = 100
"""Round-trip time in ms of the first flow."""
_LINK: Final = Path(10, 2)
"""The shared link, whose delay is a part of both round trips."""


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for other in (20, 560) if setting.fast else (5, 20, 50, 100, 200, 560):
        yield _cell(setting, other)


def _cell(setting: Setting, other: float) -> Cell[Tcp]:
    rtts = {"short": min(_FIRST, other), "long": max(_FIRST, other)}

    def scenario(law: Tcp) -> Scenario:
        queue = setting.queue(Path(_LINK.rate, _FIRST).buffer(1))
        return unequal(law, rtts, _LINK, queue=queue, duration=180, since=60)

    return Cell(
        place=f"{rtts['short']:g} ms beside {rtts['long']:g} ms",
        scenario=scenario,
        rules=[Beside(measure=BIAS, worse="higher", part=1.0)],
        shown=[
            share("short", of=_LINK.rate * 1e6, words="share of the short path"),
            share("long", of=_LINK.rate * 1e6, words="share of the long path"),
            UTILIZATION,
        ],
    )


EXPERIMENT = Experiment(
    key="round_trips",
    title="Different round-trip times",
    question="Does a flow with another round-trip time get its share?",
    source="RFC 9743, section 5.1.4; RFC 7928, section 6",
    advice="Growth per ACK favours short paths. Growth by time, as in CUBIC and Hamilton TCP, or a pacing rate "
    "that does not depend on the round-trip time, lowers the ratio.",
    headline=BIAS.name,
    cells=_cells,
)
