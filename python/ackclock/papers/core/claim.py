"""Claims, with their sources and the rules that judge them, and judged claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ackclock.analysis import Interval
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.evidence import Evidence, Grid, Key, Side
from ackclock.papers.core.quantities import Quantity, numbers
from ackclock.papers.core.rules import Outcome, Rule
from ackclock.papers.core.words import DASH, key_words, points_words, with_unit
from ackclock.papers.truth import Truth, counted
from ackclock.report.html import Finding, Origin, Table
from ackclock.values.words import capital


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A rule that was changed after results had been seen.

    Parameters
    ----------
    was, now
        Short texts of the rule before and after the change.
    before, after
        The verdicts of both rules.
    reason
        Reason for the change.

    """

    was: str
    now: str
    before: str
    after: str
    reason: str


class Said:
    """Numbers of our runs, for functions that write reasons."""

    def __init__(self, side: Side, outcome: Outcome) -> None:
        self._side, self.outcome = side, outcome

    def __call__(self, quantity: Quantity) -> Grid[Interval]:
        """Return the means of a quantity with their intervals."""
        return quantity.points(self._side)

    def answers(self, asked: Answers) -> Grid[Truth]:
        """Return the answers to a question."""
        return asked.on(self._side)

    def counted(self, asked: Answers, points: str) -> str:
        """Count the points at which the answer is yes: "3 of 4 points"."""
        return counted(self.answers(asked).cells.values(), points)

    def mean(self, quantity: Quantity) -> float:
        """Return the mean of a quantity with a single point."""
        (one,) = self(quantity).cells.values()
        return one.mean


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One claim of a paper, or of ours.

    Parameters
    ----------
    key, where, text, paper, figure, command
        As in `ackclock.report.html.Finding`; the command shows an example run.
    test
        The rule that judges it.
    origin
        Source of the claim.
    why
        A reason that replaces the rule's: text with ``{name}`` for the means of `shows`, or a function.
    shows
        Further quantities to report, by name.
    numbers
        Quantities to report (default: the quantities of the rule and of `shows`).
    brief
        A short reason for the summary: text or a function; empty for the full reason.
    changed
        A change of the rule after its results had been seen.

    """

    key: str
    where: str
    text: str
    test: Rule
    paper: str = ""
    origin: Origin = "paper"
    figure: str = ""
    command: str = ""
    why: str | Callable[[Said], str] = ""
    shows: Mapping[str, Quantity] = field(default_factory=dict)
    numbers: tuple[Quantity, ...] | None = None
    brief: str | Callable[[Said], str] = ""
    changed: Change | None = None

    @property
    def rule(self) -> str:
        """Text of the rule."""
        return self.test.words

    def judge(self, evidence: Evidence) -> Judged:
        """Judge the claim by our runs, and format the numbers of both simulators."""
        outcome = self.test.judge(evidence.ours)
        said = Said(evidence.ours, outcome)
        return Judged(
            claim=self,
            verdict=outcome.verdict,
            why=self._sentence(said),
            setting=outcome.setting,
            command=outcome.command,
            brief=self.brief(said) if callable(self.brief) else self.brief,
            ours=self._numbers(evidence.ours),
            ns2=self._numbers(evidence.ns2),
            tables=tabled(self._reported(), evidence),
        )

    def _reported(self) -> list[Quantity]:
        """Return the quantities to report, without duplicates."""
        quantities = (*self.test.quantities, *self.shows.values()) if self.numbers is None else self.numbers
        return list({one.reported.words: one.reported for one in quantities}.values())

    def _numbers(self, side: Side) -> str:
        """Format the numbers of one simulator, or a dash if it has none."""
        parts = []
        for one in self._reported():
            with suppress(LookupError):
                parts.append(numbers(one, side))
        return "; ".join(parts) or DASH

    def _sentence(self, said: Said) -> str:
        if callable(self.why):
            return self.why(said)
        if not self.why:
            return said.outcome.why
        means = {name: _mean(one, said(one)) for name, one in self.shows.items()}
        return self.why.format(**means, why=said.outcome.why)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged(Outcome):
    """A claim with the outcome of its rule.

    Parameters
    ----------
    claim
        The claim.
    ours, ns2
        The numbers of each simulator, with their 95 % intervals (Student's t); a dash if not measured.
    brief
        A short reason for the summary; empty for the full one.
    tables
        The numbers as tables, if there are many.

    """

    claim: Claim
    ours: str
    ns2: str
    brief: str = ""
    tables: Sequence[Table] = ()

    @property
    def title(self) -> str:
        """The verdict, with the setting on which it depends."""
        return f"{self.verdict} {self.setting}".strip()

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the claim's table row, by column."""
        return {
            "key": self.claim.key,
            "where": self.claim.where,
            "claim": self.claim.text,
            "paper": self.claim.paper,
            "ackclock": self.ours,
            "ns-2": self.ns2,
            "verdict": self.title,
            "why": self.why,
            "rule": self.claim.rule,
            "command": self.command or self.claim.command,
        }

    @property
    def finding(self) -> Finding:
        """The claim as an entry of the report."""
        return Finding(
            key=self.claim.key,
            claim=self.claim.text,
            where=self.claim.where,
            published=self.claim.paper,
            ours=self.ours,
            oracle=self.ns2,
            verdict=self.verdict,
            setting=self.setting,
            why=self.why,
            rule=self.claim.rule,
            command=self.command or self.claim.command,
            origin=self.claim.origin,
            figure=self.claim.figure,
            tables=self.tables,
        )


def judge(claims: Sequence[Claim], evidence: Evidence) -> list[Judged]:
    """Judge each claim by the evidence, in order."""
    return [claim.judge(evidence) for claim in claims]


def _mean(of: Quantity, points: Grid[Interval]) -> str:
    """Format a mean, or several means with their intervals and points."""
    if len(points.cells) > 1:
        return points_words(points, digits=of.digits, unit=of.unit)
    (one,) = points.cells.values()
    return with_unit(f"{one.mean:,.{of.digits}f}", of.unit)


_FEW = 2
"""Maximum number of points for a sentence instead of a table."""
_COLUMNS = 8
"""Maximum number of columns for the values of an axis."""
_SIDES = ("Ackclock", "ns-2.35")


def tabled(quantities: Sequence[Quantity], evidence: Evidence) -> list[Table]:
    """Make a table of each quantity's means: points as rows and simulators as columns, or an axis as columns.

    The list is empty if no quantity has more than two points.
    """
    measured = {of: points for of in quantities if (points := _points(of, evidence.ours))}
    if all(len(points.cells) <= _FEW for points in measured.values()):
        return []
    return [_table(of, ours, _points(of, evidence.ns2)) for of, ours in measured.items()]


def _table(of: Quantity, ours: Grid[Interval], theirs: Grid[Interval] | None) -> Table:
    sides = {_SIDES[0]: ours}
    if theirs is not None and set(theirs.axes) == set(ours.axes):
        sides[_SIDES[1]] = theirs.ordered(ours.axes)
    unit = f", {of.unit}" if of.unit else ""
    caption = f"{capital(of.label)}{unit}: mean ± half-width of the 95 % interval"
    across = _across(ours)
    if across is None:
        rows = [
            [key_words(ours.axes, key), *(_shown(points, key, of) for points in sides.values())] for key in ours.cells
        ]
        return Table(caption=caption, head=["Point", *sides], rows=rows)
    at = ours.axes.index(across)
    values = list(dict.fromkeys(key[at] for key in ours.cells))
    down = list(dict.fromkeys((*key[:at], *key[at + 1 :]) for key in ours.cells))
    axes = (*ours.axes[:at], *ours.axes[at + 1 :])
    rows = [
        [
            key_words(axes, rest) + ("" if name == _SIDES[0] else f"; {name}"),
            *(_shown(points, (*rest[:at], value, *rest[at:]), of) for value in values),
        ]
        for rest in down
        for name, points in sides.items()
        if any((*rest[:at], value, *rest[at:]) in points.cells for value in values)
    ]
    return Table(caption=caption, head=["", *(key_words([across], (value,)) for value in values)], rows=rows)


def _points(of: Quantity, side: Side) -> Grid[Interval] | None:
    with suppress(LookupError):
        return of.points(side)
    return None


def _across(points: Grid[Interval]) -> str | None:
    """Choose the axis of the columns: with two or more axes, the one with the most values that fit."""
    counts: Mapping[str, int] = {axis: len({key[at] for key in points.cells}) for at, axis in enumerate(points.axes)}
    fitting = [axis for axis, count in counts.items() if 1 < count <= _COLUMNS]
    varied = sum(count > 1 for count in counts.values())
    return max(fitting, key=lambda axis: counts[axis]) if fitting and varied > 1 else None


def _shown(points: Grid[Interval], key: Key, of: Quantity) -> str:
    found = points.cells.get(key)
    return DASH if found is None else found.shown(of.digits)
