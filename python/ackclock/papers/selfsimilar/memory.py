"""Tests for long-range dependence in long runs, and how well four estimators recover a known Hurst parameter.

Runs of 100 s in bins of 0.1 s are too short: even for exact noise with H = 0.8, `ackclock.analysis.hurst` finds
long-range dependence in only one case of four, and the round trip of 75 ms appears as a cycle in such bins. Here runs
are twenty times as long, with bins of 1 s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from ackclock.analysis import (
    HurstEstimate,
    abry_veitch,
    fractional_gaussian_noise,
    hurst,
    kettani_gubner,
    rescaled_range,
    variance_time,
)
from ackclock.papers.core.evidence import Row
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.selfsimilar.experiment import SETTINGS, background, scenario
from ackclock.papers.selfsimilar.flow_measures import SETTLED
from ackclock.running.run import Run
from ackclock.scenario import Scenario

LONG: Final = 2000  # seconds of a run, counted in bins of 1 s
TRUTH: Final = 0.8  # Hurst parameter of the noise, which the paper gives for its background
LENGTH: Final = 1000  # values of a series of noise, as many as a run of 100 s has bins of 0.1 s
PATHS: Final = 100  # series of noise

_METHODS: Final[Mapping[str, Callable[[np.ndarray], HurstEstimate]]] = {
    "optimisation": kettani_gubner,
    "wavelet": abry_veitch,
    "variance-time": variance_time,
    "R/S": rescaled_range,
}


def parts() -> list[Part]:
    """Return the parts: every setting for `LONG` seconds, and the on/off sources alone for comparison."""
    spots = {
        "memory": [Spot(where=each.where, scenario=_long(scenario(each))) for each in SETTINGS],
        "background memory": [Spot(where={}, scenario=_long(background()))],
    }
    return [
        Part(name=name, spots=some, take=take, record=("arrivals@A->B,B->y/1s",), work=lambda _: 40 * LONG / 100)
        for name, some in spots.items()
    ]


def _long(made: Scenario) -> Scenario:
    return made.changed({"duration": f"{LONG} s"})


def take(run: Run) -> Taken:
    """Estimate H of the packets received in each second, or of the background alone as it arrives at the bottleneck.

    The two estimators, wavelets and local Whittle, omit short time scales; None if one finds no scaling.
    """
    arrivals = run.table("arrivals")
    wanted = "B->y" if len(run.scenario.flows) > 1 else "A->B"
    counts = arrivals["packets"].to_numpy()[np.asarray(arrivals["link"].to_pylist()) == wanted][SETTLED:]
    found = {each.method: each.h for each in hurst(counts).estimates}
    return {method: found.get(method) for method in ("abry_veitch", "local_whittle")}


def methods() -> Mapping[str, list[Row]]:
    """Apply the paper's method and three others to `PATHS` series of exact noise; rows of the part ``methods``.

    ``h`` is the estimate, ``width`` the width of its 95 % interval, ``covered`` 1 if the interval contains `TRUTH`.
    """
    rows: list[Row] = []
    for seed in range(1, PATHS + 1):
        path = fractional_gaussian_noise(LENGTH, hurst=TRUTH, seed=seed)
        for name, estimate in _METHODS.items():
            found = estimate(path)
            values = {"h": found.h, "width": found.high - found.low, "covered": float(found.low <= TRUTH <= found.high)}
            rows.append(Observed(where={"method": name}, seed=seed, values=values))
    return {"methods": rows}
