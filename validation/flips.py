"""Compare the verdicts with two disjoint sets of seeds, and fail if two verdicts contradict each other.

Each study runs with the seeds 1 to n and with n + 1 to 2n. No claim may be reproduced with one set and not reproduced
with the other: chance may leave a verdict undecided, but must not reverse it. `make flips` runs this; docs/flips.md has
the results.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ackclock.papers import STUDIES
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """The verdicts on a claim with two disjoint sets of seeds, worded as in the table of claims."""

    study: str
    key: str
    first: str
    second: str

    @property
    def contradicts(self) -> bool:
        """Whether one is *reproduced* and the other *not reproduced*."""
        return {self.first, self.second} == {Verdict.REPRODUCED, Verdict.NOT}


def verdicts(study: str, *, seeds: Sequence[int], jobs: int | None = None) -> dict[str, str]:
    """Run a study with some seeds, and return the verdict on each claim by key, with its setting."""
    module = importlib.import_module(f"ackclock.papers.{study}.study")
    with TemporaryDirectory() as folder:
        getattr(module, "PAPER", module).write(Path(folder), seeds=seeds, jobs=jobs)
        with (Path(folder) / "claims.csv").open(encoding="utf-8", newline="") as table:
            return {row["key"]: row["verdict"] for row in csv.DictReader(table)}


def both(study: str, first: Mapping[str, str], second: Mapping[str, str]) -> list[Pair]:
    """Pair the verdicts of two runs of a study."""
    return [Pair(study=study, key=key, first=verdict, second=second[key]) for key, verdict in first.items()]


def contradictions(pairs: Sequence[Pair]) -> list[Pair]:
    """Find the claims with contradictory verdicts."""
    return [pair for pair in pairs if pair.contradicts]


def summary_table(pairs: Sequence[Pair], *, seeds: int) -> list[str]:
    """Format Markdown tables with a row per study, and a row per claim with different verdicts."""
    lines = [
        f"Each study with the seeds 1 to {seeds} and with {seeds + 1} to {2 * seeds}:",
        "",
        "| study | claims | same verdict | undecided with one set | differ otherwise | contradict |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for study in dict.fromkeys(pair.study for pair in pairs):
        there = [pair for pair in pairs if pair.study == study]
        differ = [pair for pair in there if pair.first != pair.second]
        opened = [pair for pair in differ if Verdict.UNDECIDED in (pair.first, pair.second)]
        clash = contradictions(differ)
        lines.append(
            f"| {study} | {len(there)} | {len(there) - len(differ)} | {len(opened)} "
            f"| {len(differ) - len(opened) - len(clash)} | {len(clash)} |"
        )
    differing = [pair for pair in pairs if pair.first != pair.second]
    if differing:
        lines += ["", "| study | claim | first seeds | other seeds |", "| --- | --- | --- | --- |"]
        lines += [f"| {pair.study} | {pair.key} | {pair.first} | {pair.second} |" for pair in differing]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run studies with two sets of seeds, print the differences, and return 1 if verdicts contradict each other."""
    parser = argparse.ArgumentParser(prog="python validation/flips.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="studies to run (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds in each set (default 3)")
    parser.add_argument("--jobs", type=int, help="number of parallel runs (default: one per CPU core)")
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
        first, second = (
            verdicts(study, seeds=range(start, start + given.seeds), jobs=given.jobs) for start in (1, given.seeds + 1)
        )
        pairs += both(study, first, second)
    text = "\n".join(summary_table(pairs, seeds=given.seeds)) + "\n"
    sys.stdout.write(text)
    if given.markdown:
        given.markdown.write_text(text, encoding="utf-8")
    return 1 if contradictions(pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
