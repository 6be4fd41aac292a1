"""Several flows of the law on one link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import FAIR, no_longer_queue, no_more_loss, no_storm
from ackclock.scorecard.measures import JAIN, TIMEOUTS, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Beside, Limit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_APART, _ROUND = 10, 60
"""Seconds between the starts of few flows, and measured seconds after the last one's start and as much again."""
_FEW, _SOME = 4, 16


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for path in (Path(10, 40), Path(100, 40)):
        for count in (2, 16) if setting.fast else (2, 4, 16, 64):
            for part in (1,) if setting.fast else (1, 4):
                yield _cell(setting, path, count, part)


def _cell(setting: Setting, path: Path, count: int, part: float) -> Cell[Tcp]:
    last = _APART * (count - 1) if count <= _FEW else 0

    def scenario(law: Tcp) -> Scenario:
        if count <= _FEW:
            groups = [bulk(f"flow{place + 1}", law, start=f"{_APART * place} s") for place in range(count)]
        else:
            groups = [bulk("law", law, count=count)]
        return dumbbell(
            path, *groups, queue=setting.queue(path.buffer(part)), duration=last + 2 * _ROUND, since=last + _ROUND
        )

    if count > _SOME:  # too many for the link: here the yardstick is the measure
        equal: Rule = Beside(measure=JAIN, worse="lower", by=0.1)
        storm: Rule = Beside(measure=TIMEOUTS, worse="higher", part=0.5, by=1)
    else:
        equal, storm = Limit(measure=JAIN, worse="lower", than=FAIR), no_storm()
    return Cell(
        place=f"{count} flows, {path}, buffer {part:g} BDP",
        scenario=scenario,
        rules=[equal, no_more_loss(), no_longer_queue(path, part), storm],
        shown=[UTILIZATION],
    )


EXPERIMENT = Experiment(
    key="itself",
    title="Beside flows of its own",
    question="Do flows of the law share a link, also those that start later?",
    source="RFC 9743, section 5.1.4; RFC 5166, section 2.3",
    advice="Rates come together if each reduction takes more from the flow that has more (a multiplicative "
    "decrease) and growth does not depend on the window in the same way. Look at the rates of two flows "
    "over time.",
    headline=JAIN.name,
    cells=_cells,
)
