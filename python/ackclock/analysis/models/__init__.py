"""Analytical models that predict measured values: functions that return frozen dataclasses."""

from ackclock.analysis.models.cardwell import Cardwell, cardwell
from ackclock.analysis.models.factors import WithinFactors, within_factors
from ackclock.analysis.models.hyperbola import Hyperbola, hyperbola
from ackclock.analysis.models.large_pipe_loss import LargePipeLoss, large_pipe_loss
from ackclock.analysis.models.mathis import Mathis, mathis
from ackclock.analysis.models.pftk import Pftk, pftk
from ackclock.analysis.models.rounds import Reno, Rounds, Streams, Vegas, rounds
from ackclock.analysis.models.rtt_bias import RttBiasBand, rtt_bias_band
from ackclock.analysis.models.stochastic_reno import StochasticReno, stochastic_reno

__all__ = [
    "Cardwell",
    "Hyperbola",
    "LargePipeLoss",
    "Mathis",
    "Pftk",
    "Reno",
    "Rounds",
    "RttBiasBand",
    "StochasticReno",
    "Streams",
    "Vegas",
    "WithinFactors",
    "cardwell",
    "hyperbola",
    "large_pipe_loss",
    "mathis",
    "pftk",
    "rounds",
    "rtt_bias_band",
    "stochastic_reno",
    "within_factors",
]
