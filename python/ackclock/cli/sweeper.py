"""Implements ``ackclock sweep``: runs a study into a store."""

import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NoReturn

from ackclock.engine.processors import threads
from ackclock.study.design import Study
from ackclock.study.outlook import Outlook
from ackclock.study.schedule import Tally
from ackclock.study.sweeping import fill, preview
from ackclock.values.errors import LostError, shorten

_INTERRUPTED: Final = 128 + signal.SIGINT


def sweep(
    file: Path,
    *,
    store: Path | None,
    engine: str,
    address: str | None,
    jobs: int | None,
    memory: str | None,
    allow_paths: bool,
    dry_run: bool,
) -> None:
    """Run the simulations that are missing in a study's store, or only estimate their cost (`dry_run`)."""
    study = Study.from_toml(file)
    folder = Path("out") / file.stem if store is None else store
    if dry_run:
        outlook = preview(folder, study, engine=engine, address=address, jobs=jobs, allow_paths=allow_paths)
        _write(_outlook(outlook, cores=threads(jobs) if engine == "threads" else jobs or 1))
        return
    name = shorten(str(folder), 500)
    goes_on = f"completed runs are in {name}; the same command resumes the sweep"
    try:
        tally = fill(folder, study, engine=engine, address=address, jobs=jobs, memory=memory, allow_paths=allow_paths)
    except KeyboardInterrupt:
        _end(f"stopped; {goes_on}", _INTERRUPTED)
    except LostError as error:
        _end(f"{error}; {goes_on}", 1)
    _write([f"{name}: {_summary(tally)}"])
    _write(f"Note: {note}" for note in (*tally.notices, *tally.warnings(study.measure)))
    if tally.interrupted:
        _end(f"interrupted; {goes_on}", _INTERRUPTED)
    if tally.failed:
        _end(f"{tally.failed:,} runs failed: see the table `failures` in {name}; the same command retries them", 1)


def _summary(tally: Tally) -> str:
    runs = f"{tally.made:,} {'run' if tally.made == 1 else 'runs'} made, {tally.there:,} already in the store"
    return f"{runs}, {tally.failed:,} failed" if tally.failed else runs


def _outlook(outlook: Outlook, *, cores: int) -> Iterable[str]:
    width = len(f"{max(runs for _, runs in outlook.points):,}")
    for name, runs in outlook.points:
        yield f"{runs:{width},} {'run ' if runs == 1 else 'runs'}  {name}"
    more = f", at most {outlook.most:,}" if outlook.most > outlook.runs else ""
    yield f"{len(outlook.points):,} points: {outlook.runs:,} runs to make{more}, {outlook.there:,} already in the store"
    if outlook.unread:
        yield (
            f"{outlook.unread:,} of the points name a law or a discipline in Python, whose file only a sweep executes: "
            "their runs all count as runs to make, and the time is not estimated"
        )
    if outlook.cpu_seconds is None:
        return
    yield (
        f"about {_duration(outlook.cpu_seconds / cores)} on {cores} {'core' if cores == 1 else 'cores'}: "
        "estimated from the beginning of the first run, scaled by flows and simulated time"
    )


def _duration(seconds: float) -> str:
    """Format a duration.

    >>> [_duration(seconds) for seconds in (0.31, 75, 4000, 200_000)]
    ['0.31 s', '75 s', '67 min', '56 h']
    """
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _end(message: str, code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write(message + "\n")
    sys.exit(code)
