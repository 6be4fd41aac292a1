"""The scorecard of an evaluation: what was measured in each network, and the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ackclock.running.origin import Origin
from ackclock.scorecard.rules import Limit, Value, Verdict, combined
from ackclock.study import Batch, Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.analysis.interval import Interval
    from ackclock.scorecard.experiment import Cell, Experiment
    from ackclock.scorecard.measures import Measure
    from ackclock.scorecard.rules import Rule
    from ackclock.study import Replication

__all__ = ["Answer", "Examined", "Result", "Scorecard", "Seen", "examine"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """The values of a measure in one cell, by seed, of what is evaluated and of the yardstick."""

    measure: Measure
    own: Sequence[Value]
    yardstick: Sequence[Value]

    @staticmethod
    def interval(values: Sequence[Value]) -> Interval | None:
        """Return the mean of the values with its 95 % confidence interval; None if any value is missing."""
        from ackclock.analysis import student_interval  # noqa: PLC0415  # it loads NumPy

        known = [value for value in values if value is not None]
        return student_interval(known) if len(known) == len(values) else None

    def shown(self, values: Sequence[Value]) -> str:
        """Format the mean of values with its interval and unit."""
        interval = self.interval(values)
        return "no value" if interval is None else f"{interval} {self.measure.unit}".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A rule of a cell with its verdicts."""

    rule: Rule
    verdict: Verdict
    yardstick: Verdict | None
    """What the rule says of the yardstick itself; None if it compares with the yardstick."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """A cell with what was measured there."""

    cell: Cell[Any]
    seen: Mapping[str, Seen]
    """By the name of the measure."""
    answers: Sequence[Answer]

    @property
    def verdict(self) -> Verdict:
        """The verdict of all rules of the cell."""
        return combined(answer.verdict for answer in self.answers)


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """An experiment with its cells."""

    experiment: Experiment[Any, Any]
    cells: Sequence[Examined]

    @property
    def verdict(self) -> Verdict:
        """The verdict: it fails if any cell fails, and passes if all pass."""
        return combined(cell.verdict for cell in self.cells)

    @property
    def yardstick(self) -> Verdict | None:
        """The verdict of the yardstick by the rules with limits of their own; None if there are none."""
        found = [answer.yardstick for cell in self.cells for answer in cell.answers if answer.yardstick is not None]
        return combined(found) if found else None

    def deciding(self, against: str) -> str:
        """Say what decided the verdict: in how many networks, and the first rule with its numbers."""
        found = [(cell, answer) for cell in self.cells for answer in cell.answers if answer.verdict is self.verdict]
        cell, answer = found[0]
        seen = cell.seen[answer.rule.measure.name]
        return (
            f"In {len({cell.cell.place for cell, _ in found})} of {len(self.cells)} networks, such as "
            f"{cell.cell.place}: {answer.rule.words(against)}; it has {seen.shown(seen.own)}, "
            f"{against} {seen.shown(seen.yardstick)}."
        )


@dataclass(frozen=True, kw_only=True)
class Scorecard:
    """What an evaluation found.

    Parameters
    ----------
    name, against
        Names of what is evaluated and of the yardstick.
    documents
        The documents that ask the questions.
    seeds
        The seeds of the runs.
    fast
        Whether each experiment had only a part of its networks.
    results
        The experiments by their keys, in the order of the page.
    """

    name: str
    against: str
    documents: str
    seeds: Sequence[int]
    fast: bool
    results: Mapping[str, Result]

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdict of each experiment."""
        return {key: result.verdict for key, result in self.results.items()}

    def answer(self) -> str:
        """Return the result in a sentence."""
        counts = {verdict: list(self.verdicts.values()).count(verdict) for verdict in Verdict}
        total = sum(counts.values())
        found = f"{self.name} passes {counts[Verdict.PASS]} of {total} experiments"
        rest = [
            f"{words} {counts[verdict]}"
            for verdict, words in ((Verdict.FAIL, "fails"), (Verdict.UNDECIDED, "leaves undecided"))
            if counts[verdict]
        ]
        return f"{', '.join([found, *rest])}, beside {self.against} in its place."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "name": self.name,
            "against": self.against,
            "documents": self.documents,
            "program": str(Origin.here()),
            "seeds": list(self.seeds),
            "fast": self.fast,
            "answer": self.answer(),
            "experiments": [
                {
                    "key": key,
                    "title": result.experiment.title,
                    "question": result.experiment.question,
                    "source": result.experiment.source,
                    "verdict": str(result.verdict),
                    "verdict_of_against": result.yardstick,
                    "advice": result.experiment.advice,
                    "cells": [_cell_dict(each, self.against) for each in result.cells],
                }
                for key, result in self.results.items()
            ],
        }

    def _repr_html_(self) -> str:
        """Return the table of verdicts, for notebooks."""
        from ackclock.scorecard.page import brief_html  # noqa: PLC0415  # only notebooks need it

        return brief_html(self)

    def page(self, command: str = "") -> str:
        """Return the page of the evaluation: a self-contained HTML file."""
        from ackclock.scorecard.page import page  # noqa: PLC0415  # it loads Matplotlib

        return page(self, command)


def examine(
    cells: Sequence[Cell[T]],
    own: T,
    yardstick: T,
    *,
    seeds: Sequence[int],
    jobs: int | None = None,
    memory: str | None = None,
    lines: bool = False,
) -> list[Examined]:
    """Run what is evaluated and the yardstick in each cell, with each seed, and judge the rules."""
    batch = Batch()
    wishes = [tuple(batch.add(_wanted(cell, each, seeds)) for each in (own, yardstick)) for cell in cells]
    batch.run(jobs=jobs, memory=memory, label="evaluation", lines=lines)
    return [_examined(cell, mine(), other()) for cell, (mine, other) in zip(cells, wishes, strict=True)]


def _wanted(cell: Cell[T], own: T, seeds: Sequence[int]) -> Wanted[list[Value], list[Replication[list[Value]]]]:
    return Wanted(
        points=[Point(name=cell.place, scenario=cell.scenario(own))],
        seeds=seeds,
        take=lambda run: [measure.of(run) for measure in cell.measures],
        make=list,
    )


def _examined(cell: Cell[Any], *runs: Iterable[Replication[list[Value]]]) -> Examined:
    owns, yardsticks = ([each.value for each in those] for those in runs)
    seen = {
        measure.name: Seen(
            measure=measure,
            own=[values[place] for values in owns],
            yardstick=[values[place] for values in yardsticks],
        )
        for place, measure in enumerate(cell.measures)
    }
    answers = [
        Answer(
            rule=rule,
            verdict=rule.judge(found.own, found.yardstick),
            yardstick=rule.judge(found.yardstick, ()) if isinstance(rule, Limit) else None,
        )
        for rule in cell.rules
        for found in [seen[rule.measure.name]]
    ]
    return Examined(cell=cell, seen=seen, answers=answers)


def _cell_dict(each: Examined, against: str) -> dict[str, Any]:
    return {
        "place": each.cell.place,
        "verdict": str(each.verdict),
        "rules": [
            {
                "rule": answer.rule.words(against),
                "measure": answer.rule.measure.name,
                "verdict": str(answer.verdict),
                "verdict_of_against": answer.yardstick,
            }
            for answer in each.answers
        ],
        "measures": {
            name: {"unit": found.measure.unit, "own": list(found.own), "against": list(found.yardstick)}
            for name, found in each.seen.items()
        },
    }
