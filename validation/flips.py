"""Compare the verdicts with two disjoint sets of seeds, and fail if two verdicts contradict each other.

Each study runs with twice as many seeds, from its first one on, and is judged by each half of them. No claim may be
true by one half and false by the other: chance may leave a verdict undecided, but must not reverse it. A question that
is asked of several senders is compared sender by sender. `make flips` runs this; docs/flips.md has the results.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ackclock.papers import STUDIES
from ackclock.papers.core.again import Again
from ackclock.papers.core.evidence import Runs
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.core.evidence import Row
    from ackclock.papers.core.paper import Both, Paper

_OPPOSITES = (Verdict.NOT, Verdict.REVERSED)

NONE = "no verdict"
"""Instead of the verdict on a sender for which the runs of one set define no number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """The verdicts on a claim with two disjoint sets of seeds, worded as in the table of claims."""

    study: str
    key: str
    first: str
    second: str

    @property
    def contradicts(self) -> bool:
        """Whether one is *reproduced*, and the other *not reproduced* or *reversed*."""
        both = {self.first, self.second}
        return Verdict.REPRODUCED in both and not both.isdisjoint(_OPPOSITES)


def halves(runs: Runs) -> tuple[Runs, Runs]:
    """Divide the runs of each part into those with the smaller and those with the larger half of its seeds.

    A part with a single seed is in both halves.
    """
    first: dict[str, Sequence[Row]] = {}
    second: dict[str, Sequence[Row]] = {}
    for name, rows in runs.parts.items():
        seeds = sorted({row.seed for row in rows})
        early = set(seeds[: len(seeds) // 2])
        first[name] = [row for row in rows if row.seed in early] if early else rows
        second[name] = [row for row in rows if row.seed not in early]
    return Runs(first), Runs(second)


def verdicts(claims: Sequence[Claim], evidence: Both) -> dict[str, str]:
    """Return the verdict on each claim by key, with its setting; of a question to senders, those on each sender."""
    found: dict[str, str] = {}
    for claim in claims:
        if isinstance(claim.test, Again):
            found |= {f"{claim.key} of {sender}": one for sender, one in claim.test.each(evidence.ours).items()}
        else:
            found[claim.key] = claim.judge(evidence).title
    return found


def compared(study: str, *, seeds: int, jobs: int | None = None, store: Path | None = None) -> list[Pair]:
    """Run a study with two sets of `seeds` seeds, and pair the verdicts."""
    paper: Paper = importlib.import_module(f"ackclock.papers.{study}.study").PAPER
    numbers = paper.definition.numbered(2 * seeds)
    evidence = paper.evidence(seeds=numbers, jobs=jobs, store=store)
    with TemporaryDirectory() as folder:
        if paper.stand_in:
            evidence = replace(evidence, capture=paper.stand_in(Path(folder), numbers[0]))
        return both(study, *(verdicts(paper.claims, replace(evidence, ours=half)) for half in halves(evidence.ours)))


def both(study: str, first: Mapping[str, str], second: Mapping[str, str]) -> list[Pair]:
    """Pair the verdicts of two sets of seeds."""
    keys = dict.fromkeys((*first, *second))
    return [Pair(study=study, key=key, first=first.get(key, NONE), second=second.get(key, NONE)) for key in keys]


def contradictions(pairs: Sequence[Pair]) -> list[Pair]:
    """Find the claims with contradictory verdicts."""
    return [pair for pair in pairs if pair.contradicts]


def summary_table(pairs: Sequence[Pair], *, seeds: int) -> list[str]:
    """Format Markdown tables with a row per study, and a row per claim with different verdicts."""
    lines = [
        f"Each study with its first {seeds} seeds and with the next {seeds}:",
        "",
        "| study | verdicts | same verdict | undecided with one set | differ otherwise | contradict |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for study in dict.fromkeys(pair.study for pair in pairs):
        there = [pair for pair in pairs if pair.study == study]
        differ = [pair for pair in there if pair.first != pair.second]
        opened = [pair for pair in differ if not {Verdict.UNDECIDED, NONE}.isdisjoint({pair.first, pair.second})]
        clash = contradictions(differ)
        lines.append(
            f"| {study} | {len(there)} | {len(there) - len(differ)} | {len(opened)} "
            f"| {len(differ) - len(opened) - len(clash)} | {len(clash)} |"
        )
    differing = [pair for pair in pairs if pair.first != pair.second]
    if differing:
        lines += ["", "| study | verdict on | first seeds | next seeds |", "| --- | --- | --- | --- |"]
        lines += [f"| {pair.study} | {pair.key} | {pair.first} | {pair.second} |" for pair in differing]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run studies with two sets of seeds, print the differences, and return 1 if verdicts contradict each other."""
    parser = argparse.ArgumentParser(prog="python validation/flips.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="studies to run (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds in each set (default 3)")
    parser.add_argument("--jobs", type=int, help="number of parallel runs (default: one per CPU core)")
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="folder that keeps the runs (default: none)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to a file")
    given = parser.parse_args(arguments)
    unknown = [study for study in given.studies if study not in STUDIES]
    if unknown:
        parser.error(f"STUDY: {unknown[0]!r} is not allowed; must be one of {', '.join(STUDIES)}")
    for name, number in (("--seeds", given.seeds), ("--jobs", given.jobs)):
        if number is not None and number < 1:
            parser.error(f"{name}: {number} is not allowed; must be an integer from 1")
    pairs: list[Pair] = []
    for study in given.studies or STUDIES:
        pairs += compared(study, seeds=given.seeds, jobs=given.jobs, store=given.store)
    text = "\n".join(summary_table(pairs, seeds=given.seeds)) + "\n"
    sys.stdout.write(text)
    if given.markdown:
        given.markdown.write_text(text, encoding="utf-8")
    return 1 if contradictions(pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
