"""Losses in bursts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import GilbertElliottPackets
from ackclock.scorecard.experiment import Experiment
from ackclock.scorecard.experiments.impaired import GOODPUT, impaired
from ackclock.scorecard.measures import TIMEOUTS
from ackclock.scorecard.networks import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Cell, Setting

_PATH: Final = Path(100, 40)


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for loss in (0.002,) if setting.fast else (0.0005, 0.002, 0.01):
        for burst in (4, 16):
            # Bad states last `burst` packets on average, all of which are lost, and hold a part `loss` of all packets.
            channel = GilbertElliottPackets(to_good=1 / burst, to_bad=loss / (1 - loss) / burst, bad=1.0)
            words = f"loss {100 * loss:g} % in bursts of {burst}"
            yield impaired(setting, _PATH, words, shown=TIMEOUTS, loss=channel)


EXPERIMENT = Experiment(
    key="loss_bursts",
    title="Bursts of losses",
    question="Does the law carry at least as much where packets are lost in bursts?",
    source="RFC 9743, section 6.4",
    advice="One burst is one signal: the window should be reduced once for all losses of a round trip.",
    headline=GOODPUT,
    cells=_cells,
)
