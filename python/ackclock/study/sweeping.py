"""Makes the runs of a study, and adds them to a store."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
import weakref
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.engine.catalogue import catalogue
from ackclock.engine.processors import memory_bound, threads
from ackclock.running.progress import progress_bar
from ackclock.running.repeats import repeats
from ackclock.running.summary import MEASURES
from ackclock.study.design import VARIANT, Study
from ackclock.study.execute import Threads, execute
from ackclock.study.interruption import Interruption
from ackclock.study.making import begin, make
from ackclock.study.outlook import Outlook
from ackclock.study.schedule import Schedule
from ackclock.study.store import Store
from ackclock.study.survey import Survey
from ackclock.study.taking import Taking
from ackclock.values.errors import one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study.execute import Workers
    from ackclock.study.making import Job
    from ackclock.study.schedule import Tally
    from ackclock.study.store import Row

__all__ = ["fill", "preview", "sweep"]

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
    take: Callable[[Run], Mapping[str, Any]] | None = None,
    **design: Any,
) -> Store:
    """Make the runs of a study that its store does not have yet.

    Parameters
    ----------
    study
        The study, or the scenario to vary as `design` defines.
    store
        Folder of the store, created if it does not exist. If the store already has some of the runs, only the missing
        runs are made. The default is a temporary folder, which is deleted when the returned store is no longer
        referenced.
    engine
        ``threads`` to run on this machine, or ``ray`` to run on a Ray cluster.
    address
        Address of the Ray cluster to join (default: start one on this machine).
    jobs
        Number of parallel runs (default: one per CPU core). Does not affect results.
    memory
        Memory limit of all parallel runs on a machine, such as ``"8 GB"`` (default: half of the machine's memory). A
        run that needs more is recorded as a failure, and the other runs continue.
    allow_paths
        Allow a study on Ray to read traces outside its own folder (or the current directory, for a study made in
        Python). The restriction protects against studies from other people that name arbitrary files. It does not apply
        to the engine ``threads``.
    take
        A function that takes further numbers from each run: it gets a `Run`, with the tables that ``record`` requests,
        and returns numbers by name, which become columns of ``store.runs``. A run is made again if the function, or a
        function or constant that it uses, has changed. A run for which it raises an exception is a failure.
    design
        Fields of `ackclock.Study` that define how a scenario is varied. Must be absent if `study` is a study.

    Returns
    -------
    Store
        The store, open for reading.

    Raises
    ------
    ScenarioError
        An argument or a point of the study is not allowed. All points are checked before the first run.
    KeyboardInterrupt
        On Ctrl-C, after the running simulations were finished and saved. A second Ctrl-C stops them at once.

    Examples
    --------
    >>> import ackclock as ac
    >>> link = ac.Link(rate="2 Mbps", delay="10 ms")
    >>> scenario = ac.Scenario(
    ...     duration="20 s",
    ...     measure=ac.Measure(from_="5 s"),
    ...     dumbbell=ac.Dumbbell(access=link, bottleneck=link),
    ...     clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy(), spread="1 s")],
    ... )
    >>> def wait(run):
    ...     return {"wait_ms": 1e3 * run.summary.sojourn_mean}
    >>> store = ac.sweep(scenario, over={"clients.0.count": [1, 2]}, replications=3, take=wait)
    >>> store.runs.select(["clients.0.count", "wait_ms"]).num_rows
    6

    """
    if not isinstance(study, Study):
        study = Study.from_dict({"scenario": study, **design})
    elif design:
        raise refuse(next(iter(design)), design[next(iter(design))], "must be absent if a Study is given")
    if take is not None:
        study = study.with_taking(Taking.of(take))
    passing = tempfile.TemporaryDirectory(prefix="ackclock-") if store is None else None
    folder = Path(passing.name if passing else store or "")
    tally = fill(folder, study, engine=engine, address=address, jobs=jobs, memory=memory, allow_paths=allow_paths)
    if tally.interrupted:
        raise KeyboardInterrupt
    for warning in tally.warnings(study.measure):
        warnings.warn(warning, stacklevel=2)
    opened = Store.open(folder, revision=catalogue().revision)
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
    label: str = "sweep",
) -> Tally:
    """Make the runs of a study that a store does not have yet.

    Parameters
    ----------
    folder, study, engine, address, jobs, memory, allow_paths
        As for `sweep`.
    label
        Name of the work beside the progress bar.

    Returns
    -------
    Tally
        Statistics of the sweep, and whether Ctrl-C ended it.

    Raises
    ------
    ScenarioError
        As raised by `sweep`.

    """
    workers = _workers(engine, address, jobs, memory)
    survey = Survey.of(study, inside=study.folders if engine == "ray" and not allow_paths else ())
    with workers, Store.open(folder, create=True) as store, Interruption() as interruption:
        if study.asked:
            store.ask(study.asked)
        schedule = Schedule(survey, _there(store, study.measure))
        began = time.monotonic()
        with progress_bar(label, schedule.work) as show:

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
        store.close()  # so that runs made again are not reported as missing
        schedule.tally.notices = (*store.notices, *_named_otherwise(store, survey))
        schedule.tally.repeats = _repeats(store, survey)
    return schedule.tally


def preview(
    folder: Path,
    study: Study,
    *,
    engine: str = "threads",
    address: str | None = None,
    jobs: int | None = None,
    allow_paths: bool = False,
) -> Outlook:
    """Count the runs that `fill` would make, and estimate their cost, without changing the store.

    Raises the same errors as `fill`, except for those of laws and disciplines in Python, whose files are not executed.
    """
    _workers(engine, address, jobs, None)
    inside = study.folders if engine == "ray" and not allow_paths else ()
    survey = Survey.of(study, inside=inside, executes=False)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return Outlook.of(survey, {})
    with Store.open(folder) as store:
        return Outlook.of(survey, _there(store, study.measure))


def _there(store: Store, measure: str) -> Mapping[str, float | None]:
    """Map the id of each complete run of a store to a measure of the run."""
    done = store.done()
    if not done:
        return {}
    found = store.stored("runs", ["run_id", measure])
    rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
    return {run: value for run, value in rows if run in done}


def _repeats(store: Store, survey: Survey) -> tuple[str, ...]:
    """Report runs of the study that have equal results although their seeds differ."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    import pyarrow.compute as pc  # noqa: PLC0415

    runs = store.table("runs", ["scenario_id", "seed", *MEASURES]).to_arrow()
    return repeats(runs.filter(pc.is_in(runs["scenario_id"], value_set=pa.array(survey.scenario_ids, pa.string()))))


def _named_otherwise(store: Store, survey: Survey) -> list[str]:
    """Report runs that an earlier study stored with another variant name, or without one."""
    if survey.study.variants is None or not store.done():
        return []
    names = dict(
        zip(survey.scenario_ids, (str(place.coordinates[VARIANT]) for place in survey.study.places()), strict=True)
    )
    found = store.runs.to_arrow()
    given = found.column(VARIANT).to_pylist() if VARIANT in found.column_names else [None] * len(found)
    rows = zip(found.column("scenario_id").to_pylist(), given, strict=True)
    count = sum(name != names.get(scenario, name) for scenario, name in rows)
    if not count:
        return []
    return [f"{count:,} runs keep the variant name of an earlier study, which is absent or differs from the new name."]


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
        raise refuse("address", address, "must be absent unless the engine is ray")
    share = memory_bound(memory) // threads(jobs)
    return Threads(partial(begin, memory=share), jobs)


def _words(schedule: Schedule, measure: str, seconds: float) -> str:
    """Describe the progress: number of runs, runs per second, and the measure's interval at the latest point."""
    from ackclock.analysis import student_interval  # noqa: PLC0415 - it loads NumPy

    ended = schedule.tally.made + schedule.tally.failed
    words = f"{ended:,} of {schedule.due:,} runs"
    if ended:
        rate = ended / seconds
        words += f", {rate:,.0f}/s" if rate >= 100 else f", {rate:.3g}/s"
    values = [value for value in schedule.latest.values.values() if value is not None] if schedule.latest else []
    return f"{words}, {measure} {student_interval(values)}" if values else words
