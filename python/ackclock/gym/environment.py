"""The Gymnasium environment: an agent controls the flow of a bulk transfer over a bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from ackclock.gym.agent import Agent
from ackclock.gym.episode import Episode, interval_of
from ackclock.gym.networks import DEFAULT, PACKET, Network, Networks
from ackclock.gym.schemes import scheme_named
from ackclock.values.errors import refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.gym.schemes import Scheme

__all__ = ["DumbbellEnv", "action_space", "check_networks", "draw_network", "observation_space"]

_SEEDS: Final = 2**63


def action_space(scheme: type[Scheme]) -> spaces.Box:
    """Return the space of a scheme's actions."""
    return spaces.Box(scheme.action.low, scheme.action.high, (1,), np.float32)


def observation_space(scheme: type[Scheme]) -> spaces.Box:
    """Return the space of a scheme's observations: the features of each step of the history, the latest step last."""
    low, high = ([getattr(each, end) for each in scheme.features] * scheme.history for end in ("low", "high"))
    return spaces.Box(np.array(low, np.float32), np.array(high, np.float32))


def check_networks(networks: Network | Networks | Sequence[Network | Networks]) -> tuple[Network | Networks, ...]:
    """Return networks as a tuple.

    Raises
    ------
    ScenarioError
        There is none, or one is of another type.
    """
    given = (networks,) if isinstance(networks, Network | Networks) else tuple(networks)
    if not given or not all(isinstance(each, Network | Networks) for each in given):
        raise refuse("networks", networks, "must be a Network, a Networks, or several")
    return given


def draw_network(networks: Sequence[Network | Networks], generator: np.random.Generator, duration: str) -> Network:
    """Return one of the networks, or draw it from its ranges."""
    choice = int(generator.integers(len(networks))) if len(networks) > 1 else 0
    which = networks[choice]
    return which if isinstance(which, Network) else which.draw_one(generator, duration=duration)


class DumbbellEnv(gymnasium.Env["NDArray[np.float32]", "NDArray[np.float32]"]):
    """A bulk transfer over a bottleneck, whose window or rate an agent sets.

    A step is an interval of simulated time: the action holds from its start *t* on, and observation, reward and `info`
    contain the events of exactly [*t*, *t* + length). The sender uses an action from its first ACK on. Losses are
    repaired by the engine, with RACK-TLP; after a timeout the window grows from one packet to the agent's.

    An episode ends (is truncated) after `duration`; there is no terminal state. The first observation is of a step with
    the initial control. `info` has these measures, where they are defined:

    - ``time``: simulated time at the end of the step, in s
    - ``throughput_bps``: data acknowledged, in bit/s
    - ``rtt``: mean of the round-trip samples, in s
    - ``loss``: share of the flow's packets that the bottleneck drops or loses
    - ``cov``: coefficient of variation of the arrivals per bin at the bottleneck since the start of the episode
    - ``queue``, ``cwnd``: packets that wait at the bottleneck, and the congestion window in packets, at the end

    Parameters
    ----------
    networks
        A network, ranges, or several of them, from which each episode draws one (default: `ackclock.gym.DEFAULT`).
    scheme
        Action, observation and reward: ``power``, ``aurora``, ``orca``, or a subclass of `ackclock.gym.Scheme`.
    interval
        Length of a step: a time, or ``rtt`` for the smoothed round-trip time (default: as the scheme says). The last
        step of an episode lasts until its end, up to twice as long.
    duration
        Simulated time of an episode.
    render_mode
        ``rgb_array`` to draw the episode so far with `render`.

    Raises
    ------
    ScenarioError
        An argument is not allowed.

    Examples
    --------
    >>> env = DumbbellEnv(Network(rate="10 Mbps", rtt="40 ms", buffer=33), interval="40 ms")
    >>> observation, info = env.reset(seed=1)
    >>> for _ in range(3):
    ...     observation, reward, terminated, truncated, info = env.step(np.array([0.5], np.float32))
    >>> round(info["cwnd"], 1), round(info["time"], 3)
    (28.3, 0.16)

    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        networks: Network | Networks | Sequence[Network | Networks] = DEFAULT,
        *,
        scheme: str | type[Scheme] = "power",
        interval: str | None = None,
        duration: str = "20 s",
        render_mode: str | None = None,
    ) -> None:
        self.scheme_type = scheme_named(scheme)
        self._networks = check_networks(networks)
        self._duration = duration
        self._interval = interval_of(self.scheme_type.interval if interval is None else interval, duration)
        if render_mode not in {None, *self.metadata["render_modes"]}:
            raise refuse("render_mode", render_mode, "must be rgb_array or None")
        self.render_mode = render_mode
        self.action_space = action_space(self.scheme_type)
        self.observation_space = observation_space(self.scheme_type)
        self._episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed
            Seed of all episodes until the next seed. The same seed and actions give the same episodes.
        options
            ``{"network": Network(...)}`` sets the network of this episode.

        """
        super().reset(seed=seed)
        network = (options or {}).get("network") or draw_network(self._networks, self.np_random, self._duration)
        engine_seed = int(self.np_random.integers(_SEEDS))
        if self._episode is not None and self._episode.network == network:
            self._episode.again(engine_seed)
        else:
            scheme = self.scheme_type
            self._episode = Episode(
                network, seed=engine_seed, duration=self._duration, interval=self._interval, control=scheme.control
            )
            self._set = self._episode.setter(scheme.control)
        agent = Agent(self.scheme_type, network, self.np_random, duration=self._duration)
        self._act, self._see, self._reward = agent.act, agent.see, agent.scheme.reward
        self._set(0, agent.scheme.begin())
        seen = self._episode.step()
        self._shown = [seen]
        return self._see(seen), seen.info(PACKET)

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Simulate a step.

        Raises
        ------
        ResetNeeded
            There is no episode, or it is over.
        ValueError
            The action is not a number.
        """
        episode = self._episode
        if episode is None or episode.is_over:
            raise gymnasium.error.ResetNeeded("there is no episode, or it is over: call reset() before step()")
        self._set(0, self._act(float(action[0])))
        seen = episode.step()
        if self.render_mode is not None:
            self._shown.append(seen)
        return self._see(seen), self._reward(seen), False, episode.is_over, seen.info(PACKET)

    def render(self) -> NDArray[np.uint8] | None:
        """Draw window, round-trip time and queue of the episode so far."""
        if self.render_mode is None:
            return None
        from ackclock.gym.figure import picture  # noqa: PLC0415  # slow to load

        return picture(self._shown)

    @property
    def network(self) -> Network:
        """The network of the episode."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("there is no episode: call reset()")
        return self._episode.network

    @property
    def now(self) -> float:
        """Simulated time of the episode, in seconds."""
        return 0.0 if self._episode is None else self._episode.now / PICOSECONDS_PER_SECOND
