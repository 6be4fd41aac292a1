"""An experiment of the scorecard: networks, what is measured there, and the rules by which it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.scenario import Queue, Scenario, Tcp
    from ackclock.scorecard.measures import Measure
    from ackclock.scorecard.rules import Rule

__all__ = ["Cell", "Experiment", "Queues", "Scope", "Setting"]


T = TypeVar("T")
S = TypeVar("S", bound="Scope")

Queues: TypeAlias = "Callable[[int], Queue]"
"""Makes the queue of a discipline from its limit in packets."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """How many networks an evaluation has.

    Parameters
    ----------
    fast
        Whether each experiment has only a part of its networks.
    """

    fast: bool


@dataclass(frozen=True, kw_only=True)
class Setting(Scope):
    """How the experiments with laws are run.

    Parameters
    ----------
    fast
        Whether each experiment has only a part of its networks.
    against
        The transport of the yardstick.
    queue
        Makes the queue of the measured link, in the experiments that do not choose it.
    """

    against: Tcp
    queue: Queues


@dataclass(frozen=True, kw_only=True)
class Cell(Generic[T]):
    """One network of an experiment, for contenders of one kind: transports, or queues.

    Parameters
    ----------
    place
        The network in words, unique in the experiment.
    scenario
        Makes the scenario in which a contender is measured.
    rules
        The rules.
    shown
        Further measures for the page.
    """

    place: str
    scenario: Callable[[T], Scenario]
    rules: Sequence[Rule]
    shown: Sequence[Measure] = ()

    @property
    def measures(self) -> Sequence[Measure]:
        """All measures, each once."""
        return list({each.name: each for each in (*(rule.measure for rule in self.rules), *self.shown)}.values())


@dataclass(frozen=True, kw_only=True)
class Experiment(Generic[T, S]):
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
        Makes the networks of a `Setting` (laws) or a `Scope` (queues).
    """

    key: str
    title: str
    question: str
    source: str
    advice: str
    headline: str
    cells: Callable[[S], Iterable[Cell[T]]]
