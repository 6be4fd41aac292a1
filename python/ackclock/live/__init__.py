"""Runs of a scenario in real time with the machine's own kernel, through the links of the simulator."""

from ackclock.live.comparing import Comparison, compare
from ackclock.live.lateness import Lateness
from ackclock.live.running import LiveRun, live

__all__ = ["Comparison", "Lateness", "LiveRun", "compare", "live"]
