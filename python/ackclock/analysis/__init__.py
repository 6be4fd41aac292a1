"""Statistics of measured series: functions of arrays, independent of scenarios."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ackclock.analysis.batches import BatchMeans, batch_means
    from ackclock.analysis.comparison import Comparison, compare_paired
    from ackclock.analysis.correlation import Autocorrelation, autocorrelation, dependence
    from ackclock.analysis.interval import Interval, bootstrap_interval, mean_interval, student_interval
    from ackclock.analysis.losses import loss_events, loss_sequences
    from ackclock.analysis.quantiles import cdf_intervals, quantile_interval
    from ackclock.analysis.ranking import Ranking, rank_paired
    from ackclock.analysis.scaling import (
        Burstiness,
        Diagram,
        Hurst,
        HurstEstimate,
        abry_veitch,
        burstiness,
        fgn_autocorrelation,
        fractional_gaussian_noise,
        hurst,
        kettani_gubner,
        kettani_gubner_k1,
        local_whittle,
        rescaled_range,
        variance_time,
    )
    from ackclock.analysis.synchrony import LossCorrelation, LossEpochs, loss_correlation, loss_epochs
    from ackclock.analysis.variation import Ladder, cov, cov_ladder, poisson_cov
    from ackclock.analysis.warmup import Warmup, mser5
    from ackclock.analysis.windows import cut_dependence, sampled_windows, window_cuts

__all__ = [
    "Autocorrelation",
    "BatchMeans",
    "Burstiness",
    "Comparison",
    "Diagram",
    "Hurst",
    "HurstEstimate",
    "Interval",
    "Ladder",
    "LossCorrelation",
    "LossEpochs",
    "Ranking",
    "Warmup",
    "abry_veitch",
    "autocorrelation",
    "batch_means",
    "bootstrap_interval",
    "burstiness",
    "cdf_intervals",
    "compare_paired",
    "cov",
    "cov_ladder",
    "cut_dependence",
    "dependence",
    "fgn_autocorrelation",
    "fractional_gaussian_noise",
    "hurst",
    "kettani_gubner",
    "kettani_gubner_k1",
    "local_whittle",
    "loss_correlation",
    "loss_epochs",
    "loss_events",
    "loss_sequences",
    "mean_interval",
    "mser5",
    "poisson_cov",
    "quantile_interval",
    "rank_paired",
    "rescaled_range",
    "sampled_windows",
    "student_interval",
    "variance_time",
    "window_cuts",
]

_HOMES: Final = (
    "warmup",
    "interval",
    "variation",
    "comparison",
    "ranking",
    "batches",
    "correlation",
    "losses",
    "quantiles",
    "synchrony",
    "windows",
    "scaling",
)


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Load a function on first use: a run that needs only `mser5` does not load NumPy."""
        if name in __all__:
            for home in _HOMES:
                module = import_module(f"ackclock.analysis.{home}")
                if name in vars(module):
                    return vars(module)[name]
        raise AttributeError(f"module 'ackclock.analysis' has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return [*(name for name in globals() if name.startswith("__")), *__all__]
