"""The scenario: the owner of the schema, and the one place that checks it."""

from ackclock.scenario.distributions import Exponential, Fixed, Lognormal, Pareto, SizeTable
from ackclock.scenario.internet import abstract_internet, clustered_connections, wide_area
from ackclock.scenario.network import (
    DropTail,
    Dumbbell,
    GilbertElliott,
    GraphLink,
    Link,
    ListedLoss,
    Node,
    Queue,
    RandomLoss,
    Red,
)
from ackclock.scenario.rate_trace import RateTrace
from ackclock.scenario.sources import (
    Connections,
    Constant,
    FractionalNoise,
    Greedy,
    OnOff,
    Poisson,
    Trace,
    Transfers,
)
from ackclock.scenario.traffic import Clients, Flow, Tcp, Udp
from ackclock.scenario.whole import Measure, Scenario

__all__ = [
    "Clients",
    "Connections",
    "Constant",
    "DropTail",
    "Dumbbell",
    "Exponential",
    "Fixed",
    "Flow",
    "FractionalNoise",
    "GilbertElliott",
    "GraphLink",
    "Greedy",
    "Link",
    "ListedLoss",
    "Lognormal",
    "Measure",
    "Node",
    "OnOff",
    "Pareto",
    "Poisson",
    "Queue",
    "RandomLoss",
    "RateTrace",
    "Red",
    "Scenario",
    "SizeTable",
    "Tcp",
    "Trace",
    "Transfers",
    "Udp",
    "abstract_internet",
    "clustered_connections",
    "wide_area",
]
