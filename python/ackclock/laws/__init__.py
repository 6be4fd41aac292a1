"""Congestion control written in Python: the class of a law, and everything that runs, identifies and checks it."""

from ackclock.laws.algorithm import Algorithm, AlgorithmType
from ackclock.laws.naming import named
from ackclock.scenario.law_classes import fields_of

fields_of.register(Algorithm, named)
fields_of.register(AlgorithmType, named)  # a class instead of an object
