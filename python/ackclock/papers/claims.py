"""Claims of a paper, each with the rule that judges it: no verdict is typed in, all come out of runs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ackclock.papers.truth import NO, OPEN, YES, Truth, most
from ackclock.report.html import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.report.html import Origin, Table

__all__ = [
    "BY_SHARE",
    "ELSE_UNDECIDED",
    "Claim",
    "Judgeable",
    "Judged",
    "Judgement",
    "Sides",
    "by_share",
    "findings",
    "graded",
    "judge",
    "to_csv",
]

E_contra = TypeVar("E_contra", contravariant=True)  # who judges by a part of the evidence can be given all of it
S = TypeVar("S")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides(Generic[S]):
    """What claims are judged by, in one shape for both simulators: what is said of one is said of the other.

    Parameters
    ----------
    ours
        Our runs: they alone decide.
    ns2
        What ns-2 measured of the same; told beside it.

    """

    ours: S
    ns2: S


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What came out for one claim.

    Parameters
    ----------
    verdict
        What the rule gives.
    ours
        Our numbers, with their 95 % intervals (Student's t).
    ns2
        The same of ns-2; a dash where it was not measured.
    why
        One sentence that the numbers choose.
    setting
        What the outcome depends on, where that is the verdict.
    command
        A command that shows what was judged, where that is not the claim's own.
    brief
        What the summary says in place of the sentence, where that is too long for it.

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
        """The verdict, with the setting that it depends on."""
        return f"{self.verdict} {self.setting}".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim(Generic[E_contra]):
    """One claim of a paper.

    Parameters
    ----------
    key
        Section and number, such as ``3.2-1``.
    where
        Where the paper says it: sections and figures.
    text
        The claim in our words.
    paper
        The paper's number, as it prints it; its word where it has none.
    rule
        What decides, in words.
    judge
        The same as code.
    command
        A command that shows a run in which it can be seen.
    origin
        Who makes the claim: the paper, or this study.
    figure
        Slug of the figure that shows it; the figures that `where` names by number, if empty.

    """

    key: str
    where: str
    text: str
    paper: str
    rule: str
    judge: Callable[[E_contra], Judgement]
    command: str
    origin: Origin = "paper"
    figure: str = ""

    def tables(self, evidence: E_contra) -> Sequence[Table]:  # noqa: ARG002 - what every claim can be asked
        """Give the numbers of both simulators as tables: none, since the judgement's words have them."""
        return ()


class Judgeable(Protocol[E_contra]):
    """What a claim of either frame has: `Claim`, or `ackclock.papers.core.claim.Claim`."""

    @property
    def key(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def command(self) -> str: ...
    @property
    def origin(self) -> Origin: ...
    @property
    def figure(self) -> str: ...
    @property
    def judge(self) -> Callable[[E_contra], Judgement]: ...
    def tables(self, evidence: E_contra) -> Sequence[Table]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged(Generic[E_contra]):
    """A claim and what came out."""

    claim: Judgeable[E_contra]
    judgement: Judgement
    tables: Sequence[Table] = ()

    @property
    def cells(self) -> dict[str, str]:
        """The row of the table, by the names of its columns."""
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


def judge(claims: Sequence[Judgeable[E_contra]], evidence: E_contra) -> list[Judged[E_contra]]:
    """Judge each claim by the evidence, in order."""
    return [Judged(claim=claim, judgement=claim.judge(evidence), tables=claim.tables(evidence)) for claim in claims]


def by_share(holds: Sequence[Truth]) -> Verdict:
    """Give the verdict of a rule that asks at several points.

    Points that chance may decide do not count against the claim, nor for it: it is reproduced if it holds at more than
    half of the points and fails at none, partly if it holds at more than half, not reproduced if it fails at half or
    more, and undecided otherwise. `BY_SHARE` says so to the reader.

    Raises
    ------
    ValueError
        If there is no point.

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
"""What `by_share` does, in words."""

ELSE_UNDECIDED = "Undecided where the intervals admit both."
"""What `graded` does with open answers, in words."""


def graded(*, whole: Truth, part: Truth) -> Verdict:
    """Give the verdict of a rule with two bars: reproduced over the higher one, partly over the lower one alone.

    What the evidence admits decides. Where it admits *not reproduced* and something else, the verdict is *undecided*;
    where it admits *reproduced* and *partly*, the lower bar is established, and the verdict is *partly*.

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


def to_csv(judged: Sequence[Judged[E_contra]]) -> str:
    """Write the table as CSV, a row a claim."""
    text = io.StringIO()
    rows = csv.DictWriter(text, list(judged[0].cells), lineterminator="\n")
    rows.writeheader()
    rows.writerows(one.cells for one in judged)
    return text.getvalue()


def findings(judged: Sequence[Judged[E_contra]]) -> list[Finding]:
    """Lay the table out for a report."""
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
