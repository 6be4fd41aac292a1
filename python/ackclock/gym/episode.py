"""An episode: a network that is simulated step by step, with an agent for each of its first flows."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ackclock.engine import core
from ackclock.engine.processors import memory_bound
from ackclock.gym.networks import duration_of
from ackclock.running.run import Prepared
from ackclock.scenario import Tcp
from ackclock.values.errors import impossible, refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME, QuantityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.engine.core import Interval, Stepper
    from ackclock.gym.networks import Network
    from ackclock.gym.schemes import Control

__all__ = ["Episode", "interval_of"]

_LAW: Final = {
    "kind": "foreign",
    "name": "agent",
    "number": 0,
    "needs": {"own_slow_start": True, "observes": True, "times_segments": True},
}
_SHORTEST: Final = 10**8
_LONGEST: Final = 10**12
"""Range of a step that lasts one round-trip time, in picoseconds: 0.1 ms to 1 s."""
_MOST_STEPS: Final = 10**7


def interval_of(text: str, duration: str) -> int | None:
    """Read the length of a step: in picoseconds, or None for one round-trip time.

    Raises
    ------
    ScenarioError
        The text is neither a time nor ``rtt``, an episode would have too many steps, or its duration is not allowed.

    Examples
    --------
    >>> interval_of("40 ms", "20 s"), interval_of("rtt", "20 s")
    (40000000000, None)
    """
    whole = duration_of(duration)
    if text == "rtt":
        return None
    allowed = f"must be rtt, or {TIME.allowed}, so that an episode has at most {_MOST_STEPS:,} steps"
    try:
        picos = TIME.parse(text)
    except (QuantityError, AttributeError, TypeError):
        raise refuse("interval", text, allowed) from None
    if picos * _MOST_STEPS < whole or picos == 0:
        raise refuse("interval", text, allowed)
    return picos


@lru_cache(maxsize=64)
def _plan(network: Network, agents: int, control: Control | None, law: Tcp | None, duration: str) -> str:
    """Return the plan of a network whose first flows have agents, or a law."""
    transport = law or Tcp(
        "cubic",
        max_window=100_000,
        slow_start="standard",
        whole_growth=False,  # the agent's window is a real number
        pacing="law" if control == "rate" else "off",
    )
    scenario = network.scenario(transport, duration=duration)
    plan = json.loads(Prepared.of(scenario, ()).plan)
    plan["groups"][0]["count"] = agents
    if law is None:
        plan["groups"][0]["transport"]["sender"]["congestion"] = _LAW
    return json.dumps(plan)


class Episode:
    """A simulation of a network in steps.

    Parameters
    ----------
    network
        The network.
    seed
        Random seed of the simulation.
    duration
        Simulated time.
    interval
        Length of a step in picoseconds; None for the smoothed round-trip time. The last step ends with the episode, and
        is up to twice as long.
    control
        What agents set.
    agents
        Number of flows with an agent.
    law
        A built-in law in place of the agents.

    """

    def __init__(
        self,
        network: Network,
        *,
        seed: int,
        duration: str,
        interval: int | None = None,
        control: Control | None = None,
        agents: int = 1,
        law: Tcp | None = None,
    ) -> None:
        self.network = network
        self.now = 0
        """Simulated time in picoseconds."""
        self.is_over = False
        """Whether the simulated time is over."""
        self._end = duration_of(duration)
        self._interval = interval
        self._key = (network, agents, control, law, duration)
        try:
            self.stepper: Stepper = core.Stepper(_plan(*self._key), seed, [0], memory_bound(None))
        except core.PlanError as error:
            raise impossible(str(error)) from None
        self._begin()

    def _begin(self) -> None:
        self.now = 0
        self.is_over = False
        self._seen: Interval | None = None

    def again(self, seed: int) -> None:
        """Begin again with another seed."""
        self.stepper.reset(seed)
        self._begin()

    def setter(self, control: Control) -> Callable[[int, float], None]:
        """Return the function that sets the control of an agent."""
        stepper = self.stepper
        return {"window": stepper.set_window, "rate": stepper.set_rate, "factor": stepper.multiply}[control]

    def step(self) -> Interval:
        """Simulate a step, and return what the first flow saw.

        Raises
        ------
        ScenarioError
            The simulation needs too much memory, or the episode is over.
        """
        span = self._interval or self._round_trip()
        left = self._end - self.now
        if left < 2 * span:
            if self.is_over:
                raise impossible("the episode is over: call reset")
            # the last step: a short one after it would say little
            span, self.is_over = left, True
        self.now += span
        try:
            self._seen = seen = self.stepper.step(span)
        except core.PlanError as error:
            raise impossible(str(error)) from None
        return seen

    def _round_trip(self) -> int:
        """Return the smoothed round-trip time now, or the one of the empty path, in picoseconds."""
        srtt = self.network.base_rtt if self._seen is None else self._seen.srtt
        if srtt != srtt:  # noqa: PLR0124  # NaN: no sample yet
            srtt = self.network.base_rtt
        return min(max(int(srtt * PICOSECONDS_PER_SECOND), _SHORTEST), _LONGEST)
