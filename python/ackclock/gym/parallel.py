"""The environment with several agents, as a parallel environment of PettingZoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from ackclock.gym.agent import Agent
from ackclock.gym.environment import action_space, check_networks, draw_network, observation_space
from ackclock.gym.episode import Episode, interval_of
from ackclock.gym.networks import DEFAULT, PACKET
from ackclock.gym.schemes import scheme_named
from ackclock.values.errors import refuse
from ackclock.values.kinds import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymnasium import spaces
    from numpy.typing import NDArray

    from ackclock.engine.core import Interval
    from ackclock.gym.networks import Network, Networks
    from ackclock.gym.schemes import Scheme

__all__ = ["ParallelDumbbell"]

_SEEDS: Final = 2**63
_COUNT: Final = whole(1, 1000)


class ParallelDumbbell(ParallelEnv[str, "NDArray[np.float32]", "NDArray[np.float32]"]):
    """Bulk transfers over one bottleneck, each with an agent: ``agent-0``, ``agent-1``, ...

    All agents act at the same times. A step has a fixed length, and otherwise the meaning that it has in `DumbbellEnv`.

    Parameters
    ----------
    agents
        Number of agents.
    networks, scheme, duration
        As in `DumbbellEnv`.
    interval
        Length of a step, a time.

    Raises
    ------
    ScenarioError
        An argument is not allowed.

    Examples
    --------
    >>> env = ParallelDumbbell(2, interval="50 ms", duration="5 s")
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {agent: np.zeros(1, np.float32) for agent in env.agents}
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> infos["agent-1"]["time"]
    5.0

    """

    metadata: ClassVar[dict[str, Any]] = {"name": "ackclock_dumbbell_v0", "render_modes": []}

    def __init__(
        self,
        agents: int = 2,
        networks: Network | Networks | Sequence[Network | Networks] = DEFAULT,
        *,
        scheme: str | type[Scheme] = "power",
        interval: str = "50 ms",
        duration: str = "20 s",
    ) -> None:
        _COUNT.require("agents", agents)
        if interval == "rtt":
            raise refuse("interval", interval, "must be a time: agents with different round-trip times act together")
        self.scheme_type = scheme_named(scheme)
        self.possible_agents = [f"agent-{place}" for place in range(agents)]
        self.agents: list[str] = []
        self.render_mode = None
        self._networks = check_networks(networks)
        self._duration = duration
        self._interval = interval_of(interval, duration)
        self._generator = np.random.default_rng()
        self.action_spaces = {name: action_space(self.scheme_type) for name in self.possible_agents}
        self.observation_spaces = {name: observation_space(self.scheme_type) for name in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Box:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Box:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begin an episode; `seed` and `options` are those of `DumbbellEnv.reset`."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        network = (options or {}).get("network") or draw_network(self._networks, self._generator, self._duration)
        self.agents = list(self.possible_agents)
        control = self.scheme_type.control
        self._episode = Episode(
            network,
            seed=int(self._generator.integers(_SEEDS)),
            duration=self._duration,
            interval=self._interval,
            control=control,
            agents=len(self.agents),
        )
        self._set = self._episode.setter(control)
        self._minds = {
            name: Agent(self.scheme_type, network, self._generator, duration=self._duration, flows=len(self.agents))
            for name in self.agents
        }
        for place, mind in enumerate(self._minds.values()):
            self._set(place, mind.scheme.begin())
        seen = self._step()
        observations = {name: mind.see(seen[name]) for name, mind in self._minds.items()}
        return observations, {name: each.info(PACKET) for name, each in seen.items()}

    def _step(self) -> dict[str, Interval]:
        self._episode.step()
        return {name: self._episode.stepper.interval(place) for place, name in enumerate(self.possible_agents)}

    def step(
        self, actions: dict[str, NDArray[np.float32]]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Simulate a step. An agent without an action keeps its window or rate.

        Raises
        ------
        ResetNeeded
            There is no episode, or it is over.
        ValueError
            An action is not a number.
        """
        if not self.agents:
            raise ResetNeeded("there is no episode, or it is over: call reset() before step()")
        for place, (name, mind) in enumerate(self._minds.items()):
            if name in actions:
                self._set(place, mind.act(float(actions[name][0])))
        seen = self._step()
        observations = {name: mind.see(seen[name]) for name, mind in self._minds.items()}
        rewards = {name: mind.scheme.reward(seen[name]) for name, mind in self._minds.items()}
        is_over = self._episode.is_over
        self.agents = [] if is_over else self.agents
        return (
            observations,
            rewards,
            dict.fromkeys(self.possible_agents, False),
            dict.fromkeys(self.possible_agents, is_over),
            {name: each.info(PACKET) for name, each in seen.items()},
        )
