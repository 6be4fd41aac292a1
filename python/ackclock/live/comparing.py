"""Compares runs of a scenario by the machine's kernel with simulated ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ackclock.live.lateness import Lateness
from ackclock.live.running import LiveRun, Request, live
from ackclock.running.run import SEED, Run
from ackclock.running.summary import UNITS
from ackclock.scenario import Scenario
from ackclock.values.errors import refuse

MEASURES: Final = (
    "goodput_bps",
    "utilization",
    "loss",
    "rtt_mean",
    "sojourn_mean",
    "sojourn_p95",
    "retransmissions",
    "cov",
)
"""The measures that are compared."""
MOST_REPETITIONS: Final = 30

TOO_LATE: Final = "the emulator was too late to tell"
EQUAL: Final = "not distinguishable"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measure of both, over the repetitions."""

    measure: str
    unit: str
    kernel: float
    """Mean of the live runs, in `unit`."""
    simulator: float
    """Mean of the simulated runs, in `unit`."""
    difference: float
    """Mean of kernel minus simulator, run by run, in `unit`."""
    half_width: float
    """Half of the width of its 95 % interval (Student's t)."""
    verdict: str


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
    - Otherwise, if the 95 % interval of the mean difference contains 0, the two are not distinguishable.
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
    request = Request.of(scenario, ())
    kernel, simulated = [], []
    for repetition in range(repetitions):
        kernel.append(live(scenario, seed=seed + repetition))
        simulated.append(request.prepared.run(seed + repetition))
        if progress is not None:
            progress(repetition + 1)
    late = any(not run.lateness.trusted for run in kernel)
    rows = [
        row(
            measure,
            [getattr(run.run, measure) for run in kernel],
            [getattr(run, measure) for run in simulated],
            late=late,
        )
        for measure in MEASURES
    ]
    return Comparison(rows=tuple(each for each in rows if each), live=tuple(kernel), simulated=tuple(simulated))


def row(measure: str, kernel: list[float | None], simulator: list[float | None], *, late: bool) -> Row | None:
    """Judge a measure by the rule of `compare`; ``None`` if a run has no value.

    >>> row("loss", [0.010, 0.012, 0.011], [0.011, 0.011, 0.011], late=False).verdict
    'not distinguishable'
    >>> row("loss", [0.020, 0.021, 0.022], [0.010, 0.010, 0.010], late=False).verdict
    'differs by +110 %'
    >>> row("loss", [0.020, 0.021], [0.010, 0.010], late=True).verdict
    'the emulator was too late to tell'
    """
    from ackclock.analysis import student_interval  # noqa: PLC0415  # slow to load

    unit, factor = UNITS[measure]
    values = [
        (one, other) for one, other in zip(kernel, simulator, strict=True) if one is not None and other is not None
    ]
    pairs = [(factor * one, factor * other) for one, other in values if math.isfinite(one + other)]
    if len(pairs) < len(kernel):
        return None
    count = len(pairs)
    differences = [one - other for one, other in pairs]
    interval = student_interval(differences)
    means = [sum(pair[place] for pair in pairs) / count for place in (0, 1)]
    mean, half = interval.mean, interval.half_width
    if late:
        verdict = TOO_LATE
    elif abs(mean) <= half:
        verdict = EQUAL
    elif means[1]:
        verdict = f"differs by {100 * mean / means[1]:+.3g} %"
    else:
        verdict = f"differs by {mean:+.3g} {unit}".rstrip()
    return Row(
        measure=measure,
        unit=unit,
        kernel=means[0],
        simulator=means[1],
        difference=mean,
        half_width=half,
        verdict=verdict,
    )
