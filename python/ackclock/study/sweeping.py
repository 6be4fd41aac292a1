"""Runs a study into a store."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
import weakref
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.running.processors import memory_bound, threads
from ackclock.running.progress import progress_bar
from ackclock.scenario.errors import one_of, refuse
from ackclock.study.design import VARIANT, Study
from ackclock.study.execute import Threads, execute
from ackclock.study.interruption import Interruption
from ackclock.study.making import begin, make
from ackclock.study.outlook import Outlook
from ackclock.study.schedule import Schedule
from ackclock.study.store import Store
from ackclock.study.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Scenario
    from ackclock.study.execute import Workers
    from ackclock.study.making import Job
    from ackclock.study.schedule import Tally
    from ackclock.study.store import Row

__all__ = ["fill", "look", "sweep"]

_ENGINES: Final = ("threads", "ray")


def sweep(
    study: Study | Scenario,
    *,
    store: str | Path | None = None,
    engine: str = "threads",
    address: str | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    allow_paths: bool = False,
    **design: Any,
) -> Store:
    """Make the runs of a study that its store does not have yet.

    Parameters
    ----------
    study
        A study, or a scenario to be varied.
    store
        The folder of the store, made if nothing is there. The same call on a store that has part of the study goes on
        with the rest. By default a folder that lasts as long as what is returned.
    engine
        ``threads``, or ``ray`` for what outgrows a machine.
    address
        The Ray cluster to join; by default one is started on this machine.
    jobs
        How many runs at a time; as many as there are cores by default. It never changes a result.
    memory
        Most memory that all runs at a time may take on a machine, such as ``"8 GB"``: half of the machine's by default.
        A run that needs more becomes a failure, and the others are made.
    allow_paths
        Let a study on Ray read traces outside the folder that it was read from, or the present directory: a study that
        somebody sent may name any file. On threads it always may.
    design
        Of a scenario: what is varied in it, as the fields of `ackclock.Study`.

    Returns
    -------
    Store
        Open for reading.

    Raises
    ------
    ScenarioError
        An argument, or a point of the study, is not allowed: before the first run.
    KeyboardInterrupt
        After Ctrl-C: running simulations were finished and saved. A second one stops at once.

    """
    if not isinstance(study, Study):
        study = Study.from_dict({"scenario": study, **design})
    elif design:
        raise refuse(next(iter(design)), design[next(iter(design))], "must be a field of the study that is given")
    passing = tempfile.TemporaryDirectory(prefix="ackclock-") if store is None else None
    folder = Path(passing.name if passing else store or "")
    tally = fill(folder, study, engine=engine, address=address, jobs=jobs, memory=memory, allow_paths=allow_paths)
    if tally.interrupted:
        raise KeyboardInterrupt
    for warning in tally.warnings(study.measure):
        warnings.warn(warning, stacklevel=2)
    opened = Store.open(folder)
    if passing:
        weakref.finalize(opened, passing.cleanup)
    return opened


def fill(
    folder: Path,
    study: Study,
    *,
    engine: str = "threads",
    address: str | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    allow_paths: bool = False,
) -> Tally:
    """Make the runs of a study that a store does not have.

    Parameters
    ----------
    folder, study, engine, address, jobs, memory, allow_paths
        As for `sweep`.

    Returns
    -------
    Tally
        What became of it, and whether Ctrl-C ended it.

    Raises
    ------
    ScenarioError
        As `sweep`.

    """
    workers = _workers(engine, address, jobs, memory)
    survey = Survey.of(study, inside=study.folders if engine == "ray" and not allow_paths else ())
    with workers, Store.open(folder, create=True) as store, Interruption() as interruption:
        schedule = Schedule(survey, _there(store, study.measure))
        began = time.monotonic()
        with progress_bar("sweep", schedule.work) as show:

            def watch() -> bool:
                if sys.stderr.isatty():
                    tell()
                return interruption.goes_on()

            def tell() -> None:
                in_flight = sum(share * job.site.work for job, share in workers.under_way)
                words = _words(schedule, study.measure, time.monotonic() - began)
                show(schedule.worked + in_flight, words, schedule.work)

            for job, row in execute(schedule, workers, watch=watch):
                if isinstance(row, BaseException):
                    raise row
                store.add(row)
                schedule.took(job, row)
        schedule.tally.interrupted = interruption.asked
        store.close()  # so that repeated runs are not reported as missing
        schedule.tally.notices = (*store.notices, *_named_otherwise(store, survey))
    return schedule.tally


def look(
    folder: Path,
    study: Study,
    *,
    engine: str = "threads",
    address: str | None = None,
    jobs: int | None = None,
    allow_paths: bool = False,
) -> Outlook:
    """Report what `fill` would do, without making or changing anything; raises as it does."""
    _workers(engine, address, jobs, None)
    survey = Survey.of(study, inside=study.folders if engine == "ray" and not allow_paths else ())
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return Outlook.of(survey, {})
    with Store.open(folder) as store:
        return Outlook.of(survey, _there(store, study.measure))


def _there(store: Store, measure: str) -> Mapping[str, float | None]:
    """Return the complete runs of a store by id, with a measure of each."""
    done = store.done()
    if not done:
        return {}
    found = store.sql(f'select run_id, "{measure}" from runs')  # noqa: S608 - one of `MEASURES`
    rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
    return {run: value for run, value in rows if run in done}


def _named_otherwise(store: Store, survey: Survey) -> list[str]:
    """Report runs that keep a different variant name, or none, from an earlier study."""
    if survey.study.variants is None or not store.done():
        return []
    names = dict(
        zip(survey.scenario_ids, (str(place.coordinates[VARIANT]) for place in survey.study.places()), strict=True)
    )
    column = f'"{VARIANT}"' if VARIANT in store.sql("from runs limit 0").column_names else "null"
    found = store.sql(f"select scenario_id, {column}, count(*) from runs group by all")  # noqa: S608 - our own word
    rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
    count = sum(runs for scenario, name, runs in rows if name != names.get(scenario, name))
    if not count:
        return []
    return [f"{count:,} runs were made by a study that names their variant otherwise, or not at all, and keep that."]


def _workers(engine: str, address: str | None, jobs: int | None, memory: str | None) -> Workers[Job, Row]:
    if engine not in _ENGINES:
        raise refuse("engine", engine, one_of(engine, _ENGINES))
    if engine == "ray":
        from ackclock.study.ray import Cluster  # noqa: PLC0415  # it may not be installed

        def work(job: Job) -> Row:
            return make(job, memory=memory)

        memory_bound(memory)
        return Cluster(work, address=address, jobs=jobs)
    if address is not None:
        raise refuse("address", address, "must be absent without the engine ray")
    share = memory_bound(memory) // threads(jobs)
    return Threads(partial(begin, memory=share), jobs)


def _words(schedule: Schedule, measure: str, seconds: float) -> str:
    """Describe the progress: counts, runs per second, and the interval of the measure at the latest point."""
    from ackclock.analysis import student_interval  # noqa: PLC0415 - it loads NumPy

    ended = schedule.tally.made + schedule.tally.failed
    words = f"{ended:,} of {schedule.due:,} runs"
    if ended:
        rate = ended / seconds
        words += f", {rate:,.0f}/s" if rate >= 100 else f", {rate:.3g}/s"
    values = [value for value in schedule.latest.values.values() if value is not None] if schedule.latest else []
    return f"{words}, {measure} {student_interval(values)}" if values else words
