"""Runs of a scenario in real time with the machine's own kernel, through the links of the simulator."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ackclock.live.comparing import Comparison, compare
    from ackclock.live.lateness import Lateness
    from ackclock.live.programs import Session, shell
    from ackclock.live.running import LiveRun, live

__all__ = ["Comparison", "Lateness", "LiveRun", "Session", "compare", "live", "shell"]

_HOME: Final = {
    **dict.fromkeys(("Comparison", "compare"), "comparing"),
    **dict.fromkeys(("Session", "shell"), "programs"),
    **dict.fromkeys(("LiveRun", "live"), "running"),
    "Lateness": "lateness",
}


def __getattr__(name: str) -> object:
    """Load a name when it is first used: the processes of a run start without the scenario's models."""
    if name not in _HOME:
        raise AttributeError(f"module 'ackclock.live' has no attribute {name!r}", name=name)
    return globals().setdefault(name, getattr(import_module(f"ackclock.live.{_HOME[name]}"), name))
