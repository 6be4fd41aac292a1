"""The scenario: the owner of the schema, and the one place that checks it."""

from ackclock.scenario.network import DropTail, Dumbbell, GraphLink, Link, Loss, Node, Queue, Red
from ackclock.scenario.traffic import Clients, Constant, Flow, Greedy, Poisson, Tcp, Udp
from ackclock.scenario.whole import Measure, Scenario

__all__ = [
    "Clients",
    "Constant",
    "DropTail",
    "Dumbbell",
    "Flow",
    "GraphLink",
    "Greedy",
    "Link",
    "Loss",
    "Measure",
    "Node",
    "Poisson",
    "Queue",
    "Red",
    "Scenario",
    "Tcp",
    "Udp",
]
