"""How a series varies over a ladder of time scales: estimators of the Hurst parameter, one a file."""

from ackclock.analysis.scaling.estimate import Diagram, HurstEstimate
from ackclock.analysis.scaling.noise import fgn_autocorrelation, fractional_gaussian_noise
from ackclock.analysis.scaling.wavelets import abry_veitch
from ackclock.analysis.scaling.whittle import local_whittle

__all__ = [
    "Diagram",
    "HurstEstimate",
    "abry_veitch",
    "fgn_autocorrelation",
    "fractional_gaussian_noise",
    "local_whittle",
]
