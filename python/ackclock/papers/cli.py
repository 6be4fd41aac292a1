"""The command `ackclock reproduce`."""

from __future__ import annotations

import importlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.papers import STUDIES, WITH_CAPTURE, few_seeds
from ackclock.papers.core.paper import Paper
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.values.errors import listed, one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNT = "must be an integer from 1"
"""Allowed values of ``--seeds`` and ``--jobs``."""


def reproduce(
    study: str = "burstiness",
    *,
    seeds: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    capture: Path | None = None,
) -> None:
    """Repeat a study and write its report: figures, data, and one page that opens offline.

    Parameters
    ----------
    study
        Name of the study; one of `ackclock.papers.STUDIES`.
    seeds
        Number of runs per point, with the seeds 1, 2, ..., or from the study's first seed on (default: the study's
        number).
    out
        Folder of the report (default: ``out/<study>``, or ``out/<study>-capture`` with a capture). An earlier report
        of the same study is replaced; a folder with other files is refused. A store next to the folder,
        ``out/<study>-runs``, keeps the runs: an interrupted study, or one with more seeds, makes only the missing runs.
    jobs
        Number of parallel runs (default: one per CPU core).
    capture
        A capture file, for a study that analyses one (`ackclock.papers.WITH_CAPTURE`). The report is then about the
        capture alone, and no run is made; the folder's record contains its digest.

    Raises
    ------
    ScenarioError
        If an argument is not allowed; the command then exits with status 2.

    """
    _check(study, {"--seeds": seeds, "--jobs": jobs}, capture)
    out = out or Path("out") / (study if capture is None else f"{study}-capture")
    check_replaceable(out, study=study)
    replaced = out.is_dir() and any(out.iterdir())
    paper: Paper = importlib.import_module(f"ackclock.papers.{study}.study").PAPER
    if capture is not None:
        _analyse(paper, capture, out)
    else:
        _run(paper, out, seeds=paper.definition.seeds if seeds is None else seeds, jobs=jobs)
    earlier = "; it replaced an earlier one" if replaced else ""
    sys.stdout.write(f"The report is {out / 'report.html'}{earlier}\n")


def _check(study: str, numbers: Mapping[str, int | None], capture: Path | None) -> None:
    if study not in STUDIES:
        raise refuse("study", study, f"{one_of(study, STUDIES)} (see ackclock list studies)", noun="study")
    if capture is not None and study not in WITH_CAPTURE:
        raise refuse("--capture", str(capture), f"{study} reads no capture; only {listed(WITH_CAPTURE)} does")
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise refuse(name, number, COUNT)
        if number is not None and capture is not None:
            raise refuse(name, number, "must be absent with --capture: a capture is analysed without runs")


def _analyse(paper: Paper, capture: Path, out: Path) -> None:
    """Write what a study says of a capture."""
    if paper.read_capture is None:
        raise refuse("--capture", str(capture), f"{paper.definition.name} reads no capture")
    if out.resolve() in capture.resolve().parents:
        raise refuse("--capture", str(capture), f"must not be in {out}, which the command replaces")
    captured = paper.read_capture(capture)
    with write_whole(out, study=paper.definition.name, record=paper.record(seeds=0, capture=captured)) as folder:
        paper.write_of_capture(folder, captured)


def _run(paper: Paper, out: Path, *, seeds: int, jobs: int | None) -> None:
    """Run a study."""
    study = paper.definition.name
    warning = few_seeds(seeds)
    if warning:
        sys.stderr.write(f"Note: {warning}\n")
    store = out.with_name(f"{out.name}-runs")
    try:
        with write_whole(out, study=study, record=paper.record(seeds=seeds)) as folder:
            if paper.definition.takes:
                usual = paper.definition.seeds
                other = "" if seeds == usual else f"; this command uses {seeds}"
                sys.stderr.write(f"{study}: about {paper.definition.takes} on two cores with {usual} seeds{other}\n")
            paper.write(folder, seeds=paper.definition.numbered(seeds), jobs=jobs, store=store)
    except KeyboardInterrupt:
        kept = f"; completed runs are in {store}; the same command resumes the study" if store.exists() else ""
        sys.stderr.write(f"interrupted; no report was written{kept}\n")
        sys.exit(128 + signal.SIGINT)
