"""Compares runs of a scenario by the machine's kernel with simulated ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ackclock.live.judging import Row, rows
from ackclock.live.lateness import Lateness
from ackclock.live.running import LiveRun, Request, live
from ackclock.running.run import SEED, Run, whole_scenario
from ackclock.scenario import Scenario
from ackclock.values.errors import refuse
from ackclock.values.quantity import seconds

MOST_REPETITIONS: Final = 30
_POINTS: Final = 1000
"""Number of samples of windows in a run, at most."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The runs of both, and a verdict for each measure."""

    rows: tuple[Row, ...]
    live: tuple[LiveRun, ...]
    simulated: tuple[Run, ...]

    @property
    def lateness(self) -> tuple[Lateness, ...]:
        """How late the emulator was in each live run."""
        return tuple(run.lateness for run in self.live)

    def page(self, command: str = "") -> str:
        """Return the comparison as a page: one HTML file that needs no network."""
        from ackclock.live.page import page  # noqa: PLC0415  # Matplotlib and Jinja are slow to load

        return page(self, command)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as printed by ``ackclock live --compare --json``."""
        return {
            "kernel": self.live[0].kernel,
            "repetitions": len(self.live),
            "rows": [vars(row) for row in self.rows],
            "live": [run.to_dict() for run in self.live],
            "simulated": [run.to_dict() for run in self.simulated],
        }


def compare(
    scenario: Scenario,
    *,
    seed: int = 1,
    repetitions: int = 5,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Run a scenario by the machine's kernel and by the simulator, both with the defaults of the profile ``linux``.

    The verdict of a measure follows a rule:

    - If the emulator was too late in any run, there is none.
    - Otherwise, if the measure has a margin, and the 95 % interval of the mean difference lies inside it, the two are
      within the margin: 3 % of the simulator's mean for goodput, 10 % for the mean round-trip time, 15 % for times in
      the queue and completion times.
    - Otherwise, if the interval contains 0, the two are not distinguishable.
    - Otherwise they differ, by the mean difference as a part of the simulator's mean.

    Parameters
    ----------
    scenario
        The scenario. Each repetition takes as long as its ``duration``.
    seed
        Seed of the first repetition; the next ones follow. Both runs of a repetition have the same seed.
    repetitions
        Number of repetitions, from 2 to 30.
    progress
        Called with the number of repetitions done.

    Raises
    ------
    ScenarioError
        As `live`, or `repetitions` is not allowed.
    """
    SEED.require("seed", seed)
    if not 2 <= repetitions <= MOST_REPETITIONS:  # an interval needs two
        raise refuse("repetitions", repetitions, f"must be from 2 to {MOST_REPETITIONS}")
    record = _records(whole_scenario(scenario))
    request = Request.of(scenario, record)
    kernel, simulated = [], []
    for repetition in range(repetitions):
        kernel.append(live(scenario, seed=seed + repetition, record=record))
        simulated.append(request.prepared.run(seed + repetition))
        if progress is not None:
            progress(repetition + 1)
    late = any(not run.lateness.trusted for run in kernel)
    judged = rows([run.run for run in kernel], simulated, late=late)
    return Comparison(rows=judged, live=tuple(kernel), simulated=tuple(simulated))


def _records(scenario: Scenario) -> list[str]:
    """Return the records that the figures of a comparison need."""
    every = max(10, math.ceil(1e3 * seconds(scenario.duration) / _POINTS))
    return [f"windows/{every}ms", f"throughput/{10 * every}ms"]
