"""Models that predict what the engine measures: numbers in, frozen results out. Nothing here knows a scenario."""

from ackclock.models.pftk import Pftk, pftk
from ackclock.models.refined_reno import RefinedReno, refined_reno
from ackclock.models.stochastic_reno import StochasticReno, stochastic_reno

__all__ = ["Pftk", "RefinedReno", "StochasticReno", "pftk", "refined_reno", "stochastic_reno"]
