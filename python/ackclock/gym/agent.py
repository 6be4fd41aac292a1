"""An agent during an episode: clips actions, and builds observations from the features of the last steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.engine import core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.engine.core import Interval
    from ackclock.gym.networks import Network
    from ackclock.gym.schemes import Scheme

__all__ = ["Agent"]

_FLOAT: Final = np.dtype(np.float32)


class Agent:
    """The agent of a flow.

    Parameters
    ----------
    scheme
        Its actions, features and reward.
    network
        The network of the episode.
    generator
        Random numbers, for the initial control.
    duration
        Simulated time of the episode.
    flows
        Number of flows with agents.

    """

    def __init__(
        self,
        scheme: type[Scheme],
        network: Network,
        generator: np.random.Generator,
        *,
        duration: str,
        flows: int = 1,
    ) -> None:
        self.scheme = scheme(network, generator, duration=duration, flows=flows)
        self._low, self._high = float(scheme.action.low), float(scheme.action.high)
        self._act, self._observe = self.scheme.act, self.scheme.observe
        self._push = core.Features([(each.low, each.high) for each in scheme.features], scheme.history).push

    def act(self, action: float) -> float:
        """Return the control that an action sets.

        Raises
        ------
        ValueError
            The action is not a number.
        """
        if not self._low <= action <= self._high:
            if math.isnan(action):
                raise ValueError("action: nan is not allowed; must be a number")
            action = min(max(action, self._low), self._high)
        return self._act(action)

    def see(self, seen: Interval) -> NDArray[np.float32]:
        """Return the observation after a step."""
        return np.frombuffer(self._push(self._observe(seen)), _FLOAT)
