"""The schema of scenarios, and the only code that validates scenarios.

``__init__.pyi``, which ``make signatures`` writes, declares the names for type checkers and editors.
"""

from importlib import import_module

SCHEMA = 3
"""Version of the schema. It increases when a scenario of an earlier version would be rejected or read differently."""

NAMES = {
    "whole": ("Convergence", "Measure", "Scenario"),
    "declared": ("Queue", "Tcp"),
    "traffic": ("Clients", "Flow", "Udp"),
    "framing": ("Framing",),
    "network": (
        *("Dumbbell", "GilbertElliottPackets", "GilbertElliottTime", "GraphLink", "Jitter", "Link", "ListedLoss"),
        *("Node", "Policer", "RandomLoss", "Reorder", "Shaper"),
    ),
    "sources": (
        "Connections",
        "Constant",
        "FractionalNoise",
        "Frames",
        "Greedy",
        "OnOff",
        "Pages",
        "Poisson",
        "Requests",
        "Trace",
        "Transfers",
    ),
    "call": ("Call",),
    "video": ("Video",),
    "distributions": ("Exponential", "Fixed", "Lognormal", "Pareto", "SizeTable"),
    "media": ("Medium",),
    "routing": ("Routing",),
    "topologies": ("DumbbellGraph", "FatTree", "LeafSpine", "ParkingLot", "Star"),
    "rate_trace": ("RateTrace",),
    "step_trace": ("DelayTrace", "LossTrace"),
    "changes": ("Change",),
    "internet": ("clustered_connections", "wide_area"),
}
"""The public names of each module. `declared` also has one for each queue of the engine, such as ``CoDel``."""

_HOME = {name: module for module, names in NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a name when it is first used: packages below this one need no pydantic."""
    if name == "__all__":
        return [*_HOME, *_queues()]
    home = home_of(name)
    if home is None:
        raise AttributeError(f"module 'ackclock.scenario' has no attribute {name!r}", name=name)
    return globals().setdefault(name, getattr(import_module(f"ackclock.scenario.{home}"), name))


def __dir__() -> list[str]:
    return [*(name for name in globals() if name.startswith("__")), "SCHEMA", *_HOME, *_queues()]


def home_of(name: str) -> str | None:
    """Return the module that has a public name; None if there is no such name."""
    return _HOME.get(name) or ("declared" if name[:1].isupper() and name in _queues() else None)


def _queues() -> list[str]:
    from ackclock.engine.catalogue import catalogue  # noqa: PLC0415  # loads the engine

    return list(catalogue().queue_classes)
