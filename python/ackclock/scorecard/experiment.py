"""An experiment of the scorecard: networks, what is measured there, and the rules by which it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.scenario import Queue, Scenario, Tcp
    from ackclock.scorecard.measures import Measure
    from ackclock.scorecard.rules import Rule

__all__ = ["Cell", "Experiment", "Setting"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """How the experiments are run.

    Parameters
    ----------
    against
        The transport of the yardstick.
    fast
        Whether each experiment has only a part of its networks.
    queue
        Makes the queue of the measured link, from its limit in packets, in the experiments that do not choose it.
    """

    against: Tcp
    fast: bool
    queue: Callable[[int], Queue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One network of an experiment.

    Parameters
    ----------
    place
        The network in words, unique in the experiment.
    scenario
        Makes the scenario in which a transport is measured.
    rules
        The rules.
    shown
        Further measures for the page.
    """

    place: str
    scenario: Callable[[Tcp], Scenario]
    rules: Sequence[Rule]
    shown: Sequence[Measure] = ()

    @property
    def measures(self) -> Sequence[Measure]:
        """All measures, each once."""
        return list({each.name: each for each in (*(rule.measure for rule in self.rules), *self.shown)}.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment:
    """An experiment.

    Parameters
    ----------
    key
        Short name, for the command.
    title
        Heading.
    question
        What it asks, in a sentence.
    source
        The documents and sections that ask this.
    advice
        What to look at if it fails.
    headline
        Name of the measure that is drawn first.
    cells
        Makes the networks of a setting.
    """

    key: str
    title: str
    question: str
    source: str
    advice: str
    headline: str
    cells: Callable[[Setting], Iterable[Cell]]
