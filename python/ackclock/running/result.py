"""Reads a run from disk, as written by `ackclock.running.saving`, and verifies the checksums of its files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ackclock.files.checksum import CHANGED, checksum, is_sealed
from ackclock.files.inside import file_in
from ackclock.files.reading import parquet
from ackclock.files.recognised import RECORD, recognised
from ackclock.running.origin import Origin
from ackclock.running.run import Run
from ackclock.running.summary import Groups, GroupSummary, Links, LinkSummary, Summary, links_of_run
from ackclock.scenario import SCHEMA, Scenario
from ackclock.scenario.earlier import upgrade
from ackclock.scenario.files import read_json
from ackclock.values.errors import damaged, shorten, unreadable

__all__ = ["UNSEALED", "Request", "check", "load", "read_request"]

UNSEALED: Final = "The result has no checksums, since an earlier version of Ackclock wrote it: damage is not noticed."
"""A notice of such a result."""


@dataclass(frozen=True)
class Request:
    """The inputs of a stored run."""

    scenario: dict[str, Any]
    """The tables of the scenario, not validated yet."""
    seed: int
    origin: Origin
    """The program that made the run."""
    record: tuple[str, ...]
    kernel: str | None = None
    """The release of the kernel that made a live run; ``None`` if the run was simulated."""
    sealed: bool = True
    """Whether the result had a checksum, which was right. Results of earlier versions have none."""


def load(directory: str | Path) -> Run:
    """Read a result that `Run.save` or ``ackclock run --out`` has written.

    Parameters
    ----------
    directory
        The folder of the result.

    Returns
    -------
    Run
        The run with its summary, notices and tables, as it was when it was saved, except for its captures.

    Raises
    ------
    ScenarioError
        The folder contains no run, or one that this version cannot read.
    DamagedError
        A file has changed since it was written.

    Examples
    --------
    >>> import tempfile
    >>> import ackclock as ac
    >>> link = ac.Link(rate="2 Mbps", delay="10 ms")
    >>> scenario = ac.Scenario(
    ...     duration="5 s",
    ...     dumbbell=ac.Dumbbell(access=link, bottleneck=link),
    ...     clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> run = ac.simulate(scenario)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run.save(f"{folder}/r")
    ...     again = ac.load(f"{folder}/r")
    >>> again.summary == run.summary
    True
    """
    import pyarrow as pa  # noqa: PLC0415  # slow to load

    directory = Path(directory)
    path = _record_of(directory)
    data = read_json(path)
    request = _request(path, data)
    files = data["files"] if request.sealed else sorted(file.name for file in directory.glob("*.parquet"))
    tables = {}
    for file in _verified(directory, data, files):
        try:
            tables[file.stem] = parquet(file)
        except (pa.ArrowException, OSError) as error:
            raise damaged(file, shorten(" ".join(str(error).split()), 300), _again(directory)) from None
    try:
        summary = {"marks": 0, **data["summary"]}  # results of earlier versions have no marks
        groups = Groups(GroupSummary(**group) for group in summary["groups"])
        further = summary.get("links", [{}])[1:]
        first = Scenario.from_dict(request.scenario).measure.link or ""
        links = Links(LinkSummary(**link) for link in links_of_run(first, summary, further))
        return Run(
            scenario=Scenario.from_dict(request.scenario),
            seed=request.seed,
            origin=request.origin,
            record=request.record,
            summary=Summary(**(summary | {"groups": groups, "links": links})),
            notices=(*data["notices"], *(() if request.sealed else (UNSEALED,))),
            warmup=data["warmup"],
            laws=tuple(data.get("laws", ())),
            disciplines=tuple(data.get("disciplines", ())),
            live=data.get("live"),
            _tables=tables,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise unreadable(path, f"it is incomplete ({error})", "the record of a run") from None


def read_request(path: Path) -> Request:
    """Read the inputs of a stored result, or of the JSON that a run printed."""
    if path.is_dir():
        path = _record_of(path)
    return _request(path, read_json(path))


def check(directory: Path, names: Iterable[str]) -> None:
    """Verify the checksums of some files, if a directory is that of a result that has checksums.

    Raises
    ------
    DamagedError
        A file has changed since it was written.
    """
    try:
        path = file_in(directory, RECORD)
    except OSError:
        return
    data = read_json(path)
    if {"scenario", "seed"} <= data.keys() and _is_sealed(path, data):
        _verified(directory, data, names)


def _is_sealed(path: Path, data: Mapping[str, Any]) -> bool:
    """Return whether a record has checksums; one that has changed is refused."""
    if "files" not in data and "checksum" not in data:
        return False
    if not is_sealed(data) or not isinstance(data.get("files"), dict):
        raise damaged(path, CHANGED, "run its scenario again")
    return True


def _verified(directory: Path, data: Mapping[str, Any], names: Iterable[str]) -> list[Path]:
    """Return the paths of some files of a result, whose checksums are right if there are any."""
    sums, found = data.get("files", {}), []
    for name in names:
        try:
            file = file_in(directory, name)
            changed = name in sums and checksum(file) != sums[name]
        except OSError as error:
            raise damaged(directory / name, str(error.strerror), _again(directory)) from None
        if changed:
            raise damaged(file, CHANGED, _again(directory))
        found.append(file)
    return found


def _again(directory: Path) -> str:
    return f"`ackclock run {directory} --out NEW` makes it again"


def _record_of(directory: Path) -> Path:
    """Return the path of the record of a result."""
    try:
        return file_in(directory, RECORD)
    except FileNotFoundError:
        why = f"it is a directory without {RECORD}" if directory.is_dir() else "there is no such directory"
    except OSError as error:
        why = str(error.strerror)
    raise unreadable(directory, recognised(directory) or why, "the directory of a result")


def _request(path: Path, data: Mapping[str, Any]) -> Request:
    scenario, seed, asked = (data.get(name) for name in ("scenario", "seed", "record"))
    requests = asked if isinstance(asked, list) else []
    if not isinstance(scenario, dict) or isinstance(seed, bool) or not isinstance(seed, int):
        raise unreadable(path, "it contains no scenario and seed", "the record of a run")
    has_checksum = _is_sealed(path, data)
    origin = Origin.read(data)
    if origin.schema is None or origin.schema < SCHEMA:
        upgrade(scenario)
    live = data.get("live")
    kernel = str(live.get("kernel")) if isinstance(live, dict) else None
    return Request(scenario, seed, origin, tuple(requests), kernel, has_checksum)
