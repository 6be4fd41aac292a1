"""What a study writes into its folder: its runs as tables, its figures, its claims, its page."""

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
    """Tell what makes the folder of a study: enough to make it again."""
    return {
        **Origin.here().to_dict(),
        "command": command(study, seeds=seeds),
        "profile": profile,
        "seeds": list(range(1, seeds + 1)),
    }


def command(study: str, *, seeds: int, capture: Path | None = None) -> str:
    """Give the command that makes a study's report."""
    given = [] if capture is None else ["--capture", str(capture)]
    return shlex.join(["ackclock", "reproduce", study, "--seeds", str(seeds), *given])


def write_report(folder: Path, report: Report, judged: Sequence[Judged[Any]], *, seeds: int) -> None:
    """Write the page, each figure with its data, and the table of claims.

    Parameters
    ----------
    folder
        Where to.
    report
        The study as a person reads it.
    judged
        Its claims, each with what came out.
    seeds
        How many runs each point has: of too few the page warns.

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
    """Write one row a run: variant, clients, seed, every number of the summary, and the whole scenario.

    Parameters
    ----------
    path
        The file.
    runs
        What is written; all have the same numbers.
    scenario
        Gives what was simulated, by variant and number of clients.

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
    """Write one row for each number of each run, by what is chosen otherwise in it.

    Parameters
    ----------
    path
        The file.
    parts
        Runs of any kind, by what is chosen otherwise.

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
    """Leave the arrays of a run out."""
    return {name: value for name, value in run.values.items() if not isinstance(value, Sized)}
