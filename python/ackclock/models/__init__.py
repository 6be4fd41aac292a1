"""Models that predict what the engine measures: numbers in, frozen results out. Nothing here knows a scenario."""

from ackclock.models.stochastic_reno import StochasticReno, stochastic_reno

__all__ = ["StochasticReno", "stochastic_reno"]
