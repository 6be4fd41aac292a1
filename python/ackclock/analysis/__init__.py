"""Statistics of what a run leaves behind: arrays in, frozen results out. Nothing here knows a scenario."""

from ackclock.analysis.interval import Interval, student_interval
from ackclock.analysis.variation import cov, poisson_cov

__all__ = ["Interval", "cov", "poisson_cov", "student_interval"]
