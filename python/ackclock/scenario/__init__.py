"""The schema of scenarios, and the only code that validates scenarios."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ackclock.scenario.declared import DropTail, Queue, Red, Tcp
    from ackclock.scenario.distributions import Exponential, Fixed, Lognormal, Pareto, SizeTable
    from ackclock.scenario.internet import abstract_internet, clustered_connections, wide_area
    from ackclock.scenario.network import (
        Dumbbell,
        GilbertElliott,
        GraphLink,
        Jitter,
        Link,
        ListedLoss,
        Node,
        Policer,
        RandomLoss,
        Reorder,
        Shaper,
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
    from ackclock.scenario.traffic import Clients, Flow, Udp
    from ackclock.scenario.whole import Measure, Scenario

__all__ = [
    "SCHEMA",
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
    "Jitter",
    "Link",
    "ListedLoss",
    "Lognormal",
    "Measure",
    "Node",
    "OnOff",
    "Pareto",
    "Poisson",
    "Policer",
    "Queue",
    "RandomLoss",
    "RateTrace",
    "Red",
    "Reorder",
    "Scenario",
    "Shaper",
    "SizeTable",
    "Tcp",
    "Trace",
    "Transfers",
    "Udp",
    "abstract_internet",
    "clustered_connections",
    "wide_area",
]

SCHEMA: Final = 2
"""Version of the schema. It increases when a scenario of an earlier version would be rejected or read differently."""

_HOMES: Final = (
    "whole",
    "declared",
    "traffic",
    "network",
    "sources",
    "distributions",
    "rate_trace",
    "internet",
)


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Load a class when it is first used: `scenario.errors` and `scenario.quantity` need no pydantic."""
        if name in __all__:
            for home in _HOMES:
                module = import_module(f"ackclock.scenario.{home}")
                if name in vars(module):
                    globals()[name] = vars(module)[name]
                    return globals()[name]
        raise AttributeError(f"module 'ackclock.scenario' has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return [*(name for name in globals() if name.startswith("__")), *__all__]
