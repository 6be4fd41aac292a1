"""Round-based stochastic models of congestion control: flows with their laws at one bottleneck."""

from ackclock.analysis.models.rounds.model import Rounds, Streams, rounds
from ackclock.analysis.models.rounds.reno import Reno
from ackclock.analysis.models.rounds.vegas import Vegas

__all__ = ["Reno", "Rounds", "Streams", "Vegas", "rounds"]
