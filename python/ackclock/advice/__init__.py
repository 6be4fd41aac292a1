"""Advice on a link: which buffer, which queue and which congestion control, by runs."""

from ackclock.advice.advising import Advice, advise
from ackclock.advice.question import Mix, Question

__all__ = ["Advice", "Mix", "Question", "advise"]
