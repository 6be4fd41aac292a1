"""Makes one run of a study and returns its row for the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ackclock.engine.catalogue import catalogue
from ackclock.engine.processors import cpu_time, memory_bound, threads
from ackclock.running.identity import run_id, scenario_id
from ackclock.running.run import Prepared
from ackclock.running.tables import to_arrow
from ackclock.scenario import SCHEMA
from ackclock.study.execute import StoppedError
from ackclock.study.store import Row
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.running.run import Outcome
    from ackclock.study.taking import Taking
    from ackclock.study.wanted import Point, Scalar

__all__ = ["Job", "Site", "begin", "make"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """A point prepared for any number of runs with different seeds.

    Parameters
    ----------
    coordinates
        The value of each swept field, by its path.
    prepared
        The prepared scenario.
    scenario, scenario_id
        The effective scenario as JSON, and its id.
    warmup
        Method that finds the warm-up to exclude from each run; None to exclude none.
    work
        Cost of a run relative to other points.
    taking
        The user's function that takes numbers from each run; None if there is none.
    revision
        Revision of the engine that must make the runs.

    """

    coordinates: Mapping[str, Scalar]
    prepared: Prepared
    scenario: str
    scenario_id: str
    warmup: str | None
    work: float
    taking: Taking | None
    revision: str

    @classmethod
    def of(
        cls,
        point: Point,
        *,
        record: Sequence[str],
        warmup: str | None,
        taking: Taking | None = None,
        executes: bool = True,
    ) -> Site:
        """Prepare a point; `executes` as for `Prepared.of`.

        Raises
        ------
        ScenarioError
            A record request does not fit the scenario.

        """
        prepared = Prepared.of(point.scenario, record, executes=executes)
        text = prepared.scenario.to_json()
        return cls(
            coordinates=point.coordinates,
            prepared=prepared,
            scenario=text,
            scenario_id=scenario_id(text),
            warmup=warmup,
            work=point.work,
            taking=taking,
            revision=catalogue().revision,
        )

    def job(self, seed: int) -> Job:
        """Return the job that runs the point with a seed."""
        run_id = name_of_run(self.scenario_id, seed, self.prepared.record, self.warmup, self.taking)
        return Job(site=self, seed=seed, run_id=run_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A run to be made."""

    site: Site
    seed: int
    run_id: str


def name_of_run(
    scenario: str, seed: int, record: Sequence[str], warmup: str | None, taking: Taking | None = None
) -> str:
    """Compute the id of a run from all of its inputs, with the handling of the warm-up and what is taken of the run."""
    further = [f"warmup={warmup}"] if warmup else []
    further += [taking.key] if taking else []
    return run_id(scenario, seed, [*record, *further], catalogue().revision)


def begin(job: Job, report: Callable[[float], None] | None = None, *, memory: int) -> Callable[[], Row]:
    """Start a run within a memory limit; the returned function returns its row. A failed run has a row with the reason.

    If the warm-up is excluded, the run is made twice: first to find the end of the warm-up, then with the measured time
    starting at that end.
    """
    start = cpu_time()
    failure: BaseException | None = None
    try:
        parts = _simulate(job.site, job.seed, report, memory)
    except (KeyboardInterrupt, SystemExit, StoppedError):
        raise
    except BaseException as error:  # noqa: BLE001 - the engine's panics are not of class Exception
        failure = error
    seconds = cpu_time() - start

    def row() -> Row:
        return Row(
            run_id=job.run_id,
            scenario_id=job.site.scenario_id,
            scenario=job.site.scenario,
            seed=job.seed,
            revision=job.site.revision,
            schema=SCHEMA,
            point=job.site.coordinates,
            cpu_seconds=seconds,
            **(parts() if failure is None else {"failure": f"{type(failure).__name__}: {failure}"}),
        )

    return row


def make(job: Job, *, memory: str | None = None) -> Row:
    """Make a run, and return its row.

    The run may use one CPU's share of the memory limit, because the machine's other CPUs make runs too.
    """
    return begin(job, memory=memory_bound(memory) // threads(None))()


def _simulate(
    site: Site, seed: int, report: Callable[[float], None] | None, memory: int
) -> Callable[[], dict[str, Any]]:
    if site.revision != catalogue().revision:
        raise RuntimeError("the worker has another build of the engine installed")
    prepared = site.prepared
    read = prepared.simulate(seed, report, memory=memory)
    if site.warmup is None:
        return lambda: _parts(site, seed, prepared, read())
    whole = read()
    if whole.warmup is None:
        note = "No warm-up was excluded, because none was found."
        return lambda: _parts(site, seed, prepared, replace(whole, notices=(*whole.notices, note)))
    cut = _measured_from(prepared, whole.warmup)
    read_cut = cut.simulate(seed, report, memory=memory)
    return lambda: _parts(site, seed, cut, replace(read_cut(), warmup=whole.warmup))


def _parts(site: Site, seed: int, prepared: Prepared, outcome: Outcome) -> dict[str, Any]:
    try:
        taken = site.taking.numbers(prepared.run_of(seed, outcome)) if site.taking else {}
    except Exception as error:  # noqa: BLE001 - it is the user's function
        return {"failure": f"take: {type(error).__name__}: {error}"}
    return {
        "summary": {**outcome.summary, "warmup": outcome.warmup, **taken},
        "groups": outcome.groups,
        "links": outcome.links if len(outcome.links) > 1 else (),
        "notices": outcome.notices,
        "tables": {name: to_arrow(rows, prepared.scenario) for name, rows in outcome.tables.items() if name != "flows"},
    }


def _measured_from(prepared: Prepared, start: float) -> Prepared:
    scenario = prepared.scenario
    measure = {"from_": TIME.format(round(start * PICOSECONDS_PER_SECOND))}
    changed = scenario.model_copy(update={"measure": scenario.measure.model_copy(update=measure)})
    return Prepared.of(changed, prepared.record)
