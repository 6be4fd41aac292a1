"""Losses in bursts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import GilbertElliottPackets
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import TIMEOUTS, share
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_PATH: Final = Path(100, 40)
_GOODPUT = "goodput, of the link"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for loss in (0.002,) if setting.fast else (0.0005, 0.002, 0.01):
        for burst in (4, 16):
            yield _cell(setting, loss, burst)


def _cell(setting: Setting, loss: float, burst: int) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        # Bad states last `burst` packets on average, all of which are lost, and hold a part `loss` of all packets.
        channel = GilbertElliottPackets(to_good=1 / burst, to_bad=loss / (1 - loss) / burst, bad=1.0)
        queue = setting.queue(_PATH.buffer(1))
        return dumbbell(_PATH, bulk("law", law), queue=queue, duration=70, link={"loss": channel})

    goodput = share("law", of=_PATH.rate * 1e6, words=_GOODPUT)
    place = f"{_PATH}, loss {100 * loss:g} % in bursts of {burst}"
    return Cell(place=place, scenario=scenario, rules=[no_less(goodput)], shown=[TIMEOUTS])


EXPERIMENT = Experiment(
    key="loss_bursts",
    title="Bursts of losses",
    question="Does the law carry at least as much where packets are lost in bursts?",
    source="RFC 9743, section 6.4",
    advice="One burst is one signal: the window should be reduced once for all losses of a round trip.",
    headline=_GOODPUT,
    cells=_cells,
)
