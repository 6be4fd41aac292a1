"""Writes the content of a study's folder: runs as tables, figures, claims and the page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ackclock.papers import few_seeds
from ackclock.papers.claims import to_csv
from ackclock.report.html import render
from ackclock.running.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ackclock.papers.claims import Judged
    from ackclock.papers.core.evidence import Row
    from ackclock.papers.observation import Observation
    from ackclock.report.html import Report
    from ackclock.scenario import Scenario

__all__ = ["command", "record", "write_report", "write_runs", "write_single"]


def record(study: str, *, profile: str, seeds: int) -> dict[str, Any]:
    """Return the provenance of a study's folder, sufficient to create it again."""
    return {
        **Origin.here().to_dict(),
        "command": command(study, seeds=seeds),
        "profile": profile,
        "seeds": list(range(1, seeds + 1)),
    }


def command(study: str, *, seeds: int, capture: Path | None = None) -> str:
    """Return the command that creates a study's report."""
    given = [] if capture is None else ["--capture", str(capture)]
    return shlex.join(["ackclock", "reproduce", study, "--seeds", str(seeds), *given])


def write_report(folder: Path, report: Report, judged: Sequence[Judged[Any]], *, seeds: int) -> None:
    """Write the page, each figure with its data, and the table of claims.

    Parameters
    ----------
    folder
        The folder.
    report
        The content of the page.
    judged
        The claims with their judgements.
    seeds
        Number of runs per point; the page warns if there are too few.

    """
    # The summary begins with the tally; the most important finding follows it.
    answer = report.answer or report.summary[:2][-1].lead
    report = replace(report, warning=few_seeds(seeds), answer=answer)
    for drawing in report.drawings:
        for name, content in drawing.files.items():
            (folder / name).write_bytes(content)
    (folder / "claims.csv").write_text(to_csv(judged), encoding="utf-8")
    (folder / "report.html").write_text(render(report), encoding="utf-8")


def write_runs(path: Path, runs: Sequence[Observation], *, scenario: Callable[[str, int], Scenario]) -> None:
    """Write one row per run: variant, clients, seed, every number of the summary, and the whole scenario.

    Parameters
    ----------
    path
        The file.
    runs
        The runs; all have the same numbers.
    scenario
        Returns the scenario by variant and number of clients.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    scenarios = {
        place: json.dumps(scenario(*place).effective().to_dict())
        for place in dict.fromkeys((run.variant, run.clients) for run in runs)
    }
    columns: dict[str, pa.Array] = {
        "variant": pa.array([run.variant for run in runs]).dictionary_encode(),
        "clients": pa.array([run.clients for run in runs], pa.uint32()),
        "seed": pa.array([run.seed for run in runs], pa.uint64()),
    }
    for name in _numbers(runs[0]):
        columns[name] = pa.array([run.values[name] for run in runs])
    columns["scenario"] = pa.array([scenarios[run.variant, run.clients] for run in runs]).dictionary_encode()
    parquet.write_table(pa.table(columns), path, compression="zstd")


def write_single(path: Path, parts: Mapping[str, Sequence[Observation]]) -> None:
    """Write one row for each number of each run, by the changed setting.

    Parameters
    ----------
    path
        The file.
    parts
        Runs of any kind, by the changed setting.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    rows = [
        {
            "setting": setting,
            "variant": run.variant,
            "clients": run.clients,
            "seed": run.seed,
            "measure": name,
            "value": number,
        }
        for setting, runs in parts.items()
        for run in runs
        for name, number in _numbers(run).items()
    ]
    parquet.write_table(pa.Table.from_pylist(rows), path, compression="zstd")


def _numbers(run: Row) -> dict[str, float | None]:
    """Return the numbers of a run without its arrays."""
    return {name: value for name, value in run.values.items() if not isinstance(value, Sized)}
