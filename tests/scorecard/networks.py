"""Single networks of the scorecard, for tests that need no whole experiment."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ackclock.scorecard.card import examine
from ackclock.scorecard.evaluating import queue_named, transport
from ackclock.scorecard.experiment import Setting
from ackclock.scorecard.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from ackclock import Law
    from ackclock.scorecard.card import Examined

SEEDS = range(1, 9)


@functools.cache
def seen_in(law: str | Law, experiment: str, place: str) -> Examined:
    """Run a law in one network of an experiment of a fast evaluation, beside CUBIC."""
    setting = Setting(against=transport("against", "cubic"), fast=True, queue=queue_named("queue", "droptail"))
    chosen = next(each for each in EXPERIMENTS if each.key == experiment)
    cell = next(each for each in chosen.cells(setting) if each.place == place)
    return examine([cell], transport("law", law), setting.against, seeds=SEEDS)[0]
