"""Results of every function of `ackclock.analysis` for fixed input equal the stored ones.

Other tests compare the functions with laws and hand computations; these also detect changes of constants and bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.readable import hold_readable

from ackclock import analysis, models
from ackclock.analysis.scaling import disguises
from ackclock.analysis.scaling.wavelets import log_scale_diagram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

METHODS = ("abry_veitch", "local_whittle", "kettani_gubner_k1", "kettani_gubner", "variance_time", "rescaled_range")


def uniform(count: int, *, root: float = 2) -> NDArray[np.float64]:
    """Return numbers from 0 to 1 by a formula, since a library's generator might change between versions."""
    return np.asarray(np.sqrt(root) * np.arange(1, count + 1) ** 2 % 1, dtype=np.float64)


NOISE = np.log(1 / uniform(3000))
"""Independent exponential values."""
COUNTS = np.floor(6 * NOISE).astype(int)


def walk() -> NDArray[np.float64]:
    """Return a series with long memory: sums of noise that change at every power of two."""
    steps = uniform(4096) - 0.5
    return np.asarray(sum(np.repeat(steps[:: 2**octave], 2**octave) for octave in range(10)))


def results() -> dict[str, Any]:
    """Call each function of series and samples."""
    times, flows, windows = 40 * uniform(300), np.floor(5 * uniform(300, root=3)), 1 + 30 * uniform(300, root=5)
    of_losses: dict[str, Any] = {"times": times, "flows": flows, "count": 6}
    cuts = uniform(400).reshape(4, 100) < 0.2
    return {
        "cov": analysis.cov(COUNTS),
        "poisson_cov": analysis.poisson_cov([4, 100]),
        "cov_ladder": analysis.cov_ladder(COUNTS, 0.1, [0.1, 0.7, 30]),
        "autocorrelation": analysis.autocorrelation(COUNTS, 7),
        "dependence": analysis.dependence(cuts),
        "window_cuts": analysis.window_cuts([[4, 3, 3, 2, 9], [9, 8, 7, 6, 5]], most=7),
        "sampled_windows": analysis.sampled_windows(times, flows, windows, interval=5, start=10),
        "cut_dependence": analysis.cut_dependence(times, flows, windows, interval=0.5, start=10, most=20),
        "loss_events": analysis.loss_events(times, flows, 0.2),
        "loss_sequences": analysis.loss_sequences(times, 0.2),
        "loss_epochs": analysis.loss_epochs(**of_losses, gap=0.3),
        "loss_correlation": analysis.loss_correlation(**of_losses, round_trip=0.5, start=3, end=33.2),
        "quantile_interval": analysis.quantile_interval(list(NOISE[:60].reshape(6, 10)), 0.35, level=0.9),
        "cdf_intervals": analysis.cdf_intervals(list(NOISE[:60].reshape(6, 10)), [0.5, 1.5]),
        "student_interval": analysis.student_interval(NOISE[:12], level=0.9),
        "bootstrap_interval": analysis.bootstrap_interval(NOISE[:40], level=0.9),
        "batch_means": analysis.batch_means(NOISE, level=0.9),
        "batch_means of a walk": analysis.batch_means(walk()),
        "compare_paired": analysis.compare_paired(NOISE[:9], NOISE[9:18], level=0.9),
        "mser5": analysis.mser5([*(NOISE[:100] + 3), *NOISE[100:400]]),
        "burstiness": analysis.burstiness(COUNTS),
        "fgn_autocorrelation": analysis.fgn_autocorrelation([0, 1, 2, 50], 0.8),
    }


def test_results_are_those_that_were_kept() -> None:
    """Validates: every number of the functions of series and samples, with their defaults.
    Source: our own results; other tests check them by hand and by laws.
    Tolerance: 1e-9 of each number.
    """
    hold_readable("analysis", results())


def test_hurst_parameters_are_those_that_were_kept() -> None:
    """Validates: each estimate, its interval, its scales and its diagram.
    Source: our own results; other tests check them with noise of a known parameter.
    Tolerance: 1e-9 of each number.
    """
    found: dict[str, Any] = {}
    for name, series in {"noise": NOISE[:1000], "walk": walk()}.items():
        verdict = analysis.hurst(series)
        assert [each.method for each in verdict.estimates] == list(METHODS)
        found |= {f"{each.method} of {name}": each for each in verdict.estimates}
        found[f"log-scale diagram of {name}"] = log_scale_diagram(series)
        found[f"verdict on {name}"] = [verdict.long_range, *verdict.notices]
    hold_readable("hurst", found)


def test_a_hump_of_energy_is_a_cycle() -> None:
    """Cycles of unequal lengths have no line in the spectrum; the energy of their octaves has a hump.

    The octave with the most energy, its neighbours and the errors decide. Each number shifts the limit between a cycle
    and no cycle.
    """
    bins = np.arange(8192)
    saw = np.modf(np.cumsum(1 / (48 + 32 * np.repeat(uniform(128), 64))))[0]
    found = {}
    for share in (0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 3.0):
        found[f"share {share}"] = disguises.cycle(share * saw + uniform(8192))
    found["a sine"] = disguises.cycle(np.sin(2 * np.pi * bins / 37) + 3 * uniform(8192))
    found["15 periods"] = disguises.cycle(np.sin(2 * np.pi * bins / (8192 / 15)) + uniform(8192))
    found["16 periods"] = disguises.cycle(np.sin(2 * np.pi * bins / (8192 / 16)) + uniform(8192))
    for rise in (0.0, 0.02, 0.05, 0.1, 0.3):
        series = uniform(8192) + rise * bins / 8192
        found[f"trend of {rise}"] = disguises.trend(series, None)
        found[f"trend of {rise} with an estimate"] = disguises.trend(series, analysis.abry_veitch(series))
    hold_readable("disguises", found)


MODELS: Mapping[str, Mapping[str, Any]] = {
    "pftk": {"p": [1e-6, 0.02, 0.3], "rtt": 0.2, "t0": 1.5, "b": 2, "w_max": [1e9, 20, 8]},
    "mathis": {"p": [1e-6, 0.02], "rtt": 0.2, "b": 2},
    "cardwell": {"packets": [1, 20, 400], "p": 0.02, "rtt": 0.1, "t0": 1, "b": 2, "w_max": 12, "delayed_ack": 0.1},
    "large_pipe_loss": {"window": [3, 5, 8], "b": 2},
    "hyperbola": {
        "connections": [50, 100, 200, 300, 600], "loss": [0.05, 0.12, 0.19, 0.2, 0.26], "level": 0.9,
    },
    "rtt_bias_band": {"rtt_1": [0.1, 0.1], "rtt_2": [0.1, 0.35]},
    "within_factors": {"measured": [0.1, 0.2, 0.3, 0.4], "predicted": [0.1, 0.29, 0.14, 1.3]},
    "stochastic_reno": {
        "clients": 42, "rate": 100, "interval": 0.1, "capacity": 4166.7, "buffer": 50, "initial_window": 20,
        "max_window": 40, "replications": 3,
    },
    "rounds": {
        "streams": [
            models.Streams(law=models.Reno(), count=20, rate=100),
            models.Streams(law=models.Vegas(), count=20, rate=100),
        ],
        "capacity": 3800, "buffer": 30, "intervals": 40, "warmup": 30, "replications": 3, "seed": 2,
    },
}  # fmt: skip


def test_models_are_those_that_were_kept() -> None:
    """Validates: every number of the models.
    Source: our own results; other tests check them by other evaluations and by simulations.
    Tolerance: 1e-9 of each number.
    """
    hold_readable("models", {name: getattr(models, name)(**given) for name, given in MODELS.items()})


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_there(name: str) -> None:
    assert name in models.__all__
