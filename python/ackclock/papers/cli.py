"""The command `ackclock reproduce`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.papers import STUDIES, WITH_CAPTURE, few_seeds
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.scenario.errors import listed, one_of, refuse

if TYPE_CHECKING:
    from ackclock.papers.core.paper import Paper

COUNT = "must be an integer from 1"
"""What ``--seeds`` and ``--jobs`` allow."""


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
        How often each point is run, with the seeds 1, 2, ...; by default as often as the study needs.
    out
        Folder of the report, ``out/<study>`` by default. An earlier report of the same study is replaced;
        anything else that is there is left alone and refused. A store next to it, ``out/<study>-runs``, keeps the
        runs: an interrupted study, or one with more seeds, makes only the runs that are missing.
    jobs
        How many runs at once; one for each processor by default.
    capture
        A file of captured packets, for a study that looks at one (`ackclock.papers.WITH_CAPTURE`). It is read
        before any run is made, and the folder keeps its digest.

    Raises
    ------
    ScenarioError
        If an argument is not allowed; the command then exits with status 2.

    """
    if study not in STUDIES:
        raise refuse("study", study, f"{one_of(study, STUDIES)} (see ackclock list studies)", noun="study")
    for name, number in (("--seeds", seeds), ("--jobs", jobs)):
        if number is not None and number < 1:
            raise refuse(name, number, COUNT)
    if capture is not None and study not in WITH_CAPTURE:
        raise refuse("--capture", str(capture), f"{study} takes none; it is for {listed(WITH_CAPTURE)}")
    out = out or Path("out") / study
    check_replaceable(out, study=study)
    replaced = out.is_dir() and any(out.iterdir())
    paper: Paper = importlib.import_module(f"ackclock.papers.{study}.study").PAPER
    seeds = paper.definition.seeds if seeds is None else seeds
    captured = None
    if capture is not None and paper.read_capture is not None:
        if out.resolve() in capture.resolve().parents:
            raise refuse("--capture", str(capture), f"must not lie in {out}, which is replaced")
        captured = paper.read_capture(capture)
    warning = few_seeds(seeds)
    if warning:
        sys.stderr.write(f"Note: {warning}\n")
    store = out.with_name(f"{out.name}-runs")
    try:
        with write_whole(out, study=study, record=paper.record(seeds=seeds, capture=captured)) as folder:
            paper.write(folder, seeds=range(1, seeds + 1), jobs=jobs, store=store, capture=captured)
    except KeyboardInterrupt:
        if store.exists():
            sys.stderr.write(f"The runs that had ended are in {store}. The same command continues with them.\n")
        raise
    earlier = "; it replaced an earlier one" if replaced else ""
    sys.stdout.write(f"The report is {out / 'report.html'}{earlier}\n")
