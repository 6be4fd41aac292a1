"""Analytical models that predict measured values: functions that return frozen dataclasses."""

from ackclock.analysis.models.cardwell import Cardwell, cardwell
from ackclock.analysis.models.factors import WithinFactors, within_factors
from ackclock.analysis.models.hyperbola import Hyperbola, hyperbola
from ackclock.analysis.models.large_pipe_loss import LargePipeLoss, large_pipe_loss
from ackclock.analysis.models.mathis import Mathis, mathis
from ackclock.analysis.models.pftk import Pftk, pftk
from ackclock.analysis.models.refined_reno import RefinedReno, refined_reno
from ackclock.analysis.models.rtt_bias import RttBiasBand, rtt_bias_band
from ackclock.analysis.models.stochastic_reno import StochasticReno, stochastic_reno

__all__ = [
    "Cardwell",
    "Hyperbola",
    "LargePipeLoss",
    "Mathis",
    "Pftk",
    "RefinedReno",
    "RttBiasBand",
    "StochasticReno",
    "WithinFactors",
    "cardwell",
    "hyperbola",
    "large_pipe_loss",
    "mathis",
    "pftk",
    "refined_reno",
    "rtt_bias_band",
    "stochastic_reno",
    "within_factors",
]
