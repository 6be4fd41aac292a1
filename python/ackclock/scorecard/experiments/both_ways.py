"""Bulk flows in both directions of an asymmetric link: ACKs wait behind data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Link
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import QUEUE, share
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_FORWARD = "goodput forward"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for back in (1,) if setting.fast else (1, 10):
        yield _cell(setting, Path(10, 40), Path(back, 40))


def _cell(setting: Setting, path: Path, back: Path) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        reverse = Link(rate=f"{back.rate:g} Mbps", delay=f"{back.rtt / 2:g} ms", queue=setting.queue(back.buffer(4)))
        made = dumbbell(
            path,
            bulk("forward", law),
            bulk("back", law, direction="reverse"),
            queue=setting.queue(path.buffer(1)),
            duration=120,
            since=30,
        )
        return made.changed({"dumbbell.reverse": reverse})

    forward = share("forward", of=path.rate * 1e6, words=_FORWARD)
    backward = share("back", of=back.rate * 1e6, words="goodput back")
    return Cell(
        place=f"{path.rate:g} Mb/s forward, {back.rate:g} back",
        scenario=scenario,
        rules=[no_less(forward, 0.25), no_less(backward, 0.25)],
        shown=[QUEUE],
    )


EXPERIMENT = Experiment(
    key="both_ways",
    title="Traffic in both directions",
    question="Does the law work where its ACKs wait behind data?",
    source="draft-irtf-iccrg-tcpeval (reverse traffic); RFC 3449",
    advice="Bunches of ACKs must not release bunches of data, and a delay on the way back is not a queue on the "
    "way forward: pace, or measure one-way delay.",
    headline=_FORWARD,
    cells=_cells,
)
