"""Judgements of claims, and the rules by which answers become verdicts."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.papers.truth import NO, OPEN, YES, Truth, most
from ackclock.report.html import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.core.evidence import Evidence
    from ackclock.report.html import Table

__all__ = [
    "BY_SHARE",
    "ELSE_UNDECIDED",
    "Judged",
    "Judgement",
    "by_share",
    "findings",
    "graded",
    "judge",
    "to_csv",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The judgement of a claim.

    Parameters
    ----------
    verdict
        The rule's verdict.
    ours
        Our numbers, with their 95 % intervals (Student's t).
    ns2
        ns-2's numbers; a dash if not measured.
    why
        The reason, a sentence that depends on the numbers.
    setting
        The setting on which the outcome depends, for that verdict.
    command
        A command that shows the judged runs; empty for the claim's own command.
    brief
        A short reason for the summary; empty for the full one.

    """

    verdict: Verdict
    ours: str
    ns2: str
    why: str
    setting: str = ""
    command: str = ""
    brief: str = ""

    @property
    def title(self) -> str:
        """The verdict, with the setting on which it depends."""
        return f"{self.verdict} {self.setting}".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A claim with its judgement."""

    claim: Claim
    judgement: Judgement
    tables: Sequence[Table] = ()

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the claim's table row, by column."""
        claim, judgement = self.claim, self.judgement
        return {
            "key": claim.key,
            "where": claim.where,
            "claim": claim.text,
            "paper": claim.paper,
            "ackclock": judgement.ours,
            "ns-2": judgement.ns2,
            "verdict": judgement.title,
            "why": judgement.why,
            "rule": claim.rule,
            "command": judgement.command or claim.command,
        }


def judge(claims: Sequence[Claim], evidence: Evidence) -> list[Judged]:
    """Judge each claim by the evidence, in order."""
    return [Judged(claim=claim, judgement=claim.judge(evidence), tables=claim.tables(evidence)) for claim in claims]


def by_share(holds: Sequence[Truth]) -> Verdict:
    """Compute the verdict of a rule from its answers at several points.

    Undecided points count neither for nor against the claim. It is reproduced if it holds at more than half of the
    points and fails at none, partly reproduced if it holds at more than half, not reproduced if it fails at half or
    more, and undecided otherwise. `BY_SHARE` describes this for readers.

    Raises
    ------
    ValueError
        There is no point.

    Examples
    --------
    >>> by_share([YES, YES, OPEN]).value, by_share([YES, YES, NO]).value, by_share([YES, OPEN, NO]).value
    ('reproduced', 'partly', 'undecided')

    """
    if not holds:
        raise ValueError("holds: must have at least one point")
    mostly = most(holds)
    return graded(whole=NO if NO in holds else mostly, part=mostly)


BY_SHARE = (
    "Reproduced if it clearly holds at more than half of the points and clearly fails at none; partly if it clearly "
    "holds at more than half; not reproduced if it clearly fails at half or more; otherwise undecided."
)
"""Description of `by_share` for readers."""

ELSE_UNDECIDED = "Undecided if the intervals are compatible with both."
"""Description of how `graded` treats open answers."""


def graded(*, whole: Truth, part: Truth) -> Verdict:
    """Compute the verdict of a rule with two bars: reproduced above the higher one, partly above only the lower one.

    If the evidence is compatible with *not reproduced* and another verdict, the verdict is *undecided*. If it is
    compatible with *reproduced* and *partly*, the lower bar is established, and the verdict is *partly*.

    Examples
    --------
    >>> graded(whole=OPEN, part=YES).value, graded(whole=NO, part=OPEN).value, graded(whole=NO, part=NO).value
    ('partly', 'undecided', 'not reproduced')

    """
    if whole is YES:
        return Verdict.REPRODUCED
    if part is YES:
        return Verdict.PARTLY
    return Verdict.UNDECIDED if OPEN in (whole, part) else Verdict.NOT


def to_csv(judged: Sequence[Judged]) -> str:
    """Format the table as CSV, one row per claim."""
    text = io.StringIO()
    rows = csv.DictWriter(text, list(judged[0].cells), lineterminator="\n")
    rows.writeheader()
    rows.writerows(one.cells for one in judged)
    return text.getvalue()


def findings(judged: Sequence[Judged]) -> list[Finding]:
    """Convert the table to findings of a report."""
    return [
        Finding(
            key=one.claim.key,
            claim=one.claim.text,
            where=one.claim.where,
            published=one.claim.paper,
            ours=one.judgement.ours,
            oracle=one.judgement.ns2,
            verdict=one.judgement.verdict,
            setting=one.judgement.setting,
            why=one.judgement.why,
            rule=one.claim.rule,
            command=one.judgement.command or one.claim.command,
            origin=one.claim.origin,
            figure=one.claim.figure,
            tables=one.tables,
        )
        for one in judged
    ]
