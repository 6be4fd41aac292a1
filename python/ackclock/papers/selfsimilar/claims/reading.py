"""Functions shared by the claims: rules for each reading of the fixed-rate source, and short texts for the summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ackclock.analysis import Interval
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.claim import Said
from ackclock.papers.core.evidence import Grid
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.repeating import Readings
from ackclock.papers.core.rules import Bars, Rule
from ackclock.papers.selfsimilar.experiment import READINGS
from ackclock.papers.truth import counted
from ackclock.values.words import listed

V = TypeVar("V")


def by_reading(rule: Rule) -> Readings:
    """Make the rule that applies `rule` to each reading: each interpretation of the paper's fixed-rate source."""
    on = "the interpretation of the paper's fixed-rate source"
    return Readings(rule, axis="reading", values=list(READINGS), on=on)


def one_or_both(one: Answers, other: Answers) -> Bars:
    """Make the rule: reproduced if both answers are yes, partly if only one is."""
    return Bars(whole=one & other, part=(one | other).called("one of these holds"))


def counts(words: str, asked: Answers, points: str) -> Callable[[Said], str]:
    """Compose the summary's text on a question: the number of points with the answer yes, under each reading."""

    def brief(said: Said) -> str:
        each = _each_reading(said.answers(asked))
        return _briefly(words, {reading: counted(there, points) for reading, there in each.items()})

    return brief


def means(words: str, of: Quantity, write: Callable[[Interval], str]) -> Callable[[Said], str]:
    """Compose the summary's text on a quantity: its means under each reading."""

    def brief(said: Said) -> str:
        each = _each_reading(said(of))
        return _briefly(words, {reading: " and ".join(map(write, there)) for reading, there in each.items()})

    return brief


def _each_reading(found: Grid[V]) -> dict[str, list[V]]:
    each: dict[str, list[V]] = {}
    for key, value in found.cells.items():
        each.setdefault(str(key[found.place("reading")]), []).append(value)
    return each


def _briefly(words: str, each: Mapping[str, str]) -> str:
    """Format a text for each reading, or only once if it is the same for all."""
    if len(set(each.values())) == 1:
        return words.format(f"{next(iter(each.values()))} (all readings)")
    return words.format(listed([f"{said} ({reading})" for reading, said in each.items()]))
