"""Ackclock: a laboratory for TCP congestion control and the burstiness it causes.

A `Scenario` describes a network, its flows and their traffic. `simulate` simulates every packet of a
scenario and returns a `Run`. `replicate` simulates a scenario with several seeds and adds confidence
intervals. `load` reads a saved run. `sweep` runs a whole study and stores its results, and ``ackclock.open`` opens a
store.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ackclock import analysis as analysis
    from ackclock.analysis import models as models
    from ackclock.capture import Capture, read_capture
    from ackclock.laws.adapter import DisciplineError, LawError
    from ackclock.laws.arithmetic import cbrt
    from ackclock.laws.checking import LawCheck, check_law
    from ackclock.laws.compiling import compiled
    from ackclock.laws.discipline import Discipline
    from ackclock.laws.law import Law
    from ackclock.running.decomposition import Component, components
    from ackclock.running.estimate import Estimate
    from ackclock.running.result import load
    from ackclock.running.run import Run, simulate
    from ackclock.running.runs import Runs
    from ackclock.running.summary import GroupSummary, LinkSummary, Summary
    from ackclock.scenario import (
        Clients,
        Connections,
        Constant,
        DropTail,
        Dumbbell,
        Exponential,
        Fixed,
        Flow,
        FractionalNoise,
        GilbertElliott,
        GraphLink,
        Greedy,
        Jitter,
        Link,
        ListedLoss,
        Lognormal,
        Measure,
        Node,
        OnOff,
        Pareto,
        Poisson,
        Policer,
        Queue,
        RandomLoss,
        RateTrace,
        Red,
        Reorder,
        Scenario,
        Shaper,
        SizeTable,
        Tcp,
        Trace,
        Transfers,
        Udp,
        abstract_internet,
        clustered_connections,
        wide_area,
    )
    from ackclock.scenario.bottleneck import Pipe, pipe
    from ackclock.study.design import Study
    from ackclock.study.seeds import replicate
    from ackclock.study.store import Store
    from ackclock.study.sweeping import sweep
    from ackclock.values.errors import ScenarioError

    __version__: str
    open = Store.open  # noqa: A001  # written as `ackclock.open`

__all__ = [
    "Capture",
    "Clients",
    "Component",
    "Connections",
    "Constant",
    "Discipline",
    "DisciplineError",
    "DropTail",
    "Dumbbell",
    "Estimate",
    "Exponential",
    "Fixed",
    "Flow",
    "FractionalNoise",
    "GilbertElliott",
    "GraphLink",
    "Greedy",
    "GroupSummary",
    "Jitter",
    "Law",
    "LawCheck",
    "LawError",
    "Link",
    "LinkSummary",
    "ListedLoss",
    "Lognormal",
    "Measure",
    "Node",
    "OnOff",
    "Pareto",
    "Pipe",
    "Poisson",
    "Policer",
    "Queue",
    "RandomLoss",
    "RateTrace",
    "Red",
    "Reorder",
    "Run",
    "Runs",
    "Scenario",
    "ScenarioError",
    "Shaper",
    "SizeTable",
    "Store",
    "Study",
    "Summary",
    "Tcp",
    "Trace",
    "Transfers",
    "Udp",
    "abstract_internet",
    "cbrt",
    "check_law",
    "clustered_connections",
    "compiled",
    "components",
    "load",
    "pipe",
    "read_capture",
    "replicate",
    "simulate",
    "sweep",
    "wide_area",
]

_HOMES: Final = (
    "values.errors",
    "running.summary",
    "scenario",
    "running.run",
    "running.estimate",
    "running.runs",
    "scenario.bottleneck",
    "capture",
    "laws.arithmetic",
    "laws.law",
    "laws.discipline",
    "laws.adapter",
    "laws.compiling",
    "laws.checking",
    "running.decomposition",
    "running.result",
    "study.seeds",
    "study.store",
    "study.design",
    "study.sweeping",
)
_SUBMODULES: Final = {"analysis": "analysis", "models": "analysis.models"}
"""Packages that need no separate import: ``ac.models.stochastic_reno``, ``ac.analysis.hurst``."""


if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute

    def __getattr__(name: str) -> object:
        """Load attributes on first use, since ``ackclock --help`` needs no attribute."""
        if name == "__version__":
            from ackclock.engine.catalogue import catalogue  # noqa: PLC0415

            return catalogue().version
        if name == "open":  # `open` is not in `__all__`, so that a star import keeps the builtin
            from ackclock.study.store import Store  # noqa: PLC0415

            return Store.open
        if name in _SUBMODULES:
            return import_module(f"ackclock.{_SUBMODULES[name]}")
        if name in __all__:
            for home in _HOMES:
                module = import_module(f"ackclock.{home}")
                if name in getattr(module, "__all__", vars(module)):
                    return getattr(module, name)
        raise AttributeError(f"module 'ackclock' has no attribute {name!r}{_instead(name)}", name=name)

    def _instead(name: str) -> str:
        """Say how to make a queue or a TCP sender that has no class of its own, such as ``CoDel``."""
        if name[:1].isupper():  # names in lower case may be submodules
            from ackclock.engine.catalogue import catalogue  # noqa: PLC0415

            kinds = {"Queue": catalogue().queues, "Tcp": catalogue().variants}
            for made, kind in ((made, kind) for made, some in kinds.items() for kind in some):
                if kind.replace("_", "") == name.replace("_", "").lower():
                    return f'; use ac.{made}("{kind}", ...)'
        return ""


def __dir__() -> list[str]:
    return [*globals(), *_SUBMODULES, *__all__, "open"]
