"""An agent during an episode: clips actions, and builds observations from the features of the last steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.gym.networks import Network
    from ackclock.gym.schemes import Scheme
    from ackclock.running.engine import Interval

__all__ = ["Agent"]


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
        self.srtt = np.nan
        """Smoothed round-trip time at the end of the last step, in seconds."""
        self._low, self._high = float(scheme.action.low), float(scheme.action.high)
        self._bounds = [(float(each.low), float(each.high)) for each in scheme.features]
        self._width = len(scheme.features)
        # before the first step: 0, or the end of the range that is next to it
        self._features = [min(max(0.0, low), high) for low, high in self._bounds] * (scheme.history - 1)

    def act(self, action: float) -> float:
        """Return the control that an action sets.

        Raises
        ------
        ValueError
            The action is not a number.
        """
        if action != action:  # noqa: PLR0124  # NaN
            raise ValueError("action: nan is not allowed; must be a number")
        return self.scheme.act(min(max(action, self._low), self._high))

    def see(self, seen: Interval) -> NDArray[np.float32]:
        """Return the observation after a step."""
        self.srtt = seen.srtt
        features = self._features
        for value, (low, high) in zip(self.scheme.observe(seen), self._bounds, strict=True):
            features.append(low if value < low else high if value > high else value)
        observation = np.array(features, np.float32)
        del features[: self._width]
        return observation
