"""One flow on a path whose packets are lost or overtaken: the frame of three experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ackclock.scorecard.experiment import Cell
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import share
from ackclock.scorecard.networks import bulk, dumbbell

if TYPE_CHECKING:
    from ackclock.scenario import Link, Scenario, Tcp
    from ackclock.scorecard.experiment import Setting
    from ackclock.scorecard.measures import Measure
    from ackclock.scorecard.networks import Path

__all__ = ["GOODPUT", "impaired"]

GOODPUT: Final = "goodput, of the link"


def impaired(
    setting: Setting,
    path: Path,
    words: str,
    *,
    shown: Measure,
    duration: float = 70,
    back: Link | None = None,
    **link: Any,
) -> Cell[Tcp]:
    """Ask for as much goodput as with the yardstick on an impaired path.

    Parameters
    ----------
    setting, path, words
        How the experiment is run, the path, and its impairment in words.
    shown
        A further measure.
    duration
        Simulated time in s.
    back
        The way back, if it is impaired.
    link
        Fields of the link that impair it.
    """

    def scenario(law: Tcp) -> Scenario:
        made = dumbbell(path, bulk("law", law), queue=setting.queue(path.buffer(1)), duration=duration, link=link)
        return made if back is None else made.changed({"dumbbell.reverse": back})

    goodput = share("law", of=path.rate * 1e6, words=GOODPUT)
    return Cell(place=f"{path}, {words}", scenario=scenario, rules=[no_less(goodput)], shown=[shown])
