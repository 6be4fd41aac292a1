"""Reads a run from disk, as written by `ackclock.running.saving`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock.running.inside import file_in
from ackclock.running.origin import Origin
from ackclock.running.run import Run
from ackclock.running.saving import RECORD
from ackclock.running.summary import Groups, GroupSummary, Links, LinkSummary, Summary, links_of_run
from ackclock.scenario import SCHEMA, Scenario
from ackclock.scenario.earlier import upgrade
from ackclock.scenario.errors import unreadable
from ackclock.scenario.files import read_json


@dataclass(frozen=True)
class Request:
    """The inputs of a stored run."""

    scenario: dict[str, Any]
    """The tables of the scenario, not validated yet."""
    seed: int
    origin: Origin
    """The program that made the run."""
    record: tuple[str, ...]


def load(directory: Path) -> Run:
    """Read a run with its tables.

    Raises
    ------
    ScenarioError
        The directory contains no run, or one that this version cannot read.
    """
    import pyarrow.parquet  # noqa: PLC0415  # slow to load

    path = _record_of(directory)
    data = read_json(path)
    request = _request(path, data)
    try:
        summary = {"marks": 0, **data["summary"]}  # results of earlier versions have no marks
        groups = Groups(GroupSummary(**group) for group in summary["groups"])
        further = summary.get("links", [{}])[1:]
        first = Scenario.from_dict(request.scenario).measure.link or ""
        links = Links(LinkSummary(**link) for link in links_of_run(first, summary, further))
        files = [file_in(directory, file.name) for file in sorted(directory.glob("*.parquet"))]
        tables = {file.stem: pyarrow.parquet.read_table(file.absolute()) for file in files}
        return Run(
            scenario=Scenario.from_dict(request.scenario),
            seed=request.seed,
            origin=request.origin,
            record=request.record,
            summary=Summary(**(summary | {"groups": groups, "links": links})),
            notices=tuple(data["notices"]),
            warmup=data["warmup"],
            laws=tuple(data.get("laws", ())),
            disciplines=tuple(data.get("disciplines", ())),
            _tables=tables,
        )
    except (KeyError, TypeError, OSError) as error:
        raise unreadable(path, f"it is incomplete ({error})", "the record of a run") from None


def read_request(path: Path) -> Request:
    """Read the inputs of a stored result, or of the JSON that a run printed."""
    if path.is_dir():
        path = _record_of(path)
    return _request(path, read_json(path))


def _record_of(directory: Path) -> Path:
    """Return the path of the record of a result."""
    try:
        return file_in(directory, RECORD)
    except FileNotFoundError:
        why = f"it is a directory without {RECORD}" if directory.is_dir() else "there is no such directory"
    except OSError as error:
        why = str(error.strerror)
    raise unreadable(directory, why, "a TOML file, or the directory of a result")


def _request(path: Path, data: Mapping[str, Any]) -> Request:
    scenario, seed, asked = (data.get(name) for name in ("scenario", "seed", "record"))
    requests = asked if isinstance(asked, list) else []
    if not isinstance(scenario, dict) or isinstance(seed, bool) or not isinstance(seed, int):
        raise unreadable(path, "it contains no scenario and seed", "the record of a run")
    origin = Origin.read(data)
    if origin.schema is None or origin.schema < SCHEMA:
        upgrade(scenario)
    return Request(scenario, seed, origin, tuple(requests))
