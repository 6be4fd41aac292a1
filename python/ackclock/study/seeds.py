"""Runs one scenario with several seeds in parallel: `replicate`."""

from collections.abc import Iterable

from ackclock.running.run import Run
from ackclock.running.runs import Runs
from ackclock.scenario import Scenario
from ackclock.study.grid import run_grid
from ackclock.study.wanted import Point
from ackclock.values.errors import refuse

__all__ = ["replicate"]


def replicate(
    scenario: Scenario,
    *,
    seeds: int | Iterable[int] = 10,
    record: Iterable[str] = (),
    jobs: int | None = None,
    memory: str | None = None,
) -> Runs:
    """Run a scenario with several seeds, on all cores, with a progress bar in a terminal.

    Parameters
    ----------
    scenario
        The scenario.
    seeds
        The number of seeds (1, 2, …), or the seeds.
    record
        Tables to record in each run, as in `ackclock.simulate`.
    jobs
        Number of parallel runs (default: one per CPU core). Does not affect the results.
    memory
        Memory limit of all parallel runs together, such as ``"8 GB"`` (default: half of the machine's memory).

    Returns
    -------
    Runs
        The runs, in the order of seeds. Each run has the same results as when it runs alone.

    Raises
    ------
    ScenarioError
        A seed or a record request is not allowed, or a run needs more memory.
    """
    points = [Point(name="the scenario", scenario=scenario)]
    made = run_grid(points, seeds=_seeds(seeds), take=_whole, record=record, jobs=jobs, memory=memory)
    return Runs(each.value for each in made)


def _whole(run: Run) -> Run:
    return run


def _seeds(seeds: int | Iterable[int]) -> list[int]:
    chosen = list(range(1, seeds + 1)) if isinstance(seeds, int) and not isinstance(seeds, bool) else None
    if chosen is None and isinstance(seeds, Iterable):
        chosen = list(seeds)
    if not chosen:
        raise refuse("seeds", seeds, "must be the number of seeds, at least 1, or the seeds")
    if len(set(chosen)) < len(chosen):
        raise refuse("seeds", seeds, "must differ: the same seed gives the same run")
    return chosen
