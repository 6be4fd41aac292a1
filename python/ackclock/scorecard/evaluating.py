"""Evaluates a congestion control by the questions that RFC 9743 (BCP 133) asks of a new one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ackclock.analysis import student_interval
from ackclock.engine.catalogue import catalogue
from ackclock.scenario import Queue, Tcp
from ackclock.scorecard.experiment import Setting
from ackclock.scorecard.experiments import EXPERIMENTS
from ackclock.scorecard.rules import Value, Verdict, combined
from ackclock.study import Batch, Point, Wanted
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ackclock.analysis.interval import Interval
    from ackclock.laws.law import Law
    from ackclock.scorecard.experiment import Cell, Experiment
    from ackclock.scorecard.measures import Measure
    from ackclock.scorecard.rules import Rule
    from ackclock.study import Replication

__all__ = ["SEEDS", "Answer", "Examined", "Result", "Scorecard", "Seen", "evaluate", "examine", "queue_named"]

SEEDS: Final = whole(3, 1000)
"""Allowed numbers of seeds. With two, Student's interval is too wide for a verdict."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """The values of a measure in one cell, by seed, of the law and of the yardstick."""

    measure: Measure
    law: Sequence[Value]
    yardstick: Sequence[Value]

    @staticmethod
    def interval(values: Sequence[Value]) -> Interval | None:
        """Return the mean of the values with its 95 % confidence interval; None if any value is missing."""
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
    yardstick: Verdict
    """What the rule says of the yardstick itself: it may fail a limit, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """A cell with what was measured there."""

    cell: Cell
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

    experiment: Experiment
    cells: Sequence[Examined]

    @property
    def verdict(self) -> Verdict:
        """The verdict: it fails if any cell fails, and passes if all pass."""
        return combined(cell.verdict for cell in self.cells)

    @property
    def yardstick(self) -> Verdict:
        """The verdict of the yardstick in place of the law."""
        return combined(answer.yardstick for cell in self.cells for answer in cell.answers)

    def deciding(self, against: str) -> str:
        """Say what decided the verdict: in how many networks, and the first rule with its numbers."""
        found = [(cell, answer) for cell in self.cells for answer in cell.answers if answer.verdict is self.verdict]
        cell, answer = found[0]
        seen = cell.seen[answer.rule.measure.name]
        return (
            f"In {len({cell.cell.place for cell, _ in found})} of {len(self.cells)} networks, such as "
            f"{cell.cell.place}: {answer.rule.words(against)}; it has {seen.shown(seen.law)}, "
            f"{against} {seen.shown(seen.yardstick)}."
        )


@dataclass(frozen=True, kw_only=True)
class Scorecard:
    """What an evaluation found.

    Parameters
    ----------
    law, against
        Names of the law and of the yardstick.
    seeds
        The seeds of the runs.
    fast
        Whether each experiment had only a part of its networks.
    results
        The experiments by their keys, in the order of the page.
    """

    law: str
    against: str
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
        found = f"{self.law} passes {counts[Verdict.PASS]} of {total} experiments"
        rest = [
            f"{words} {counts[verdict]}"
            for verdict, words in ((Verdict.FAIL, "fails"), (Verdict.UNDECIDED, "leaves undecided"))
            if counts[verdict]
        ]
        return f"{', '.join([found, *rest])}, beside {self.against} in its place."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "law": self.law,
            "against": self.against,
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
                    "verdict_of_against": str(result.yardstick),
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


def evaluate(
    law: str | Tcp | Law | type[Law],
    *,
    against: str | Tcp | Law | type[Law] = "cubic",
    queue: str = "droptail",
    fast: bool = False,
    seeds: int = 5,
    only: Collection[str] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    lines: bool = False,
) -> Scorecard:
    """Evaluate a congestion control beside another one in its place.

    The experiments follow RFC 9743 (BCP 133), RFC 5166 and RFC 7928. The documents ask questions and leave the numbers
    open: the rules state them. All senders have the profile ``linux``; an evaluated transport may set other options.

    Parameters
    ----------
    law
        A built-in law, ``FILE.py:CLASS``, a class or object of `Law`, or a transport.
    against
        The yardstick, in the same forms.
    queue
        Queue of the measured link, where an experiment does not choose it.
    fast
        Whether to run only a part of the networks of each experiment.
    seeds
        Number of seeds, at least 3.
    only
        Keys of the experiments to run (default: all).
    jobs, memory
        As for `ackclock.replicate`.
    lines
        Whether to write lines of progress if there is no terminal.

    Returns
    -------
    Scorecard
        The verdicts, with all values.

    Raises
    ------
    ScenarioError
        There is no such law, queue or experiment, or a number is not allowed.

    Examples
    --------
    >>> card = evaluate("vegas", fast=True, only=["real_time", "extremes"])
    >>> print(card.answer())
    vegas passes 1 of 2 experiments, fails 1, beside cubic in its place.
    """
    count = SEEDS.require("seeds", seeds)
    tested, yardstick = transport("law", law), transport("against", against)
    setting = Setting(against=yardstick, fast=fast, queue=queue_named(queue))
    chosen = {experiment: list(experiment.cells(setting)) for experiment in _chosen(only)}
    cells = [cell for those in chosen.values() for cell in those]
    numbers = range(1, count + 1)
    found = iter(examine(cells, tested, yardstick, seeds=numbers, jobs=jobs, memory=memory, lines=lines))
    results = {
        each.key: Result(experiment=each, cells=list(islice(found, len(those)))) for each, those in chosen.items()
    }
    return Scorecard(law=name_of(tested), against=name_of(yardstick), seeds=numbers, fast=fast, results=results)


def examine(
    cells: Sequence[Cell],
    law: Tcp,
    yardstick: Tcp,
    *,
    seeds: Sequence[int],
    jobs: int | None = None,
    memory: str | None = None,
    lines: bool = False,
) -> list[Examined]:
    """Run a law and the yardstick in each cell, with each seed, and judge the rules."""
    batch = Batch()
    wishes = [tuple(batch.add(_wanted(cell, each, seeds)) for each in (law, yardstick)) for cell in cells]
    batch.run(jobs=jobs, memory=memory, label="evaluation", lines=lines)
    return [_examined(cell, own(), other()) for cell, (own, other) in zip(cells, wishes, strict=True)]


def transport(field: str, law: str | Tcp | Law | type[Law]) -> Tcp:
    """Return the transport of a law.

    Raises
    ------
    ScenarioError
        There is no such law.
    """
    if isinstance(law, Tcp):
        return law
    if isinstance(law, str) and ":" in law:
        return Tcp(law=law)
    if isinstance(law, str) and law not in catalogue().variants:
        raise refuse(field, law, f"{one_of(law, catalogue().variants)}, or FILE.py:CLASS")
    return Tcp(law)


def name_of(law: Tcp) -> str:
    """Return the name of a transport: of its class, or else of its built-in law."""
    return law.law.rpartition(":")[2] if law.law else str(law.variant)


def queue_named(kind: str) -> Callable[[int], Queue]:
    """Return what makes a queue of a kind from its limit in packets.

    Raises
    ------
    ScenarioError
        There is no such queue.
    """
    kinds = [name for name in catalogue().queues if name != "priority"]
    if kind not in kinds:
        raise refuse("queue", kind, one_of(kind, kinds))
    return lambda packets: Queue(kind=kind, packets=packets)


def _chosen(only: Collection[str] | None) -> Iterator[Experiment]:
    keys = [experiment.key for experiment in EXPERIMENTS]
    for key in only or ():
        if key not in keys:
            raise refuse("only", key, one_of(key, keys))
    return (experiment for experiment in EXPERIMENTS if only is None or experiment.key in only)


def _wanted(cell: Cell, law: Tcp, seeds: Sequence[int]) -> Wanted[list[Value], list[Replication[list[Value]]]]:
    return Wanted(
        points=[Point(name=cell.place, scenario=cell.scenario(law))],
        seeds=seeds,
        take=lambda run: [measure.of(run) for measure in cell.measures],
        make=list,
    )


def _examined(cell: Cell, *runs: Iterable[Replication[list[Value]]]) -> Examined:
    laws, yardsticks = ([each.value for each in those] for those in runs)
    seen = {
        measure.name: Seen(
            measure=measure,
            law=[values[place] for values in laws],
            yardstick=[values[place] for values in yardsticks],
        )
        for place, measure in enumerate(cell.measures)
    }
    answers = [
        Answer(
            rule=rule,
            verdict=rule.judge(found.law, found.yardstick),
            yardstick=rule.judge(found.yardstick, found.yardstick),
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
                "verdict_of_against": str(answer.yardstick),
            }
            for answer in each.answers
        ],
        "measures": {
            name: {"unit": found.measure.unit, "law": list(found.law), "against": list(found.yardstick)}
            for name, found in each.seen.items()
        },
    }
