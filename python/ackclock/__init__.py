"""Ackclock: a laboratory for TCP congestion control and the burstiness it makes.

Describe a network, its flows and their traffic as a :class:`Scenario`; :func:`simulate` sends every packet of it and
returns a :class:`Run`; :func:`replicate` does so for several seeds and puts error bars on what it finds.
"""

from ackclock.catalogue import catalogue
from ackclock.errors import ScenarioError
from ackclock.run import Run, simulate
from ackclock.runs import Estimate, Runs, replicate
from ackclock.scenario import (
    Clients,
    Constant,
    DropTail,
    Dumbbell,
    Flow,
    GraphLink,
    Greedy,
    Link,
    Loss,
    Measure,
    Node,
    Poisson,
    Queue,
    Red,
    Scenario,
    Tcp,
    Udp,
)
from ackclock.summary import GroupSummary, Summary

__version__ = catalogue().version

__all__ = [
    "Clients",
    "Constant",
    "DropTail",
    "Dumbbell",
    "Estimate",
    "Flow",
    "GraphLink",
    "Greedy",
    "GroupSummary",
    "Link",
    "Loss",
    "Measure",
    "Node",
    "Poisson",
    "Queue",
    "Red",
    "Run",
    "Runs",
    "Scenario",
    "ScenarioError",
    "Summary",
    "Tcp",
    "Udp",
    "replicate",
    "simulate",
]
