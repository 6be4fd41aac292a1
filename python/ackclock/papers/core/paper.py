"""A study as one value: `Paper` makes its runs, judges its claims, and writes its report into a folder."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from ackclock.lab.page import built_page
from ackclock.papers import few_seeds
from ackclock.papers.core.claim import Claim, Judged, judge
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Row, Runs
from ackclock.papers.core.figure import Figure
from ackclock.papers.core.lab import PAGE, Lab
from ackclock.papers.core.parts import Part, gather
from ackclock.papers.core.table import write_runs
from ackclock.papers.summary import summary
from ackclock.report.html import Drawing, Report, Section, Statement, Table, render
from ackclock.report.rows import rows_csv
from ackclock.running.origin import Origin
from ackclock.values.errors import refuse


class Captured(Protocol):
    """A capture that a study has read."""

    @property
    def path(self) -> Path:
        """Its file."""

    @property
    def record(self) -> Mapping[str, Any]:
        """File and digest of the capture, for the folder's record."""

    @property
    def row(self) -> Row:
        """Numbers of the capture, which become the part ``capture`` of our runs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Both:
    """The runs of both simulators, and the capture if the study analyses one."""

    ours: Runs
    ns2: Runs
    capture: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chapter:
    """Figures under one heading.

    Parameters
    ----------
    title
        Heading.
    figures
        The figures; a function draws one or more figures that `Figure` cannot describe.
    text
        Introduction; a function writes it from the evidence.
    table
        Makes the table of numbers before the figures.
    of_capture
        Whether the chapter is about the capture alone.

    """

    title: str
    figures: Sequence[Figure | Callable[[Both, str], Drawing | Sequence[Drawing]]]
    text: str | Callable[[Both], str] = ""
    table: Callable[[Both], Table] | None = None
    of_capture: bool = False

    def section(self, evidence: Both, *, command: str, lab: Lab | None = None) -> Section:
        """Draw the chapter; each figure has a link to the lab with a scenario of its runs, which the lab watches."""
        drawings: list[Drawing] = []
        for figure in self.figures:
            drawn = (
                figure.drawing(evidence, command=command) if isinstance(figure, Figure) else figure(evidence, command)
            )
            made = [drawn] if isinstance(drawn, Drawing) else drawn
            link = lab and made and lab.link(made[0].title)
            drawings += [replace(one, lab=link[0], lab_shows=link[1]) for one in made] if link else made
        return Section(
            title=self.title,
            drawings=drawings,
            text=self.text(evidence) if callable(self.text) else self.text,
            table=self.table(evidence) if self.table else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Paper:
    """A study.

    Parameters
    ----------
    definition
        Its `study.toml`.
    claims
        The claims with their rules, in the order of `claims.toml`.
    chapters
        The figures.
    parts
        Returns further parts, which a TOML file cannot define.
    ns2
        Reads the runs of ns-2.
    derived
        Adds computed parts to the runs of one simulator, such as pairs of runs.
    statements
        Returns further sentences of the summary, such as the agreement with ns-2.
    overview
        Makes the table of the main numbers.
    provenance
        Returns further rows on the provenance of the page.
    further
        Makes further rows of our evidence that need no simulation, by part.
    read_capture
        Reads the capture file of the option ``--capture``.
    of_capture
        Keys of the claims that a capture decides alone.
    stand_in
        Makes a replacement for a missing capture: a file in the folder, from a seed.
    profile
        Profile with the defaults for settings that the paper does not print.

    """

    definition: Definition
    claims: Sequence[Claim]
    chapters: Sequence[Chapter]
    parts: Callable[[], Sequence[Part]] = list
    ns2: Callable[[], Runs] = Runs
    derived: Callable[[Runs], Runs] = lambda runs: runs
    statements: Callable[[Both], Sequence[Statement]] = lambda _: ()
    overview: Callable[[Both], Table] | None = None
    provenance: Callable[[Both], Sequence[tuple[str, str]]] = lambda _: ()
    further: Callable[[], Mapping[str, Sequence[Row]]] = dict
    read_capture: Callable[[Path], Captured] | None = None
    of_capture: Sequence[str] = ()
    stand_in: Callable[[Path, int], Captured] | None = None
    profile: str = "ns2-2.35"

    def __post_init__(self) -> None:
        """Check that each claim of `claims.toml` has a rule."""
        keys = [claim.key for claim in self.claims]
        if keys != list(self.definition.keys):
            raise refuse("claims", ", ".join(keys), f"must be those of claims.toml: {', '.join(self.definition.keys)}")

    def record(self, *, seeds: int, capture: Captured | None = None) -> dict[str, Any]:
        """Return the provenance of the study's folder, from which the folder can be created again.

        A capture is analysed without runs.
        """
        runs = {"profile": self.profile, "seeds": list(self.definition.numbered(seeds))}
        return {
            **Origin.here().to_dict(),
            "command": self._command(seeds=seeds, capture=capture),
            **({"capture": capture.record} if capture else runs),
        }

    def _command(self, *, seeds: int, capture: Captured | None = None) -> str:
        """Return the command that creates the report."""
        given = ["--capture", str(capture.path)] if capture else ["--seeds", str(seeds)]
        return shlex.join(["ackclock", "reproduce", self.definition.name, *given])

    def evidence(self, *, seeds: Sequence[int], jobs: int | None = None, store: Path | None = None) -> Both:
        """Make the runs that the store does not have, and read the runs of ns-2; raises as `gather` does."""
        parts = [*self.definition.parts(), *self.parts()]
        ours = self.derived(gather(parts, seeds=seeds, store=store, jobs=jobs, label=self.definition.name))
        return Both(ours=Runs({**ours.parts, **self.further()}), ns2=self.derived(self.ns2()))

    def write(
        self,
        folder: Path,
        *,
        seeds: Sequence[int],
        jobs: int | None = None,
        store: Path | None = None,
    ) -> None:
        """Run the study and write its page, figures, claims and numbers into an empty folder; raises as `gather`.

        Parameters
        ----------
        folder
            The folder.
        seeds
            Seeds of each point; some parts have their own.
        jobs
            Number of parallel runs (default: one per CPU core).
        store
            Folder of the store that keeps the runs.

        """
        self._check()
        evidence = self.evidence(seeds=seeds, jobs=jobs, store=store)
        if self.stand_in:
            evidence = replace(evidence, capture=self.stand_in(folder, seeds[0]))
        write_runs(folder / "evidence.parquet", {"ackclock": evidence.ours, "ns-2.35": evidence.ns2})
        judged = judge(self.claims, evidence)
        command = self._command(seeds=len(seeds))
        page = built_page()
        if page is not None:
            (folder / PAGE).write_text(page, encoding="utf-8")
        write_report(
            folder, self.report(evidence, judged, command=command, lab=page is not None), judged, seeds=len(seeds)
        )

    def write_of_capture(self, folder: Path, capture: Captured) -> None:
        """Write what the study says of a capture, without a run: its claims, figures and numbers."""
        evidence = Both(ours=Runs({"capture": [capture.row]}), ns2=Runs(), capture=capture)
        write_runs(folder / "evidence.parquet", {"ackclock": evidence.ours})
        judged = judge([claim for claim in self.claims if claim.key in self.of_capture], evidence)
        command = self._command(seeds=0, capture=capture)
        report = Report(
            title=self.definition.title,
            source=self.definition.source,
            question=self.definition.question,
            summary=summary(judged, ()),
            findings=[one.finding for one in judged],
            sections=[chapter.section(evidence, command=command) for chapter in self.chapters if chapter.of_capture],
            provenance=[("Program", str(Origin.here())), ("Command", command), *self.provenance(evidence)],
        )
        write_report(folder, report, judged)

    def _check(self) -> None:
        """Check that topics and the headline refer to existing claims and figures, before the first run."""
        for key in (key for topic in self.definition.topics for key in (topic.key, *topic.also)):
            if key not in self.definition.keys:
                raise refuse("topic", key, f"must be the key of a claim: {', '.join(self.definition.keys)}")
        figures = [figure for chapter in self.chapters for figure in chapter.figures]
        slugs = [figure.slug for figure in figures if isinstance(figure, Figure)]
        if len(slugs) == len(figures) and self.definition.headline not in slugs:
            raise refuse("headline", self.definition.headline, f"must be the slug of a figure: {', '.join(slugs)}")

    def report(self, evidence: Both, judged: Sequence[Judged], *, command: str, lab: bool = False) -> Report:
        """Create the report of judged claims; `command` creates it again. With `lab`, figures have links to the lab."""
        shown = Lab.of([*self.definition.parts(), *self.parts()]) if lab else None
        seen = replace(evidence, ours=shown.watched(evidence.ours)) if shown else evidence
        return Report(
            title=self.definition.title,
            source=self.definition.source,
            question=self.definition.question,
            shows=self.definition.headline,
            summary=[*summary(judged, self.definition.topics), *self.statements(evidence)],
            overview=self.overview(evidence) if self.overview else None,
            findings=[one.finding for one in judged],
            sections=[
                *(chapter.section(seen, command=command, lab=shown) for chapter in self.chapters),
                *_changed_rules(self.claims),
            ],
            setup=self.definition.setup,
            provenance=[
                ("Program", str(Origin.here())),
                ("Command", command),
                *((f"Runs of part {name}", _counted(rows)) for name, rows in evidence.ours.parts.items()),
                ("Numbers of all runs", "evidence.parquet: one value per simulator, part, point, seed and measure"),
                *self.provenance(evidence),
            ],
        )


def write_report(folder: Path, report: Report, judged: Sequence[Judged], *, seeds: int | None = None) -> None:
    """Write the page, each figure with its data, and the table of claims; the page warns of too few seeds."""
    # The first statement counts the verdicts; the second one has the most important finding.
    answer = report.answer or report.summary[:2][-1].lead
    report = replace(report, warning="" if seeds is None else few_seeds(seeds), answer=answer)
    for drawing in report.drawings:
        for name, content in drawing.files.items():
            (folder / name).write_bytes(content)
    (folder / "claims.csv").write_text(to_csv(judged), encoding="utf-8")
    (folder / "report.html").write_text(render(report), encoding="utf-8")


def to_csv(judged: Sequence[Judged]) -> str:
    """Format the table of claims as CSV, one row per claim."""
    return rows_csv([judged[0].cells, *(one.cells.values() for one in judged)])


def _changed_rules(claims: Sequence[Claim]) -> list[Section]:
    """List the rules that were changed after results had been seen, if any were."""
    changes = [(claim.key, claim.changed) for claim in claims if claim.changed is not None]
    if not changes:
        return []
    table = Table(
        caption="Rules that were changed after results had been seen",
        head=["claim", "rule before", "rule now", "verdict before", "verdict after", "reason"],
        rows=[[key, one.was, one.now, one.before, one.after, one.reason] for key, one in changes],
    )
    text = "These rules were changed after their first verdicts."
    return [Section(title="Changed rules", drawings=[], text=text, table=table)]


def _counted(rows: Sequence[Any]) -> str:
    seeds = len({row.seed for row in rows})
    points = len({tuple(row.where.items()) for row in rows})
    return f"{len(rows):,}: {points:,} points, {seeds} seeds"
