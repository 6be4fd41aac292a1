"""Statistics of what a run leaves behind: arrays in, frozen results out. Nothing here knows a scenario."""

from ackclock.analysis.correlation import Autocorrelation, autocorrelation, dependence
from ackclock.analysis.interval import Interval, student_interval
from ackclock.analysis.losses import loss_events, loss_sequences
from ackclock.analysis.variation import Ladder, cov, cov_ladder, poisson_cov

__all__ = [
    "Autocorrelation",
    "Interval",
    "Ladder",
    "autocorrelation",
    "cov",
    "cov_ladder",
    "dependence",
    "loss_events",
    "loss_sequences",
    "poisson_cov",
    "student_interval",
]
