"""Scorecards: what the IETF asks of a congestion control and of a queue discipline, with verdicts by rule."""

from ackclock.scorecard.card import Scorecard
from ackclock.scorecard.evaluating import evaluate, evaluate_queue
from ackclock.scorecard.rules import Verdict

__all__ = ["Scorecard", "Verdict", "evaluate", "evaluate_queue"]
