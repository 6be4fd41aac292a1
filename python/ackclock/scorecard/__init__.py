"""The scorecard of a congestion control: what RFC 9743 (BCP 133) asks of a new one, with verdicts by rule."""

from ackclock.scorecard.evaluating import Scorecard, evaluate
from ackclock.scorecard.rules import Verdict

__all__ = ["Scorecard", "Verdict", "evaluate"]
