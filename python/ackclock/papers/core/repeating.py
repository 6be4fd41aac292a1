"""Rules that apply another rule several times.

- `Varied` applies it with the usual setting and with other settings.
- `Choices` applies it to each of several equivalent choices.
- `Cases` applies it to all runs together, and to each of several cases.
- `Readings` applies it to each reading, that is, interpretation of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from ackclock.papers.core.answers import distinct
from ackclock.papers.core.evidence import Row, Run, Scalar, Side
from ackclock.papers.core.rules import Outcome, Rule
from ackclock.report.html import Verdict
from ackclock.values.words import capital, listed


class Varied(Rule):
    """Judges again with other settings: a different verdict makes the claim depend on the setting.

    Parameters
    ----------
    rule
        Judges with the usual settings.
    under
        For each other setting, a rule that judges with it, by its name: "the order of simultaneous events".
    words
        Text on the other settings, which ends the rule's text.
    saved
        A setting counts only if it makes a claim that is not reproduced at least partly reproduced.

    """

    def __init__(self, rule: Rule, under: Mapping[str, Rule], *, words: str, saved: bool = False) -> None:
        self._rule, self._under, self._saved = rule, under, saved
        self.quantities = distinct(one for each in (rule, *under.values()) for one in each.quantities)
        better = "a claim that is not reproduced becomes at least partly reproduced"
        different = better if saved else "the verdict is decided and different"
        self.words = f"{rule.words} {words} If {different} there, the claim depends on that setting."

    def judge(self, ours: Side) -> Outcome:
        usual = self._rule.judge(ours)
        others = {setting: rule.judge(ours) for setting, rule in self._under.items()}
        flips = [
            setting
            for setting, other in others.items()
            if Verdict.UNDECIDED not in (usual.verdict, other.verdict) != (usual.verdict, usual.verdict)
            and (usual.verdict is Verdict.NOT or not self._saved)
        ]
        return Outcome(
            verdict=Verdict.DEPENDS if flips else usual.verdict,
            why=" ".join([usual.why, *(other.why for other in others.values())]),
            setting=listed(flips),
        )


class _Each(Rule):
    """Judges the runs at each value of an axis.

    Parameters
    ----------
    rule
        Judges one value; its quantities do not fix the axis.
    axis, values
        The axis of the runs, and its values.
    on
        The setting on which the claim depends if verdicts differ, such as "how losses are counted".

    """

    text: ClassVar[str]
    """What the verdict becomes, with ``{values}`` and ``{on}``."""

    def __init__(self, rule: Rule, *, axis: str, values: Sequence[str], on: str) -> None:
        self._rule, self._axis, self._values, self._on = rule, axis, values, on
        self.quantities = rule.quantities
        self.words = f"{rule.words} {self.text.format(values='; '.join(values), on=on)}"

    def _outcomes(self, ours: Side, *, keep: bool = True) -> dict[str, Outcome]:
        """Judge each value; the texts repeat the value at each point if the runs `keep` the axis."""
        runs = _OneChoice if keep else _OneReading
        return {value: self._rule.judge(runs(ours, self._axis, value)) for value in self._values}


def _reasons(found: Mapping[str, Outcome]) -> str:
    return " ".join(f"{capital(value)}: {outcome.verdict}. {outcome.why}" for value, outcome in found.items())


class Choices(_Each):
    """Judges each of several equivalent choices; if verdicts differ, the claim depends on the choice."""

    text = (
        "Judged separately for each of: {values}. If two decided verdicts differ, the claim depends on {on}; "
        "otherwise, if one verdict is undecided, the claim is undecided."
    )

    def judge(self, ours: Side) -> Outcome:
        found = self._outcomes(ours)
        verdicts = {outcome.verdict for outcome in found.values()}
        decided = verdicts - {Verdict.UNDECIDED}
        if len(decided) > 1:
            return Outcome(verdict=Verdict.DEPENDS, why=_reasons(found), setting=self._on)
        verdict = Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else decided.pop()
        return Outcome(verdict=verdict, why=_reasons(found))


class Cases(_Each):
    """Judges all cases together; a claim that fails in one case and holds in another depends on the setting."""

    text = (
        "If the claim is not reproduced in one case ({values}) and at least partly reproduced in another, the claim "
        "depends on {on}."
    )

    def judge(self, ours: Side) -> Outcome:
        verdicts = {outcome.verdict for outcome in self._outcomes(ours).values()}
        whole = self._rule.judge(ours)
        if Verdict.NOT in verdicts and Verdict.UNDECIDED not in verdicts and len(verdicts) > 1:
            return Outcome(verdict=Verdict.DEPENDS, why=whole.why, setting=self._on)
        return whole


class Readings(_Each):
    """Judges each interpretation (reading) of the paper, and combines the verdicts by `over_readings`."""

    text = (
        "Judged for each interpretation of the paper ({values}). If the verdicts include *reproduced* and *not "
        "reproduced*, the claim depends on {on}. If they differ otherwise, it is partly reproduced if most verdicts "
        "are better than *not reproduced*, otherwise not reproduced. It is undecided if undecided verdicts could "
        "change this."
    )

    def judge(self, ours: Side) -> Outcome:
        found = self._outcomes(ours, keep=False)
        verdict = over_readings([outcome.verdict for outcome in found.values()])
        return Outcome(verdict=verdict, why=_reasons(found), setting=self._on if verdict is Verdict.DEPENDS else "")


def over_readings(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine the verdicts for several readings by the rule that the text of `Readings` states."""
    if Verdict.UNDECIDED in verdicts:
        decided = (Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT)
        choices = product(*[decided if one is Verdict.UNDECIDED else (one,) for one in verdicts])
        possible = {over_readings(choice) for choice in choices}
        return possible.pop() if len(possible) == 1 else Verdict.UNDECIDED
    if len(set(verdicts)) == 1:
        return verdicts[0]
    if {Verdict.REPRODUCED, Verdict.NOT} <= set(verdicts):
        return Verdict.DEPENDS
    return Verdict.PARTLY if 2 * verdicts.count(Verdict.NOT) < len(verdicts) else Verdict.NOT


@dataclass(frozen=True, slots=True)
class _OneChoice:
    """The runs at one value of an axis. Runs without this axis belong to all of its values."""

    of: Side
    axis: str
    value: Scalar

    def part(self, name: str) -> Sequence[Row]:
        return [row for row in self.of.part(name) if row.where.get(self.axis, self.value) == self.value]


class _OneReading(_OneChoice):
    """The runs at one value of an axis, without the axis, so that texts do not repeat the reading at each point."""

    def part(self, name: str) -> Sequence[Row]:
        rows = _OneChoice.part(self, name)
        wheres = ({at: value for at, value in row.where.items() if at != self.axis} for row in rows)
        return [Run(where=where, seed=row.seed, values=row.values) for where, row in zip(wheres, rows, strict=True)]
