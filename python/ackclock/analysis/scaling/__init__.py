"""Variation of series over time scales, and estimators of the Hurst parameter, one per module."""

from ackclock.analysis.scaling.correlations import kettani_gubner, kettani_gubner_k1
from ackclock.analysis.scaling.estimate import Diagram, HurstEstimate
from ackclock.analysis.scaling.ladder import Burstiness, burstiness
from ackclock.analysis.scaling.noise import fgn_autocorrelation, fractional_gaussian_noise
from ackclock.analysis.scaling.ranges import rescaled_range
from ackclock.analysis.scaling.variances import variance_time
from ackclock.analysis.scaling.verdict import Hurst, hurst
from ackclock.analysis.scaling.wavelets import abry_veitch
from ackclock.analysis.scaling.whittle import local_whittle

__all__ = [
    "Burstiness",
    "Diagram",
    "Hurst",
    "HurstEstimate",
    "abry_veitch",
    "burstiness",
    "fgn_autocorrelation",
    "fractional_gaussian_noise",
    "hurst",
    "kettani_gubner",
    "kettani_gubner_k1",
    "local_whittle",
    "rescaled_range",
    "variance_time",
]
